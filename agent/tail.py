"""Following a turn: from memory where it runs, from the draft row everywhere else."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from agent.acting import as_person
from agent.draft import Draft
from agent.identity import Principal
from store import messages, turns
from store.pool import Pool
from store.turns import Turn

POLL = 0.2
PACE = 1 / 12
BURST = 3
BEAT = 5.0
GOING = ("queued", "running")
Parts = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Look:
    """How a turn looks now, whether it goes on, and whether its draft rings the bell at the next change."""

    going: bool
    version: int
    parts: Parts
    rings: bool = False


class Tails:
    """Every follower of a turn in this process. `live` finds the draft of a turn that is driven here."""

    def __init__(self, pool: Pool, live: Callable[[UUID], Draft | None], clock: Callable[[], float] = time.monotonic):
        self._pool = pool
        self._live = live
        self._clock = clock
        self._bells: dict[UUID, set[asyncio.Event]] = {}

    def ring(self, turn_id: UUID | None) -> None:
        """Something happened to this turn (or, with None, perhaps to any)."""
        bells = self._bells.get(turn_id, set()) if turn_id else set().union(*self._bells.values())
        for bell in bells:
            bell.set()

    async def follow(self, principal: Principal, turn: Turn, after: int = 0) -> AsyncIterator[Parts]:
        """All parts of the turn whenever they changed since version `after`, and once more when it stops going.

        On average at most 12 times a second, after a quiet while a few times at once, so that what a decision leads to
        is seen as it happens; every 5 seconds the same parts again, so that a quiet connection is known to live.
        """
        with self._bell(turn.id) as bell:
            look = await self._look(principal, turn, None, bell)
            shown, told, due = after, self._clock(), 0.0
            while True:
                if look.version != shown or not look.going or self._clock() - told >= BEAT:
                    shown, told = look.version, self._clock()
                    due = max(due, told - BURST * PACE) + PACE
                    yield look.parts
                if not look.going:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT if look.rings else POLL):
                        await bell.wait()
                await asyncio.sleep(max(0.0, due - self._clock()))
                bell.clear()
                look = await self._look(principal, turn, look, bell)

    async def _look(self, principal: Principal, turn: Turn, last: "_Look | None", bell: asyncio.Event) -> "_Look":
        if draft := self._live(turn.id):
            draft.watch(bell)
            content = draft.content()
            return _Look(True, content.version, content.parts, rings=True)
        try:
            return await self._stored(principal, turn, last)
        except (psycopg.OperationalError, PoolTimeout):  # the database is away for a moment; the turn goes on
            return replace(last, rings=False) if last else _Look(True, 0, [])

    @as_person
    async def _stored(self, principal: Principal, turn: Turn, last: "_Look | None") -> "_Look":
        mine = principal.tenant, principal.subject
        async with self._pool.connection() as connection:
            now = await turns.get(connection, *mine, turn.id)
            said = await messages.changed(connection, *mine, turn.id, last.version if last else None)
        going = now is not None and now.state in GOING
        if said and (last is None or not going or said.version > last.version):
            return _Look(going, said.version, said.parts)
        return replace(last, going=going, rings=False) if last else _Look(going, 0, [])

    @contextmanager
    def _bell(self, turn_id: UUID) -> Iterator[asyncio.Event]:
        bell = asyncio.Event()
        self._bells.setdefault(turn_id, set()).add(bell)
        try:
            yield bell
        finally:
            self._bells[turn_id].discard(bell)
            if not self._bells[turn_id]:
                del self._bells[turn_id]
