"""The workspace's own corner of a PostgreSQL: a role and a schema that see nothing of anybody else's."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]
SCHEMA = "workspace"
_LOCK = 0x776F726B73706163  # "workspac"


class RoleError(RuntimeError):
    """The role of the workspace cannot be made here; the text says what to do."""


def bootstrap(admin_url: str, *, password: str | None = None) -> str:
    """Make the workspace's role and schema in the database at `admin_url` and return the URL for that role.

    Safe to call at every start: the role is made once for each database and gets `password` (a new random one
    by default). The role owns the schema `workspace` and has no right on any other. Blocks.
    Raises `RoleError` when the administrator's role may not make roles, and psycopg's errors.
    """
    password = password or secrets.token_urlsafe(24)
    with psycopg.connect(admin_url) as connection, connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        role = f"{SCHEMA}_{connection.info.dbname}"[:63]
        try:
            _make_role(connection, role, password)
        except psycopg.errors.InsufficientPrivilege as error:
            raise RoleError(
                "this database user may not create roles: make a role and a schema for the workspace by hand "
                "(backend/README.md) and set WORKSPACE_DATABASE_URL"
            ) from error
    return make_conninfo(**{**conninfo_to_dict(admin_url), "user": role, "password": password})


def _make_role(connection: psycopg.Connection[Any], role: str, password: str) -> None:
    name, schema = sql.Identifier(role), sql.Identifier(SCHEMA)
    if connection.execute("select from pg_roles where rolname = %s", (role,)).fetchone() is None:
        connection.execute(sql.SQL("create role {} login").format(name))
    connection.execute(sql.SQL("alter role {} password {}").format(name, sql.Literal(password)))
    connection.execute(sql.SQL("alter role {} set search_path = {}").format(name, schema))
    connection.execute(sql.SQL("grant {} to current_user").format(name))
    connection.execute(sql.SQL("create schema if not exists {} authorization {}").format(schema, name))


async def _alive(connection: Connection) -> None:
    """A connection is checked before it is lent, so that a restarted server costs no failed call."""
    await connection.execute("select 1")


async def open_pool(url: str, *, max_size: int = 8) -> Pool:
    """Open a pool of connections with dict rows; the caller closes it."""
    pool = AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[DictRow],
        kwargs={"row_factory": dict_row, "autocommit": True},
        min_size=1,
        max_size=max_size,
        timeout=10.0,
        check=_alive,
        open=False,
    )
    await pool.open()
    return pool


@asynccontextmanager
async def exclusively(connection: Connection) -> AsyncIterator[None]:
    """A transaction that no other process of the workspace runs at the same time."""
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        yield


async def migrate(connection: Connection) -> None:
    """Bring the schema to this version. Safe in many processes at once: they queue at an advisory lock."""
    async with exclusively(connection):
        await connection.execute("create table if not exists schema_versions (name text primary key, at timestamptz)")
        for name, statements in _migrations():
            done = await connection.execute("select from schema_versions where name = %s", (name,))
            if await done.fetchone() is None:
                await connection.execute(statements.encode())
                await connection.execute("insert into schema_versions values (%s, clock_timestamp())", (name,))


def _migrations() -> list[tuple[str, str]]:
    folder = files("backend").joinpath("migrations")
    scripts = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return [(item.name, item.read_text("utf-8")) for item in scripts]
