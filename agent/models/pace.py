"""A stream read ahead by a task and handed over in batches, so that cost follows time and not tokens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")
_BURST = 3


class Pace(Generic[T]):
    """Takes a stream and gives what has arrived, on average at most once in `every` seconds.

    A stream that was quiet may hand over a few times at once, so the first words and the end are never held back.
    """

    def __init__(self, source: AsyncIterator[T], every: float):
        self._source = source
        self._every = every
        self._arrived: list[T] = []
        self._news = asyncio.Event()
        self._halted = False
        self._next = 0.0
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for item in self._source:
                self._arrived.append(item)
                self._news.set()
        finally:
            self._news.set()

    async def take(self) -> list[T]:
        """At least one item, or none at the end; raises what the source raised once all before it was taken.

        May be cancelled and called again without losing anything.
        """
        loop = asyncio.get_running_loop()
        await self._news.wait()
        if not self._over and (pause := self._next - loop.time()) > 0:
            await asyncio.wait((self._reader,), timeout=pause)
        self._next = max(self._next, loop.time() - _BURST * self._every) + self._every
        items, self._arrived = self._arrived, []
        if not self._over:
            self._news.clear()
        elif not items and not self._halted:
            self._reader.result()
        return items

    @property
    def _over(self) -> bool:
        return self._halted or self._reader.done()

    def halt(self) -> None:
        """End the stream for its taker now."""
        self._halted = True
        self._news.set()

    async def aclose(self) -> None:
        """Stop reading and let the source clean up."""
        self._reader.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._reader
