"""The assistant's message while it is written: folded from steps, watched by tails, saved by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from weakref import WeakSet

import psycopg
from psycopg_pool import PoolTimeout

from agent.steps import ModelEnded, Reasoning, Step, TokenText
from agent.transcript import Transcript
from store.messages import Content

PAUSE = 1.0
UNHURRIED = (TokenText, Reasoning, ModelEnded)  # behind the last of them comes a checkpoint, then a call or the end


class Draft:
    """Saves at every step of a tool, and once in `pause` seconds while words come in; never holds the words up.

    Until it is `loaded`, what was said before is missing from it, so nobody follows it.
    """

    def __init__(self, transcript: Transcript, save: Callable[[Content], Awaitable[None]], pause: float = PAUSE):
        self.transcript = transcript
        self.loaded = False
        self._save = save
        self._pause = pause
        self._dirty = asyncio.Event()
        self._urgent = asyncio.Event()
        self._watchers: WeakSet[asyncio.Event] = WeakSet()

    def tell(self, step: Step) -> None:
        """Fold a step in, and wake whoever watches if it shows anything."""
        before = self.transcript.version
        self.transcript.fold(step)
        if self.transcript.version != before:
            self.touch(urgent=not isinstance(step, UNHURRIED))

    def touch(self, *, urgent: bool = True) -> None:
        """The transcript changed."""
        self._dirty.set()
        if urgent:
            self._urgent.set()
        for watcher in self._watchers:
            watcher.set()

    def watch(self, watcher: asyncio.Event) -> None:
        """Set this event at every change, for as long as somebody holds it."""
        self._watchers.add(watcher)

    def content(self) -> Content:
        """The message as it stands."""
        return Content(self.transcript.parts(), self.transcript.text(), self.transcript.version)

    async def keep(self) -> None:
        """Save what changes, until cancelled. A database that is away for a moment costs only this save."""
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            self._urgent.clear()
            with suppress(psycopg.OperationalError, PoolTimeout):
                await self._save(self.content())
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause):
                    await self._urgent.wait()
