"""Who may work on a turn: a lease that is kept alive beside the event loop, and given up before it runs out.

The database's clock decides who owns a turn. This process stops on its own by a monotonic clock, without asking
the database: a frozen server or a paused process must not leave two workers acting for one turn.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

import psycopg

from store import heartbeat

MARGIN = 5.0
WATCH = 0.1


class LeaseLost(Exception):  # noqa: N818
    """Another worker may own the turn by now: nothing more may be written or called for it."""


@dataclass(eq=False)
class Lease:
    """The right to work on one turn. `lost` and `cancel` are events of the event loop that owns the lease."""

    turn_id: UUID
    fence: int
    ends: float
    clock: Callable[[], float] = time.monotonic
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    cancel: asyncio.Event = field(default_factory=asyncio.Event)

    def check(self) -> None:
        """Raise `LeaseLost` unless the turn is surely still ours; asked before each effect."""
        if self.lost.is_set() or self.clock() >= self.ends:
            self.lost.set()
            raise LeaseLost


class Heartbeat:
    """Keeps the leases of this process alive, from a thread and a connection of their own.

    A blocked event loop or an exhausted pool therefore costs no lease, and a lease that could not be renewed in
    time is lost here before the database gives it away.
    """

    def __init__(self, url: str, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._url = url
        self._seconds = seconds
        self._usable = seconds - min(MARGIN, seconds / 4)
        self._clock = clock
        self._leases: dict[UUID, Lease] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopped = False
        self._thread: threading.Thread | None = None
        self._watch: asyncio.Task[None] | None = None
        self._connection: psycopg.Connection | None = None

    def start(self) -> None:
        """Begin to beat; call it in the event loop that will hold the leases."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._beat_on, name="heartbeat", daemon=True)
        self._thread.start()
        self._watch = asyncio.create_task(self._watch_on())

    async def stop(self) -> None:
        """End the thread and close its connection; waits for a beat in flight."""
        self._stopped = True
        self._wake.set()
        if self._watch:
            self._watch.cancel()
        if self._thread:
            await asyncio.to_thread(self._thread.join, 5.0)

    def hold(self, turn_id: UUID, fence: int, claimed: float) -> Lease:
        """A lease for a turn that was claimed at `claimed` (this object's clock, read before the claim)."""
        lease = Lease(turn_id, fence, claimed + self._usable, self._clock)
        with self._lock:
            self._leases[turn_id] = lease
        return lease

    def drop(self, lease: Lease) -> None:
        """Stop keeping this lease."""
        with self._lock:
            if self._leases.get(lease.turn_id) is lease:
                del self._leases[lease.turn_id]

    def cancel(self, turn_ids: Iterable[UUID]) -> None:
        """Tell the holders that these turns are to be cancelled, if they are held here."""
        for lease in self._held():
            if lease.turn_id in turn_ids:
                lease.cancel.set()

    def beat_now(self) -> None:
        """Ask the database at once: wake-ups may have been missed."""
        self._wake.set()

    def _held(self) -> list[Lease]:
        with self._lock:
            return list(self._leases.values())

    async def _watch_on(self) -> None:
        while True:
            for lease in self._held():
                with suppress(LeaseLost):
                    lease.check()
            await asyncio.sleep(min(WATCH, self._seconds / 20))

    def _beat_on(self) -> None:
        while not self._stopped:
            self._wake.wait(self._seconds / 3)
            self._wake.clear()
            with suppress(psycopg.Error, OSError):
                self._beat()
        if self._connection:
            self._connection.close()

    def _beat(self) -> None:
        held = self._held()
        if not held or self._stopped:
            return
        before = self._clock()
        answers = heartbeat.beat(self._connected(), [(one.turn_id, one.fence) for one in held], self._seconds)
        for lease in held:
            self._loop.call_soon_threadsafe(self._told, lease, answers.get(lease.turn_id), before)

    def _told(self, lease: Lease, cancel: bool | None, before: float) -> None:
        if cancel is None:
            lease.lost.set()
            return
        lease.ends = before + self._usable
        if cancel:
            lease.cancel.set()

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = heartbeat.connect(self._url, timeout=self._seconds / 3)
        return self._connection
