"""PostgreSQL killed again and again while people work on two replicas: nothing acknowledged is lost or doubled."""

import asyncio
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from agent.turns import Decision, Refused
from store.embedded import EmbeddedPostgres
from store.migrate import upgrade
from tests.agent.assembly import ANN
from tests.faults.plant import plant_on
from tests.faults.worker import new_turn_id, running

pytestmark = pytest.mark.faults
PEOPLE = 6
SETTINGS = {"max_connections": "200", "fsync": "off", "full_page_writes": "off"}


@pytest.fixture
def server():
    """A PostgreSQL of this test's own, to be killed."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-chaos-"))
    folder.chmod(0o755)
    embedded = EmbeddedPostgres(folder, settings=SETTINGS)
    yield embedded
    embedded.stop()
    shutil.rmtree(folder, ignore_errors=True)


def kill(server: EmbeddedPostgres) -> None:
    """kill -9 for the postmaster, then a start that recovers."""
    assert server._server is not None
    server._server.send_signal(signal.SIGKILL)
    server._server.wait()
    server.stop()
    server.start()


async def insist(work, *args):
    """Ask until the service is there again; any other refusal is a fault of the product."""
    for _ in range(600):
        try:
            return await work(*args)
        except Refused as refused:
            if refused.code != "unavailable":
                raise
        except psycopg.OperationalError:
            pass
        await asyncio.sleep(0.1)
    raise TimeoutError


class Person:
    """Talks in a conversation of their own, one turn after another, and remembers what was acknowledged."""

    def __init__(self, plant, turns, name: int):
        self.plant = plant
        self.turns = turns
        self.name = name
        self.place: str | None = None
        self.sent: list[tuple[str, str]] = []
        self.deleted: list[str] = []

    async def talk(self, count: int) -> None:
        """So many turns, every third of them a dangerous one."""
        for number in range(count):
            thing = f"d-{self.name * 10_000 + number}"
            if number % 3 == 0:
                await insist(self.plant.put, thing)
                await self.turn(f"delete {thing}", f"It is done: {thing} has been deleted for good.")
                self.deleted.append(thing)
            else:
                await self.turn(f"say {thing}", f"You said {thing}, and I say it again.")

    async def turn(self, text: str, answer: str) -> None:
        """One turn, with its decision, to the end."""
        turn_id = new_turn_id()
        ref = await insist(self.turns.accept, ANN, self.place, text, turn_id)
        self.place = ref.conversation_id
        self.sent.append((text, answer))
        end = time.monotonic() + 120
        while (state := await insist(self.plant.state, ref)) != "succeeded":
            assert state in ("queued", "running", "waiting_approval"), (state, text)
            assert time.monotonic() < end, f"{text!r} is stuck in {state}"
            if state == "waiting_approval":
                for row in await insist(self.plant.pending, ref):
                    decision = Decision(str(row["id"]), "approve", row["card_sha256"].hex())
                    await insist(self.turns.decide, ANN, decision)
            await asyncio.sleep(0.05)


async def chaos(server: EmbeddedPostgres, model, folder: Path, count: int, most: float) -> None:
    """`count` turns by six people on two replicas while the server is killed every 5 to `most` seconds."""
    url = await asyncio.to_thread(server.start)
    await asyncio.to_thread(upgrade, url)
    dice = random.Random(7)
    kills = 0
    async with plant_on(url, model, folder) as plant, running(plant.plan()) as turns:
        plant.start()
        plant.start()
        people = [Person(plant, turns, name) for name in range(1, PEOPLE + 1)]
        working = [asyncio.create_task(person.talk(count // PEOPLE)) for person in people]
        began = time.monotonic()
        while not all(task.done() for task in working):
            await asyncio.wait(working, timeout=dice.uniform(5, most), return_when=asyncio.FIRST_EXCEPTION)
            if any(task.done() and task.exception() for task in working):
                break
            await asyncio.to_thread(kill, server)
            kills += 1
        await asyncio.gather(*working)
        print(f"{count} turns, {kills} kills of PostgreSQL, {time.monotonic() - began:.0f} s")
        assert kills >= 2
        await insist(plant.sql, "select 1")
        for person in people:
            rows = await plant.sql(
                "select role, state, text from messages where conversation_id::text = %s order by seq", person.place
            )
            said = [(row["text"] if row["role"] == "user" else row["text"].split("\n\n")[-1]) for row in rows]
            assert said == [words for pair in person.sent for words in pair]
        done = [effect["thing"] for effect in await plant.effects()]
        assert sorted(done) == sorted(thing for person in people for thing in person.deleted)
        assert all(replica.alive for replica in plant.replicas)


@pytest.mark.timeout(600)
async def test_two_hundred_turns(server, model, tmp_path):
    await chaos(server, model, tmp_path, 200, 12.0)


@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_a_thousand_turns(server, model, tmp_path):
    await chaos(server, model, tmp_path, 1000, 40.0)
