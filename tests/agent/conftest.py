"""Running houses on this test's own database, checked for broken invariants when the test is over."""

import pytest

from store.pool import open_pool
from tests.agent.assembly import LEASE, House


@pytest.fixture
async def house(database_url):
    """One process that has started."""
    pool = await open_pool(database_url, max_size=20)
    made = House(pool, database_url)
    await made.turns.start()
    yield made
    await made.turns.drain(0.2)
    faults = await made.faults()
    await pool.close()
    assert faults == []


@pytest.fixture
async def two(database_url):
    """Two processes on one database, one backend and one model; only the first has started. Their leases are short."""
    pools = [await open_pool(database_url, max_size=10) for _ in range(2)]
    first = House(pools[0], database_url, options={"lease_seconds": LEASE})
    second = House(pools[1], database_url, first.shelf, first.chat, options={"lease_seconds": LEASE})
    await first.turns.start()
    yield first, second
    for house in (first, second):
        await house.turns.drain(0.2)
    faults = await first.faults()
    for pool in pools:
        await pool.close()
    assert faults == []
