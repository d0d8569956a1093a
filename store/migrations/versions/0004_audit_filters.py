"""Indexes for the filters of the audit page."""

from store.migrations import run

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the indexes."""
    run("0004_audit_filters.sql")
