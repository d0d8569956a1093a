"""Two replicas of the whole product behind nginx: any turn goes on at the other, whatever happens to the first."""

import asyncio
import json
import signal
import time
import uuid
from base64 import b64encode
from contextlib import ExitStack, suppress

import httpx
import pytest

from agent.keys import KeyRing
from store.invariants import violations
from store.pool import open_pool
from tests.clients.chats import of, words
from tests.clients.product import Product, product
from tests.faults.balancer import Balancer
from tests.faults.browser import Tab

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]
LEASE = 4.0
SECRETS = "k1:" + b64encode(bytes(range(32))).decode()
QUESTION = "Which dashboards are in stage?"
SETTINGS = {"APP_SECRETS": SECRETS, "LEASE_SECONDS": str(LEASE), "DEMO_TOKENS_PER_SECOND": "25"}


class Site:
    """Replicas behind nginx. `here` and `there` are a person's tabs at the one and at the other."""

    def __init__(self, balancer: Balancer, replicas: list[Product], pool):
        self.balancer = balancer
        self.replicas = replicas
        self.pool = pool
        for replica in replicas:
            replica.keys = KeyRing(SECRETS)
        jwt = replicas[0].token("anna")
        self.here, self.there = (
            Tab(balancer.url, balancer.agent_of(replica.url.removeprefix("http://")), jwt) for replica in replicas
        )

    async def begin(self) -> "Talk":
        """Send a message to the first replica, let it and not the other drive the turn, wait for the first words."""
        self.replicas[1].process.send_signal(signal.SIGSTOP)
        try:
            talk = Talk(self.here, QUESTION)
            await talk.spoken.wait()
        finally:
            self.replicas[1].process.send_signal(signal.SIGCONT)
        return talk

    async def state(self, turn_id: str, *states: str, attempt: int = 0) -> str:
        """The state of a turn once it is one of these, in its nth attempt or later."""
        async with asyncio.timeout(60):
            while True:
                async with self.pool.connection() as connection:
                    query = "select state, attempt from turns where client_turn_id = %s"
                    row = await (await connection.execute(query, (turn_id,))).fetchone()
                if row and row["state"] in states and row["attempt"] >= attempt:
                    return row["state"]
                await asyncio.sleep(0.02)


class Talk:
    """One turn that a tab follows."""

    def __init__(self, tab: Tab, message: str):
        self.turn_id = uuid.uuid4().hex
        self.frames: list = []
        self.place = ""
        self.spoken = asyncio.Event()
        self.following = asyncio.create_task(self._follow(tab, message))

    async def _follow(self, tab: Tab, message: str) -> None:
        async for parts in tab.updates(message=message, turn_id=self.turn_id):
            self.place = self.place or parts[0]["content"]
            self.frames.append(parts)
            if words(parts):
                self.spoken.set()

    async def over(self) -> None:
        """The stream has ended; the server may have gone away from under it."""
        with suppress(httpx.HTTPError, ValueError):
            await self.following


def assert_grows(frames: list) -> None:
    """Each update has the words of the one before, and more behind them: once and in order."""
    said = [words(parts) for parts in frames]
    assert all(later.startswith(earlier) for earlier, later in zip(said, said[1:], strict=False))


def whole(parts: list) -> str:
    """The words of an answer that is complete."""
    rows = of("tool_end", parts)[0]["metadata"]["data"]["rows"]
    assert rows[9][1] in words(parts)
    assert words(parts).count(rows[9][1]) == 1
    return words(parts)


@pytest.fixture
async def site(database_url, tmp_path):
    tmp_path.chmod(0o755)
    with ExitStack() as ends:
        replicas = [ends.enter_context(product(database_url, **SETTINGS)) for _ in range(2)]
        addresses = [replica.url.removeprefix("http://") for replica in replicas]
        pool = await open_pool(database_url, max_size=3)
        made = Site(ends.enter_context(Balancer(tmp_path, addresses)), replicas, pool)
        yield made
        for tab in (made.here, made.there):
            await tab.http.aclose()
        async with pool.connection() as connection:
            assert await violations(connection, canaries=[replicas[0].token("anna"), SECRETS[3:]]) == []
        await pool.close()


async def test_a_turn_is_followed_decided_and_stopped_at_the_other_replica(site):
    talk = await site.begin()
    seen = max(part["metadata"]["seq"] for part in talk.frames[-1])
    again = [parts async for parts in site.there.updates(action="attach", conversation_id=talk.place)]
    await talk.following
    assert_grows(talk.frames)
    assert_grows(again)
    assert max(part["metadata"]["seq"] for part in again[-1]) > seen
    assert whole(again[-1]) == whole(talk.frames[-1])

    board = next(iter(site.replicas[0].boards()))
    ask = await site.here.last(message=f"delete dashboard {board}", conversation_id=talk.place)
    [card] = of("confirm_required", ask)
    approval = card["metadata"]["approval"]
    decision = json.dumps({"approval_id": approval["id"], "card_sha256": approval["card_sha256"]})
    done = await site.there.last(action="confirm", conversation_id=talk.place, decision=decision)
    assert of("confirm_resolved", done)[0]["metadata"]["approval"]["state"] == "consumed"
    assert board not in site.replicas[1].boards()

    talk = await site.begin()
    began = time.monotonic()
    await site.there.last(action="cancel", conversation_id=talk.place)
    assert await site.state(talk.turn_id, "canceled") == "canceled"
    print(f"stopped at the other replica in {time.monotonic() - began:.2f} s")
    await talk.following
    assert_grows(talk.frames)


async def test_a_replica_that_is_stopped_hands_its_turn_over_and_nothing_is_cancelled(site):
    talk = await site.begin()
    site.replicas[0].process.send_signal(signal.SIGTERM)
    await talk.over()
    again = [parts async for parts in site.here.updates(message=QUESTION, turn_id=talk.turn_id)]
    assert await site.state(talk.turn_id, "succeeded", "canceled") == "succeeded"
    assert_grows([*talk.frames, *again])
    assert whole(again[-1])
    assert whole(await site.there.last(action="attach", conversation_id=talk.place)) == whole(again[-1])


async def test_a_replica_that_is_killed_is_replaced_within_the_lease_and_three_seconds(site):
    talk = await site.begin()
    site.replicas[0].process.kill()
    died = time.monotonic()
    await talk.over()
    assert await site.state(talk.turn_id, "running", "succeeded", attempt=2)
    recovered = time.monotonic() - died
    print(f"another replica went on {recovered:.2f} s after the kill")
    assert recovered < LEASE + 3
    again = [parts async for parts in site.here.updates(message=QUESTION, turn_id=talk.turn_id)]
    assert await site.state(talk.turn_id, "succeeded") == "succeeded"
    assert_grows(again)
    assert whole(again[-1])
    assert whole(await site.there.last(action="attach", conversation_id=talk.place)) == whole(again[-1])
