"""Stops, drains, poison and lost wake-ups, across processes."""

import asyncio
import signal
import statistics
import time

import pytest

from tests.faults.worker import LEASE, new_turn_id

pytestmark = pytest.mark.faults
SLOW = {"text": " ".join(f"word{n}" for n in range(400)), "rate": 20}


async def spoken(plant, ref) -> None:
    """Wait until some of the answer is in the draft."""
    for _ in range(500):
        said = await plant.messages(ref)
        if len(said) == 2 and "word" in said[1][2]:
            return
        await asyncio.sleep(0.02)
    raise TimeoutError


async def test_killed_while_a_stop_is_committed_the_stop_still_counts(plant):
    plant.start("K19")
    plant.start()
    plant.model.push(SLOW, SLOW)
    ref = await plant.ask("accept", None, "talk", new_turn_id())
    await spoken(plant, ref)
    await plant.ask("cancel", ref.conversation_id, ref.turn_id)
    await plant.reach(ref, "canceled")
    await plant.until_dead(1)
    assert (await plant.messages(ref))[1][1] == "canceled"


async def test_stop_from_another_replica_takes_less_than_a_second(plant):
    first, second = plant.start(), plant.start()
    took = []
    for _ in range(20):
        plant.model.push(SLOW)
        ref = await first.do("accept", None, "talk", new_turn_id())
        await spoken(plant, ref)
        began = time.monotonic()
        await second.do("cancel", ref.conversation_id, ref.turn_id)
        await plant.reach(ref, "canceled", revive=False)
        took.append(time.monotonic() - began)
    print(f"cancel across replicas: median {statistics.median(took):.3f} s, p95 {sorted(took)[18]:.3f} s")
    assert sorted(took)[18] < 1.0


async def test_stop_is_seen_although_the_wake_up_was_lost(plant):
    worker = plant.start()
    plant.model.push(SLOW)
    ref = await worker.do("accept", None, "talk", new_turn_id())
    await spoken(plant, ref)
    await plant.sql("update turns set cancel_requested_at = clock_timestamp()")
    began = time.monotonic()
    await plant.reach(ref, "canceled", revive=False)
    assert time.monotonic() - began < LEASE


async def test_terminated_worker_hands_its_turn_over(plant):
    first = plant.start()
    plant.model.push(SLOW)
    ref = await first.do("accept", None, "say it", new_turn_id())
    await spoken(plant, ref)
    began = time.monotonic()
    first.signal(signal.SIGTERM)
    await asyncio.to_thread(first.process.join, 10)
    assert first.process.exitcode == 0
    assert time.monotonic() - began < 5
    assert await plant.state(ref) == "queued"
    plant.replicas.clear()
    plant.start()
    await plant.reach(ref, "succeeded")
    assert (await plant.messages(ref))[1] == ("assistant", "final", "You said it, and I say it again.")


async def test_message_that_kills_every_worker_ends_as_failed(plant):
    plant.once = plant.folder / "never"
    worker = plant.start("K03")
    ref = await worker.do("accept", None, "say boo", new_turn_id())
    for _ in range(5):
        await asyncio.to_thread(plant.replicas[0].process.join, LEASE + 10)
        plant.once.unlink(missing_ok=True)
        plant.replicas.clear()
        plant.start("K03")
    await plant.reach(ref, "failed", revive=False)
    assert [row["attempt"] for row in await plant.sql("select attempt from turns")] == [5]
    [said] = await plant.sql("select parts from messages where role = 'assistant'")
    assert said["parts"][-1]["metadata"]["code"] == "given_up"
    plant.replicas[0].end()
    plant.replicas.clear()
    healthy = plant.start()
    later = await healthy.do("accept", ref.conversation_id, "say hello", new_turn_id())
    await plant.reach(later, "succeeded", revive=False)


async def test_dead_replica_is_replaced_within_lease_and_three_seconds(plant):
    first = plant.start()
    plant.model.push(SLOW)
    ref = await first.do("accept", None, "say it", new_turn_id())
    await spoken(plant, ref)
    plant.start()
    await asyncio.sleep(1.5)
    first.signal(signal.SIGKILL)
    died = time.monotonic()
    await plant.reach(ref, "succeeded", revive=False)
    assert time.monotonic() - died < LEASE + 3
    assert "word" not in (await plant.messages(ref))[1][2]
