"""What is wrong in a database that something ran on, for tests that have no loop or have one running."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from psycopg import AsyncConnection
from psycopg.rows import dict_row

from store.invariants import violations


def faults(url: str, secrets: Sequence[str] = ()) -> list[str]:
    """Broken invariants of the chat's database; none of the `secrets` may be in it."""

    async def found() -> list[str]:
        async with await AsyncConnection.connect(url, autocommit=True, row_factory=dict_row) as connection:
            return await violations(connection, canaries=secrets)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, found()).result()
