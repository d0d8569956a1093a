"""One connection of the test's own."""

from collections.abc import AsyncIterator

import pytest

from store.pool import Connection, Pool


@pytest.fixture
async def connection(pool: Pool) -> AsyncIterator[Connection]:
    """A connection from the pool, in autocommit."""
    async with pool.connection() as lent:
        yield lent
