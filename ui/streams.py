"""Streams of updates for one listener: a beat when nothing happens, an end when nobody looks any more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
BEAT = 5.0


async def with_beat(source: AsyncIterator[T], every: float = BEAT) -> AsyncIterator[T]:
    """The items of `source`, and the last one again after `every` seconds of silence.

    Gradio notices that a client has gone only when something is yielded.
    """
    waiting: asyncio.Task[T] | None = None
    last: T | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(_next(source))
            done, _ = await asyncio.wait({waiting}, timeout=every)
            if done:
                last, waiting = waiting.result(), None
            if last is not None:
                yield last
    except _Ended:
        return
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, _Ended):
                await waiting
        await _close(source)


async def while_shown(source: AsyncIterator[T], shown: Callable[[], bool]) -> AsyncIterator[T]:
    """The items of `source` until the tab shows something else; that does not stop the turn."""
    try:
        async for item in source:
            if not shown():
                return
            yield item
    finally:
        await _close(source)


class _Ended(Exception):  # noqa: N818
    """A task cannot raise StopAsyncIteration."""


async def _next(source: AsyncIterator[T]) -> T:
    try:
        return await anext(source)
    except StopAsyncIteration:
        raise _Ended from None


async def _close(source: AsyncIterator[object]) -> None:
    close = getattr(source, "aclose", None)
    if close is not None:
        await close()
