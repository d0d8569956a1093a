"""Files that come with messages."""

from store.migrations import run

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table of attachments."""
    run("0003_attachments.sql")
