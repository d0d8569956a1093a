"""The pool heals by itself and transactions are all or nothing."""

import psycopg
import pytest

from store.person import SERVICE, act_for, person
from store.pool import Pool, open_pool, transaction
from tests.agent.counting import CountingProxy


async def test_a_connection_that_the_server_ended_is_replaced_before_it_is_lent(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=1)
    before = await _backend(pool)
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s, 5000)", (before,))
    after = await _backend(pool)
    await pool.close()
    assert after != before


async def test_the_database_is_told_for_whom_a_connection_is_lent_whenever_that_changes(database_url: str) -> None:
    anna, vera = person("t", "anna"), person("t", "vera")
    async with CountingProxy(database_url) as proxy:
        pool = await open_pool(proxy.url, max_size=1)
        told = []
        for actor in (anna, anna, vera, SERVICE, SERVICE, anna):
            proxy.forget()
            with act_for(actor):
                assert await _owner(pool) == actor.owner
            told.append(proxy.statements[""])
        await pool.close()
    assert told == [1, 0, 1, 1, 0, 1]


async def _owner(pool: Pool) -> str:
    async with pool.connection() as connection:
        found = await connection.execute("select current_setting('countersign.owner') as owner")
        return (await found.fetchone() or {})["owner"]


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
