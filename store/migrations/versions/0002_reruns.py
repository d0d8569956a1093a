"""A message can be answered again: the turns that the new one replaces stay, out of sight."""

from store.migrations import run

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Let a turn name the turn that took its place."""
    run("0002_reruns.sql")
