"""The pool heals by itself and transactions are all or nothing."""

import psycopg
import pytest

from store.pool import Pool, open_pool, transaction


async def test_a_connection_that_the_server_ended_is_replaced_before_it_is_lent(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=1)
    before = await _backend(pool)
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s, 5000)", (before,))
    after = await _backend(pool)
    await pool.close()
    assert after != before


async def _backend(pool: Pool) -> int:
    async with pool.connection() as connection:
        return connection.info.backend_pid


async def test_an_exception_rolls_the_whole_transaction_back(pool: Pool) -> None:
    with pytest.raises(LookupError):
        await _write_and_fail(pool)
    async with pool.connection() as connection:
        assert await (await connection.execute("select 1 from rate_limits")).fetchone() is None


async def _write_and_fail(pool: Pool) -> None:
    async with transaction(pool) as connection:
        await connection.execute("insert into rate_limits values ('a', clock_timestamp(), 1)")
        raise LookupError
