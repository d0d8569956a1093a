"""The first schema."""

from store.migrations import run

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    run("0001_initial.sql")
