"""Claims turns and drives each in a task of its own, hears wake-ups, reaps what dead processes left."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar
from uuid import UUID, uuid4

import psycopg
from psycopg_pool import PoolTimeout

from agent.driver import Driver
from agent.failpoints import Failpoints
from agent.leases import Heartbeat, Lease
from store import leases, reaper
from store.notify import Channel, Listener, Notice
from store.person import SERVICE, act_for
from store.pool import Pool, lent
from store.turns import Turn

log = logging.getLogger(__name__)
T = TypeVar("T")
LISTEN = 2.0
GIVING_BACK = 3.0
AWAY = (psycopg.OperationalError, PoolTimeout)
GIVEN_UP = {
    "en": "The answer was interrupted five times and was given up. Your message is saved; try again.",
    "ru": "Ответ прерывался пять раз, дальше он не продолжается. Сообщение сохранено, попробуйте ещё раз.",
}


class Worker:
    """The turns of this process, which it drives as the service: whatever it starts inherits that.

    `seconds` is the lease, `capacity` how many turns it drives at once.
    """

    def __init__(
        self,
        *,
        pool: Pool,
        url: str,
        drive: Callable[[Turn, Lease], Driver],
        ended: Callable[[UUID | None], None],
        seconds: float = 30.0,
        run_seconds: float = 600.0,
        capacity: int = 100,
        poll: float = 1.0,
        reap_every: float = 10.0,
        failpoints: Failpoints | None = None,
    ):
        self._pool = pool
        self._drive = drive
        self._ended = ended
        self._seconds = seconds
        self._run_seconds = run_seconds
        self._capacity = capacity
        self._poll = poll
        self._reap_every = min(reap_every, seconds)
        self._failpoints = failpoints or Failpoints()
        self._name = uuid4().hex
        self._heartbeat = Heartbeat(url, seconds)
        self._listener = Listener(url, self._hear)
        self._work = asyncio.Event()
        self._listening = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._services: list[asyncio.Task[Any]] = []
        self.drivers: dict[UUID, Driver] = {}

    async def start(self) -> None:
        """Reap, then begin to listen and to claim; a database that is away for now is waited for in the background."""
        with act_for(SERVICE):
            await self._begin()

    async def _begin(self) -> None:
        await _steadily(self.reap)
        self._heartbeat.start()
        self._services = [asyncio.create_task(self._listener.run())]
        with suppress(TimeoutError):
            async with asyncio.timeout(LISTEN):
                await self._listening.wait()
        self._services += [asyncio.create_task(service) for service in (self._claim_on(), self._reap_on())]

    async def drain(self, grace: float) -> None:
        """Claim no more; let running steps end for `grace` seconds, then give the turns back as they are.

        A call on its way has a little longer: what came of it is worth more than what a model said.
        """
        for service in self._services[1:]:
            service.cancel()
        for driver in self.drivers.values():
            driver.drain()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for driver in self.drivers.values():
            driver.give_back()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=min(grace, GIVING_BACK))
        await self._stop()

    async def reap(self) -> None:
        """End what nobody can finish, expire what nobody decided."""
        await self._failpoints.reach("K18")
        notices = {lang: _given_up(text) for lang, text in GIVEN_UP.items()}
        async with lent(self._pool, SERVICE) as connection:
            reaped = await reaper.reap(connection, notices)
        if reaped.failed or reaped.expired:
            log.info("reaped", extra={"failed": len(reaped.failed), "expired": len(reaped.expired)})

    def wake(self) -> None:
        """Look for work now."""
        self._work.set()

    def cancel(self, turn_id: UUID) -> None:
        """Stop a turn if it is driven here."""
        self._heartbeat.cancel([turn_id])

    async def _stop(self) -> None:
        for task in (*self._services, *self._tasks):
            task.cancel()
        await asyncio.gather(*self._services, *self._tasks, return_exceptions=True)
        await self._heartbeat.stop()

    async def _claim_on(self) -> None:
        while True:
            self._work.clear()
            full = len(self.drivers) >= self._capacity
            if full or not await _steadily(self._claim):
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._poll):
                        await self._work.wait()

    async def _claim(self) -> bool:
        before = time.monotonic()
        async with self._pool.connection() as connection:
            turn = await leases.claim(connection, self._name, seconds=self._seconds, run_seconds=self._run_seconds)
        if turn is None:
            return False
        await self._failpoints.reach("K02")
        lease = self._heartbeat.hold(turn.id, turn.fence, before)
        driver = self._drive(turn, lease)
        self.drivers[turn.id] = driver
        self._background(self._run(driver, turn, lease))
        return True

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, driver: Driver, turn: Turn, lease: Lease) -> None:
        try:
            await driver.run()
        except Exception:
            log.exception("a turn could not be driven", extra={"turn_id": str(turn.id)})
        finally:
            self._heartbeat.drop(lease)
            full = len(self.drivers) >= self._capacity
            if self.drivers.get(turn.id) is driver:
                del self.drivers[turn.id]
            self._ended(turn.id)
            if full:
                self.wake()

    async def _reap_on(self) -> None:
        while True:
            await asyncio.sleep(self._reap_every)
            await _steadily(self.reap)

    def _hear(self, notice: Notice) -> None:
        if notice.id is None:
            self._listening.set()
        if notice.channel is Channel.WORK:
            self.wake()
        elif notice.channel is Channel.CANCEL:
            self._heartbeat.beat_now() if notice.id is None else self.cancel(notice.id)
        elif notice.channel is Channel.DECIDED:
            for driver in self.drivers.values():
                self._background(_redraw(driver))
        elif notice.channel is Channel.CHANGED:
            self._ended(notice.id)


async def _steadily(step: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
    """One step of a service that goes on as long as the process does, whatever goes wrong in it."""
    try:
        return await step()
    except AWAY:
        return None
    except Exception:
        log.exception("the worker goes on after an error")
        return None


async def _redraw(driver: Driver) -> None:
    with suppress(*AWAY):
        await driver.redraw()


def _given_up(text: str) -> dict[str, Any]:
    meta = {"type": "error", "id": "given-up", "seq": 0, "status": "done", "code": "given_up", "retry": True}
    return {"role": "assistant", "content": text, "metadata": meta}
