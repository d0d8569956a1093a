"""Everything a fault is tried on: a database, a model server, a backend process, replicas, and a view into all."""

import asyncio
import json
import socket
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import rfc8785
from psycopg.rows import dict_row

from agent.turns import TurnRef
from store.invariants import Effect, violations
from store.pool import Pool, open_pool
from tests.agent.bench import ANN, KEYS
from tests.faults import backend
from tests.faults.worker import FORK, Plan, Replica
from tests.wire.server import WireServer

PATIENCE = 25.0


class Plant:
    """One test's plant. `revive` restarts what died, without its failpoint, as an operator's system would.

    `recoveries` are the seconds from each death to the state that was waited for.
    """

    def __init__(self, url: str, pool: Pool, model: WireServer, folder: Path):
        self.url = url
        self.pool = pool
        self.model = model
        self.folder = folder
        self.replicas: list[Replica] = []
        self.deaths = 0
        self.died: float | None = None
        self.recoveries: list[float] = []
        self.once = folder / "once"
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._backend: Any = None
        self.http = httpx.AsyncClient(base_url=self.backend_url, trust_env=False)

    @property
    def backend_url(self) -> str:
        """Where the scripted backend listens; the same after a restart."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def plan(self, **changes: Any) -> Plan:
        """What a replica of this plant is made of."""
        return Plan(self.url, self.backend_url, self.model.url, **changes)

    def start_backend(self, trap: str = "") -> None:
        """Start the backend, perhaps with a trap in it."""
        args = (self.url, self._listener, trap, str(self.once))
        self._backend = FORK.Process(target=backend.serve, args=args, daemon=True)
        self._backend.start()

    def start(self, failpoint: str = "", **changes: Any) -> Replica:
        """Start a replica, perhaps with a failpoint in it."""
        environ = {"FAILPOINTS": "test", "FAILPOINT": failpoint, "FAILPOINT_ONCE": str(self.once)} if failpoint else {}
        replica = Replica(self.plan(environ=environ, **changes))
        self.replicas.append(replica)
        return replica

    def revive(self) -> None:
        """Put a new process in the place of each that died."""
        for place, replica in enumerate(self.replicas):
            if not replica.alive:
                self._mourn()
                replica.end()
                self.replicas[place] = Replica(self.plan())
        if self._backend is not None and not self._backend.is_alive():
            self._mourn()
            self.start_backend()

    def _mourn(self) -> None:
        self.deaths += 1
        self.died = time.monotonic()

    async def until_dead(self, deaths: int, seconds: float = 5.0) -> None:
        """Wait until that many processes have died and were restarted; raises `TimeoutError`."""
        for _ in range(int(seconds / 0.02)):
            self.revive()
            if self.deaths >= deaths:
                return
            await asyncio.sleep(0.02)
        raise TimeoutError(f"{self.deaths} processes died, not {deaths}")

    async def ask(self, method: str, *args: Any) -> Any:
        """Ask the first replica; a client whose server dies asks again."""
        while True:
            try:
                return await self.replicas[0].do(method, *args)
            except ConnectionError:
                self.revive()

    async def put(self, thing: str) -> None:
        """Place a thing in the backend."""
        await self.sql("insert into backend.things (id, name) values (%s, %s)", thing, thing)

    async def sql(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Rows of a query, whatever was restarted meanwhile."""
        async with self.pool.connection() as connection:
            rows = await connection.execute(query, values)  # type: ignore[arg-type]
            return await rows.fetchall() if rows.description else []

    async def state(self, ref: TurnRef) -> str:
        """The state of a turn."""
        rows = await self.sql("select state from turns where client_turn_id = %s", ref.turn_id)
        return rows[0]["state"]

    async def reach(self, ref: TurnRef, *states: str, revive: bool = True, seconds: float = PATIENCE) -> str:
        """Wait until the turn is in one of these states; what dies meanwhile is restarted."""
        end = time.monotonic() + seconds
        while (state := await self.state(ref)) not in states:
            if time.monotonic() > end:
                raise TimeoutError(f"the turn is {state}, not {states}")
            if revive:
                self.revive()
            await asyncio.sleep(0.02)
        if self.died is not None:
            self.recoveries.append(time.monotonic() - self.died)
            self.died = None
        return state

    async def pending(self, ref: TurnRef) -> list[dict[str, Any]]:
        """The pending approvals of a turn."""
        return await self.sql(
            """select a.* from approvals a join turns t on t.id = a.turn_id
            where t.client_turn_id = %s and a.state = 'pending' order by a.created_at""",
            ref.turn_id,
        )

    async def approve_all(self, ref: TurnRef) -> None:
        """Approve every pending card, twice, as two tabs would."""
        for row in await self.pending(ref):
            for _ in range(2):
                await self.ask("decide", str(row["id"]), "approve", row["card_sha256"].hex())

    async def effects(self) -> list[dict[str, Any]]:
        """What the backend did: key and what."""
        rows = await self.sql("select key, what from backend.effects order by id")
        return [{"key": row["key"], **json.loads(row["what"])} for row in rows]

    async def messages(self, ref: TurnRef) -> list[tuple[str, str, str]]:
        """(role, state, text) of the turn's messages."""
        rows = await self.sql(
            """select m.role, m.state, m.text from messages m join turns t on t.id = m.turn_id
            where t.client_turn_id = %s order by m.seq""",
            ref.turn_id,
        )
        return [(row["role"], row["state"], row["text"]) for row in rows]

    async def faults(self) -> list[str]:
        """Broken invariants."""
        done = [effect for effect in await self.effects() if effect["key"].startswith("ap-")]
        effects = [
            Effect(uuid.UUID(effect["key"][3:]), ANN, rfc8785.dumps({"thing": effect["thing"]})) for effect in done
        ]
        async with self.pool.connection() as connection:
            return await violations(connection, effects, canaries=["jwt-of-Ann", KEYS.spec[3:]])

    async def close(self) -> None:
        """End all processes."""
        await self.http.aclose()
        for replica in self.replicas:
            replica.end()
        if self._backend is not None:
            self._backend.kill()
            self._backend.join(10)
        self._listener.close()


@asynccontextmanager
async def plant_on(url: str, model: WireServer, folder: Path, trap: str = "") -> AsyncIterator[Plant]:
    """A plant on this database with a running backend; invariants are checked at the end."""
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection:
        connection.execute(backend.SCHEMA)  # type: ignore[arg-type]
    pool = await open_pool(url, max_size=6)
    made = Plant(url, pool, model, folder)
    made.start_backend(trap)
    try:
        yield made
        assert await made.faults() == []
    finally:
        await made.close()
        await pool.close()
