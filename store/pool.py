"""Connections: one pool for a process, checked before they are lent."""

import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, LiteralString
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from store.person import PERSON_ROLE, Actor, act_for, acting

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]
MAY_SET = 160_000  # since PostgreSQL 16 a member of a role may take it only where the grant says so
_last: WeakKeyDictionary[AsyncConnection[Any], Actor] = WeakKeyDictionary()  # for whom each was lent last
# The path is kept as it is: the schema "$user" in it would be another one under another role.
_SET_UP: LiteralString = """
    select set_config('idle_in_transaction_session_timeout', %(idle)s, false),
        set_config('search_path', array_to_string(array(
            select quote_ident(name) from unnest(current_schemas(false)) name), ', '), false),
        set_config('countersign.role', case when pg_has_role(session_user, to_regrole(%(role)s), %(mode)s)
            then %(role)s else 'none' end, false)
"""
LEND: LiteralString = """
    select set_config('role', case when %s then 'none' else current_setting('countersign.role') end, false),
        set_config('countersign.tenant', %s, false), set_config('countersign.owner', %s, false),
        set_config('countersign.whole_tenant', %s, false)
"""


async def open_pool(
    url: str, *, min_size: int = 1, max_size: int = 8, wait: float = 10.0, idle_transaction: float = 10.0
) -> Pool:
    """Open a pool of autocommit connections with dict rows; the caller closes it.

    A connection is checked before it is lent, so a restarted server costs no failed query; the same statement says
    for whom it is lent (see `store/person.py`), and is left out where that is who had it last and the server is
    silent, which it is not when it goes. `wait` is how many seconds a caller waits for a free connection before
    `psycopg_pool.PoolTimeout`.
    A transaction that its client leaves idle for `idle_transaction` seconds is ended by the server: a frozen
    process would keep its rows locked, and nobody could take its turns over.
    `url` must reach the server itself or a pooler in session mode: for whom a connection is lent, its session knows.
    """
    settings: dict[str, Any] = {"autocommit": True, "row_factory": dict_row, "prepare_threshold": None}
    pool = AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[DictRow],
        kwargs=settings,
        min_size=min_size,
        max_size=max_size,
        timeout=wait,
        max_lifetime=1800.0,
        check=_check,
        configure=partial(_configure, milliseconds=int(idle_transaction * 1000)),
        open=False,
    )
    await pool.open()
    return pool


async def _check(connection: AsyncConnection[Any]) -> None:
    actor = acting()
    if _last.pop(connection, None) != actor or not _silent(connection):
        await connection.execute(LEND, (actor.service, actor.tenant, actor.owner, str(actor.whole_tenant).lower()))
    _last[connection] = actor


def _silent(connection: AsyncConnection[Any]) -> bool:
    """Whether nothing has come since the last answer: no farewell, and no end of the stream."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return not poll.poll(0)


async def _configure(connection: Connection, milliseconds: int) -> None:
    mode = "SET" if connection.info.server_version >= MAY_SET else "MEMBER"
    await connection.execute(_SET_UP, {"idle": f"{milliseconds}ms", "role": PERSON_ROLE, "mode": mode})


@asynccontextmanager
async def lent(pool: Pool, actor: Actor, seconds: float | None = None) -> AsyncIterator[Connection]:
    """Lend a connection for this one, whoever the surrounding code acts for; after at most `seconds`, where given."""
    with act_for(actor):
        async with pool.connection(timeout=seconds) as connection:
            yield connection


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection inside one transaction: committed at the end, rolled back on an exception."""
    async with pool.connection() as connection, connection.transaction():
        yield connection
