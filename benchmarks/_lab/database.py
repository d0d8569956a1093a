"""One PostgreSQL for everybody, with a database for each server."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from store.embedded import EmbeddedPostgres

SETTINGS = {"max_connections": "300"}
TABLES = "select schemaname, relname from pg_stat_user_tables where schemaname <> 'workspace'"


class Databases:
    """The running server."""

    def __init__(self, url: str):
        self.url = url

    def fresh(self, name: str) -> str:
        """The URL of a new, empty database."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return f"postgresql://postgres@/{name}?host={conninfo_to_dict(self.url)['host']}"


def live_bytes(url: str) -> int:
    """Bytes of all rows that are alive in a database, as they are stored, without the embedded workspace's."""
    with psycopg.connect(url) as connection:
        tables = [sql.Identifier(*names) for names in connection.execute(TABLES).fetchall()]
        sizes = (sql.SQL("select coalesce(sum(pg_column_size(t.*)), 0) from {} t").format(table) for table in tables)
        return sum(int(row[0]) for size in sizes for row in connection.execute(size).fetchall())


@contextmanager
def postgres() -> Iterator[Databases]:
    """The server, with its usual care for the disk; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-bench-"))
    folder.chmod(0o755)  # root's server runs as another user, which must get in
    server = EmbeddedPostgres(folder, settings=SETTINGS)
    try:
        yield Databases(server.start())
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
