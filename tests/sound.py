"""What is wrong in a database that something ran on, for tests that have no loop or have one running."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from store.invariants import violations
from store.pool import open_pool


def faults(url: str, secrets: Sequence[str] = ()) -> list[str]:
    """Broken invariants of the chat's database; none of the `secrets` may be in it."""

    async def found() -> list[str]:
        pool = await open_pool(url, max_size=2)
        async with pool.connection() as connection:
            lines = await violations(connection, canaries=secrets)
        await pool.close()
        return lines

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, found()).result()
