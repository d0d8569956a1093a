"""Bring a database to this version's schema: Alembic, under a lock that all replicas share.

A version is a plain SQL file in `migrations/versions`, with a revision of the same number beside it.
LangGraph's own tables are made by its saver, under the same lock: its `setup()` fails when two run at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from store import role

OLDEST = 14
_MIGRATIONS = Path(__file__).parent / "migrations"
_TRY_LOCK: LiteralString = "select pg_try_advisory_xact_lock(x'636f756e746572'::bigint)"
_POLL = 0.05
# Pruning after every turn leaves dead rows, which would grow to a fifth of the table with the default.
_VACUUM_EARLY = sql.SQL(
    "alter table {} set (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02)"
)


class UnsupportedDatabase(RuntimeError):  # noqa: N818
    """The server is too old or the schema too new; the text says what is needed."""


def upgrade(url: str) -> None:
    """Migrate the database at `url` (a libpq URL) to the newest version. Blocks; safe in many processes at once.

    Raises `UnsupportedDatabase` for servers older than PostgreSQL 14 and for a newer version's schema, and
    psycopg's errors.
    """
    with psycopg.connect(url, autocommit=True) as lock, _only_one(lock):
        check_version(lock)
        found = current(url)
        if found is not None and found > newest():
            raise UnsupportedDatabase(
                f"the database has the schema {found} of a newer version, this one knows {newest()}: "
                "install the newer version, or restore the backup made before it"
            )
        if found != newest():
            _upgrade_ours(url)
        _upgrade_checkpoints(url)
        with psycopg.connect(url, autocommit=True) as connection:
            role.prepare(connection)


@contextmanager
def _only_one(connection: psycopg.Connection) -> Iterator[None]:
    """Hold the lock in a transaction, so that it also works behind a transaction pooler.

    The lock is polled, each time in a transaction of its own: one that waits inside `pg_advisory_lock`, or stays open
    between two tries, is one that the holder's CREATE INDEX CONCURRENTLY may wait for in turn, for ever.
    """
    while True:
        with connection.transaction():
            if _try_lock(connection):
                yield
                return
        time.sleep(_POLL)


def _try_lock(connection: psycopg.Connection) -> bool:
    # No parameters: they would leave a portal open, and with it a snapshot, until the transaction ends.
    row = connection.execute(_TRY_LOCK).fetchone()
    return bool(row and row[0])


def check_version(connection: psycopg.Connection) -> None:
    """Raise `UnsupportedDatabase` for a server that is too old."""
    major = connection.info.server_version // 10000
    if major < OLDEST:
        raise UnsupportedDatabase(f"the database is PostgreSQL {major}: {OLDEST} or newer is needed")


def current(url: str) -> str | None:
    """The version of the schema at `url`; None where there is none."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("select to_regclass('alembic_version') is not null").fetchone()
        if row is None or not row[0]:
            return None
        found = connection.execute("select version_num from alembic_version").fetchone()
    return found[0] if found else None


def newest() -> str:
    """This program's version of the schema."""
    return max(path.name for path in (_MIGRATIONS / "versions").glob("*.py")).partition("_")[0]


def _upgrade_ours(url: str) -> None:
    # Imported here: a start with nothing to migrate needs neither their quarter of a second nor their 20 MB.
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
    config = Config(attributes={})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _upgrade_checkpoints(url: str) -> None:
    with psycopg.Connection[DictRow].connect(url, autocommit=True, row_factory=dict_row) as connection:
        PostgresSaver(connection).setup()
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            connection.execute(_VACUUM_EARLY.format(sql.Identifier(table)))
