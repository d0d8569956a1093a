"""A worker that was frozen past its lease wakes up: it writes nothing, does nothing, and later turns stay."""

import asyncio
import signal

import pytest

from tests.faults.worker import LEASE, new_turn_id

pytestmark = pytest.mark.faults
POINTS = ["K04:1", "K04:2", "K10:2", "K11:2", "K12:2", "K13:1"]


@pytest.mark.parametrize("point", POINTS)
async def test_later_turns_stay_intact(plant, tmp_path, point):
    await plant.put("d-1")
    gate = tmp_path / "gate"
    zombie = plant.start(f"{point}:pause:{gate}")
    ref = await plant.ask("accept", None, "delete d-1", new_turn_id())
    if point != "K04:1":
        await plant.reach(ref, "waiting_approval")
        await plant.approve_all(ref)
    await until_exists(gate.with_suffix(".reached"))
    zombie.signal(signal.SIGSTOP)
    other = plant.start()
    plant.replicas.reverse()
    if await plant.reach(ref, "waiting_approval", "succeeded", revive=False) == "waiting_approval":
        await plant.approve_all(ref)
    await plant.reach(ref, "succeeded", revive=False)
    later = await other.do("accept", ref.conversation_id, "say hello", new_turn_id())
    await plant.reach(later, "succeeded", revive=False)
    zombie.signal(signal.SIGCONT)
    gate.touch()
    await asyncio.sleep(LEASE)
    assert zombie.alive
    last = await other.do("accept", ref.conversation_id, "say goodbye", new_turn_id())
    await plant.reach(last, "succeeded", revive=False)
    said = [m["content"] for m in plant.model.requests[-1].messages if m["role"] == "user"]
    assert said == ["delete d-1", "say hello", "say goodbye"]
    assert [effect["thing"] for effect in await plant.effects()] == ["d-1"]
    assert (await plant.messages(later))[1] == ("assistant", "final", "You said hello, and I say it again.")


async def until_exists(path) -> None:
    for _ in range(1000):
        if path.exists():
            return
        await asyncio.sleep(0.02)
    raise TimeoutError(path)
