"""Connections: one pool for a process, checked before they are lent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]


async def open_pool(
    url: str, *, min_size: int = 1, max_size: int = 8, wait: float = 10.0, idle_transaction: float = 10.0
) -> Pool:
    """Open a pool of autocommit connections with dict rows; the caller closes it.

    A connection is checked before it is lent, so a restarted server costs no failed query. `wait` is
    how many seconds a caller waits for a free connection before `psycopg_pool.PoolTimeout`.
    A transaction that its client leaves idle for `idle_transaction` seconds is ended by the server: a frozen
    process would keep its rows locked, and nobody could take its turns over. Named prepared statements stay off,
    so that a transaction pooler may stand in between.
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
    await AsyncConnectionPool.check_connection(connection)


async def _configure(connection: Connection, milliseconds: int) -> None:
    await connection.execute(
        "select set_config('idle_in_transaction_session_timeout', %s, false)", (f"{milliseconds}ms",)
    )


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection inside one transaction: committed at the end, rolled back on an exception."""
    async with pool.connection() as connection, connection.transaction():
        yield connection
