"""A running house on this test's own database, checked for broken invariants when the test is over."""

import pytest

from store.pool import open_pool
from tests.agent.assembly import House


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
