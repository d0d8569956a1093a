"""Row-level security: a person's queries see the person's rows."""

from store.migrations import run

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the policies."""
    run("0006_row_security.sql")
