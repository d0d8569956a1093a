"""Streams to one listener: the beat in silence, the end when a tab looks elsewhere."""

import asyncio

from ui.streams import while_shown, with_beat
from ui.tabs import Tabs


class Source:
    """Yields what it is given, and knows whether it was closed."""

    def __init__(self, *items, then_wait=False):
        self.closed = False
        self._items = items
        self._wait = then_wait

    async def __aiter__(self):
        try:
            for item in self._items:
                yield item
            if self._wait:
                await asyncio.Event().wait()
        finally:
            self.closed = True


async def test_the_last_item_is_repeated_in_silence():
    seen = []
    stream = with_beat(aiter(Source("a", "b", then_wait=True)), every=0.01)
    async for item in stream:
        seen.append(item)
        if len(seen) == 4:
            break
    await stream.aclose()
    assert seen == ["a", "b", "b", "b"]


async def test_the_source_is_closed_with_the_stream():
    source = Source("a", then_wait=True)
    stream = with_beat(aiter(source))
    await anext(stream)
    await stream.aclose()
    assert source.closed


async def test_the_end_and_errors_of_the_source_come_through():
    assert [item async for item in with_beat(aiter(Source(1, 2)))] == [1, 2]

    async def broken():
        yield 1
        raise ValueError("gone")

    seen = []
    try:
        async for item in with_beat(broken()):
            seen.append(item)
    except ValueError as error:
        seen.append(str(error))
    assert seen == [1, "gone"]


async def test_a_newer_stream_ends_the_older_one_of_its_tab():
    tabs = Tabs()
    first = tabs.take("t")
    stream = while_shown(aiter(Source(1, 2, 3)), lambda: tabs.shows("t", first))
    assert await anext(stream) == 1
    other = tabs.take("other")
    assert await anext(stream) == 2
    tabs.take("t")
    assert [item async for item in stream] == []
    assert tabs.shows("other", other)
    tabs.forget("other")
    assert not tabs.shows("other", other)
