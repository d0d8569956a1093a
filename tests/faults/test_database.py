"""A database that goes away, cuts connections, or is exhausted: turns end well and nothing acknowledged is lost."""

import asyncio
from dataclasses import replace

import pytest

from agent.turns import Decision, Refused
from tests.agent.assembly import ANN
from tests.faults.proxy import CommitCutter
from tests.faults.worker import new_turn_id, running

pytestmark = pytest.mark.faults
ANSWER = "Looking first.\n\nIt is done: d-1 has been deleted for good."


async def patiently(work, *args):
    """What a client does while the service is unavailable: the same again."""
    for _ in range(100):
        try:
            return await work(*args)
        except Refused as refused:
            if refused.code != "unavailable":
                raise
            await asyncio.sleep(0.05)
    raise TimeoutError


async def delete_d1(plant, turns, turn_id):
    """One whole turn with a decision, through whatever stands between."""
    ref = await patiently(turns.accept, ANN, None, "delete d-1", turn_id)
    await plant.reach(ref, "waiting_approval", revive=False)
    for row in await plant.pending(ref):
        await patiently(turns.decide, ANN, Decision(str(row["id"]), "approve", row["card_sha256"].hex()))
    await plant.reach(ref, "succeeded", revive=False)
    return ref


@pytest.mark.parametrize("number", range(1, 25))
async def test_connection_cut_between_a_commit_and_its_answer(plant, number):
    await plant.put("d-1")
    async with CommitCutter(plant.url, {number}) as cutter:
        async with running(replace(plant.plan(), database_url=cutter.url)) as turns:
            ref = await delete_d1(plant, turns, new_turn_id())
        assert cutter.cuts == 1
    assert [role for role, _, _ in await plant.messages(ref)] == ["user", "assistant"]
    assert (await plant.messages(ref))[1] == ("assistant", "final", ANSWER)
    assert [effect["thing"] for effect in await plant.effects()] == ["d-1"]
    assert len(plant.model.requests) <= 3


async def test_all_connections_killed_in_the_middle_of_an_answer(plant):
    worker = plant.start()
    plant.model.push({"text": " ".join(f"word{n}" for n in range(60)), "rate": 20})
    ref = await worker.do("accept", None, "talk", new_turn_id())
    for _ in range(3):
        await asyncio.sleep(0.6)
        await plant.sql(
            """select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()"""
        )
    await plant.reach(ref, "succeeded", revive=False)
    said = (await plant.messages(ref))[1][2]
    assert said.endswith("word59") or said.startswith("You said")
    plant.model.push({"text": " ".join(f"word{n}" for n in range(400)), "rate": 20})
    ref = await worker.do("accept", ref.conversation_id, "talk", new_turn_id())
    await asyncio.sleep(3.0)
    await worker.do("cancel", ref.conversation_id, ref.turn_id)
    await plant.reach(ref, "canceled", revive=False, seconds=1.5)


async def test_exhausted_pool_refuses_clearly(plant):
    async with running(plant.plan(), size=1, wait=0.3) as turns:
        async with turns._pool.connection():
            for attempt in (turns.accept(ANN, None, "say hello", "t1"), turns.conversations(ANN), turns.pending(ANN)):
                with pytest.raises(Refused) as caught:
                    await attempt
                assert (caught.value.status, caught.value.code) == (503, "unavailable")
                assert caught.value.retry_after
        assert await patiently(turns.conversations, ANN) == []


async def test_turn_accepted_while_nobody_listens_is_found_by_polling(plant):
    worker = plant.start()
    ref = await worker.do("accept", None, "say hello", new_turn_id())
    await plant.reach(ref, "succeeded", revive=False)
    await plant.sql("select pg_terminate_backend(pid) from pg_stat_activity where starts_with(lower(query), 'listen')")
    ref = await worker.do("accept", ref.conversation_id, "say more", new_turn_id())
    await plant.reach(ref, "succeeded", revive=False, seconds=4)
