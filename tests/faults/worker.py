"""A replica as a process of its own, forked from a server that has everything imported; it dies like a real one."""

import asyncio
import logging
import multiprocessing
import os
import signal
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from pydantic import SecretStr

from agent.approvals import Decision
from agent.failpoints import Failpoints
from agent.guards import Limits
from agent.keys import KeyRing
from agent.model import ModelClient
from agent.models.provider import Provider
from agent.turns import Refused, Turns
from store.pool import open_pool
from tests.agent.assembly import ANN, OfferAll
from tests.agent.bench import KEYS
from tests.faults.wiretools import NoIdentity, WireTools
from tools.client import BackendClient

LEASE = 2.0
FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["tests.faults.worker", "tests.faults.backend"])


@dataclass(frozen=True)
class Plan:
    """What a replica is made of; `environ` is where failpoints are read from."""

    database_url: str
    backend_url: str
    model_url: str
    lease: float = LEASE
    environ: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits(backoff=0.05, retries=1, request=20.0))
    keys: str = KEYS.spec
    retry_budget: float = 20.0


@asynccontextmanager
async def running(plan: Plan, *, size: int = 10, wait: float = 10.0) -> AsyncIterator[Turns]:
    """The product in this process, with a real provider's client and the scripted backend."""
    pool = await open_pool(plan.database_url, max_size=size, wait=wait, idle_transaction=plan.lease)
    client = BackendClient(plan.backend_url, NoIdentity(), retry_budget=plan.retry_budget, timeout=3.0)
    provider = Provider(model="scripted", api_key=SecretStr("key"), base_url=plan.model_url, merge=plan.limits.merge)
    model = ModelClient(provider.chat(), "scripted", plan.limits)
    turns = Turns(
        pool=pool,
        url=plan.database_url,
        keys=KeyRing(plan.keys),
        toolset=WireTools(client),
        router=OfferAll(),
        model=model,
        run_limits=plan.limits,
        lease_seconds=plan.lease,
        turns_per_minute=100_000,
        running_per_person=100_000,
        failpoints=Failpoints.from_environment(plan.environ),
    )
    await turns.start()
    yield turns
    await turns.drain(1.0)
    await client.aclose()
    await model.aclose()
    await pool.close()


class Replica:
    """A running worker process. `do` is what a client's request to this replica does."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self._ours, theirs = FORK.Pipe()
        self.process = FORK.Process(target=_main, args=(plan, theirs), daemon=True)
        self.process.start()
        theirs.close()

    @property
    def alive(self) -> bool:
        """Whether it has not died."""
        return self.process.is_alive()

    async def do(self, method: str, *args: Any) -> Any:
        """Call a method of the replica's `Turns` as Ann; raises `ConnectionError` if it dies meanwhile."""
        try:
            self._ours.send((method, args))
            return await asyncio.to_thread(self._ours.recv)
        except (EOFError, OSError):
            raise ConnectionError("the replica died") from None

    def signal(self, number: int) -> None:
        """Send it a signal."""
        if self.process.pid:
            os.kill(self.process.pid, number)

    def end(self) -> None:
        """Kill it if it still runs."""
        if self.alive:
            self.signal(signal.SIGCONT)
            self.process.kill()
        self.process.join(10)
        self._ours.close()


def _main(plan: Plan, connection: Connection) -> None:
    logging.disable(logging.CRITICAL)
    asyncio.run(_serve(plan, connection))


async def _serve(plan: Plan, connection: Connection) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with running(plan) as turns:
        serving = asyncio.create_task(_answer(turns, connection))
        await stop.wait()
        serving.cancel()


async def _answer(turns: Turns, connection: Connection) -> None:
    asked = asyncio.Event()
    asyncio.get_running_loop().add_reader(connection.fileno(), asked.set)
    while True:
        await asked.wait()
        asked.clear()
        while connection.poll():
            method, args = connection.recv()
            connection.send(await _done(turns, method, args))


async def _done(turns: Turns, method: str, args: tuple[Any, ...]) -> Any:
    try:
        if method == "accept":
            return await turns.accept(ANN, *args)
        if method == "decide":
            return (await turns.decide(ANN, Decision(*args))).state
        return await getattr(turns, method)(ANN, *args)
    except Refused as refused:
        return refused.code


def new_turn_id() -> str:
    """What a client makes before it sends."""
    return uuid.uuid4().hex
