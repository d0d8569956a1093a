"""One streamed request: what it says is told as it comes, under deadlines, until it ends or is stopped."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import groupby
from operator import itemgetter

from langchain_core.messages import AIMessageChunk

from agent.guards import Limits
from agent.models.errors import ModelError, ModelTimeout, RunTimeout
from agent.models.pace import Pace
from agent.models.words import Words, said, whole_text
from agent.steps import Reasoning, Step, TokenText


class Listener:
    """Listens to one stream and keeps what it heard. Times are in event loop time; `run_end` is when the run ends."""

    def __init__(self, key: str, limits: Limits, run_end: float, tell: Callable[[Step], None]):
        self.chunks: list[AIMessageChunk] = []
        self.text = ""
        self.thought = ""
        self.began = self._heard = asyncio.get_running_loop().time()
        self.first: float | None = None
        self._key = key
        self._limits = limits
        self._run_end = run_end
        self._notice = self.began + limits.notice_after
        self._tell = tell
        self._words = Words()

    async def listen(
        self, source: AsyncIterator[AIMessageChunk], stop: asyncio.Event, slow: Callable[[], None]
    ) -> None:
        """Until the stream ends or `stop` is set; `slow` is called once if nothing is heard for long.

        Raises `ModelTimeout`, `RunTimeout` and whatever the source raises.
        """
        pace = Pace(source, self._limits.merge)
        watch = asyncio.create_task(stop.wait())
        watch.add_done_callback(lambda _: pace.halt())
        try:
            while chunks := await self._next(pace, slow):
                self._hear(chunks)
            self._say(self._words.end())
        finally:
            watch.cancel()
            await pace.aclose()

    async def _next(self, pace: Pace[AIMessageChunk], slow: Callable[[], None]) -> list[AIMessageChunk]:
        while True:
            end = self._end()
            wake = min(end, self._notice)
            try:
                async with asyncio.timeout_at(wake):
                    return await pace.take()
            except TimeoutError:
                if wake == end:
                    raise self._late(end) from None
            self._notice = math.inf
            slow()

    def _end(self) -> float:
        patience = self._limits.first_token if self.first is None else self._limits.between_tokens
        return min(self._heard + patience, self.began + self._limits.request, self._run_end)

    def _late(self, end: float) -> ModelError:
        return RunTimeout() if end == self._run_end else ModelTimeout(f"silent at {end - self.began:.1f} s")

    def _hear(self, chunks: list[AIMessageChunk]) -> None:
        self.chunks += chunks
        pieces = [piece for chunk in chunks for piece in self._pieces(chunk)]
        if pieces or any(chunk.tool_call_chunks for chunk in chunks):
            self._heard = asyncio.get_running_loop().time()
            self.first = self._heard if self.first is None else self.first
            self._notice = math.inf
        self._say(pieces)

    def _pieces(self, chunk: AIMessageChunk) -> Iterable[tuple[bool, str]]:
        for thinking, text in said(chunk):
            if thinking:
                yield True, whole_text(text)
            else:
                yield from self._words.feed(text)

    def _say(self, pieces: Iterable[tuple[bool, str]]) -> None:
        for thinking, run in groupby(pieces, itemgetter(0)):
            words = "".join(text for _, text in run)
            if thinking:
                self.thought += words
                self._tell(Reasoning(self._key, words))
            else:
                self.text += words
                self._tell(TokenText(self._key, words))
