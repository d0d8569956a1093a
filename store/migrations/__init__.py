"""Versions of the schema. `run(name)` executes one SQL file in the migration's transaction."""

from pathlib import Path

from alembic import op

VERSIONS = Path(__file__).parent / "versions"


def run(name: str) -> None:
    """Execute `versions/<name>`, which may hold many statements."""
    connection = op.get_bind().connection.driver_connection
    assert connection is not None
    connection.execute((VERSIONS / name).read_text(encoding="utf-8"))
