"""A backend that breaks around the effect: one effect, and the transcript tells the truth."""

import pytest

from agent.turns import Decision, TurnRef, Turns
from tests.agent.assembly import ANN, cards
from tests.faults.worker import new_turn_id, running

pytestmark = pytest.mark.faults


class Front:
    """The product in this process, on a plant."""

    def __init__(self, plant, turns: Turns):
        self.plant = plant
        self.turns = turns

    async def say(self, text: str) -> tuple[TurnRef, list]:
        """Send, approve what is asked, follow to the end."""
        ref = await self.turns.accept(ANN, None, text, new_turn_id())
        while True:
            frames = [parts async for parts in self.turns.tail(ANN, ref.conversation_id, ref.turn_id)]
            if await self.plant.state(ref) != "waiting_approval":
                return ref, frames[-1]
            await self.approve(cards(frames[-1]))

    async def approve(self, shown: list) -> None:
        """Sign every card."""
        for card in shown:
            approval = card["metadata"]["approval"]
            await self.turns.decide(ANN, Decision(approval["id"], "approve", approval["card_sha256"]))


@pytest.fixture
async def front(plant):
    """A front with little patience for its backend."""
    await plant.put("d-1")
    async with running(plant.plan(retry_budget=4.0)) as turns:
        yield Front(plant, turns)


@pytest.mark.parametrize("request_", ["delete d-1", "rename d-1"])
@pytest.mark.parametrize("mode", ["drop", "error", "busy", "slow_down", "deaf", "hang"])
async def test_a_passing_failure_costs_neither_the_effect_nor_a_second_one(front, mode, request_):
    await front.plant.http.post("/misbehave", json={"mode": mode, "times": 1})
    ref, parts = await front.say(request_)
    assert await front.plant.state(ref) == "succeeded"
    assert len(await front.plant.effects()) == 1
    assert cards(parts, "tool_error") == []
    seen = (await front.plant.http.get("/requests")).json()
    assert len({r["key"] for r in seen if r["key"]}) == 1


@pytest.mark.parametrize("mode", ["late", "dated"])
async def test_a_wait_that_the_backend_asks_for_is_kept(front, mode):
    await front.plant.http.post("/misbehave", json={"mode": mode, "times": 1})
    ref, parts = await front.say("rename d-1")
    assert await front.plant.state(ref) == "succeeded"
    assert cards(parts, "tool_error") == []
    first, second = (r["at"] for r in (await front.plant.http.get("/requests")).json() if r["key"])
    assert second - first >= 0.95
    assert len(await front.plant.effects()) == 1


@pytest.mark.parametrize("request_", ["delete d-1", "rename d-1"])
@pytest.mark.parametrize("mode", ["drop", "error"])
async def test_outcome_that_stays_unknown_is_told_as_unknown(front, mode, request_):
    await front.plant.http.post("/misbehave", json={"mode": mode, "times": 1000})
    ref, parts = await front.say(request_)
    assert await front.plant.state(ref) == "succeeded"
    assert len(await front.plant.effects()) == 1
    [failed] = cards(parts, "tool_error")
    assert failed["metadata"]["summary"] == "outcome unknown"
    said = (await front.plant.messages(ref))[1][2]
    assert "It did not work" in said
    assert "outcome unknown" in said
    for row in await front.plant.sql("select state, result from approvals"):
        assert (row["state"], row["result"]["outcome_unknown"]) == ("failed", True)


async def test_backend_that_is_gone_is_told_and_nothing_ran(front):
    front.plant._backend.kill()
    front.plant._backend.join()
    front.plant._listener.close()
    ref, parts = await front.say("rename d-1")
    assert await front.plant.state(ref) == "succeeded"
    assert await front.plant.effects() == []
    [failed] = cards(parts, "tool_error")
    assert failed["metadata"]["summary"].startswith("refused")
