"""The tokens of one conversation are summed whenever it is shown."""

from store.migrations import run

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Find the tokens of a conversation without reading those of all others."""
    run("0005_usage_of_conversations.sql")
