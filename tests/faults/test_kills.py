"""kill -9 at every named point: one effect, one answer, nothing lost, nothing stuck."""

import pytest

from tests.faults.plant import plant_on
from tests.faults.worker import LEASE, new_turn_id

pytestmark = pytest.mark.faults
ANSWER = "It is done: d-1 has been deleted for good."
POINTS = [
    *("K01", "K02:1", "K02:2", "K03:1", "K03:2", "K04:1", "K04:2", "K05", "K06", "K07", "K08", "K08b", "K09"),
    *("K10:1", "K10:2", "K11:1", "K11:2", "K12:1", "K12:2", "K13", "K14", "K15", "K16:1", "K16:4", "K16:8"),
    *("K17:1", "K17:2", "K17:4", "K18:1", "K18:2"),
    *(f"S1:{n}" for n in range(1, 7)),
    *(f"S2:{n}" for n in range(1, 7)),
    *("B1", "B2", "B3", "B4"),
]


@pytest.mark.parametrize("point", POINTS)
async def test_killed_once_the_turn_ends_as_if_nothing_had_happened(database_url, model, tmp_path, point):
    await killed_at(point, database_url, model, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("time", range(2, 21))
@pytest.mark.parametrize("point", POINTS)
async def test_killed_again_and_again(database_url, model, tmp_path, point, time):
    await killed_at(point, database_url, model, tmp_path)


def test_there_are_enough_points():
    assert len(set(POINTS)) == len(POINTS) >= 34


async def killed_at(point, database_url, model, tmp_path):
    in_backend = point.startswith("B")
    async with plant_on(database_url, model, tmp_path, point if in_backend else "") as plant:
        await plant.put("d-1")
        plant.start("" if in_backend else point)
        turn_id = new_turn_id()
        ref = await plant.ask("accept", None, "delete d-1", turn_id)
        await plant.reach(ref, "waiting_approval")
        await plant.approve_all(ref)
        await plant.reach(ref, "succeeded")
        await plant.until_dead(1)
        assert await plant.messages(ref) == [
            ("user", "final", "delete d-1"),
            ("assistant", "final", f"Looking first.\n\n{ANSWER}"),
        ]
        assert [effect["thing"] for effect in await plant.effects()] == ["d-1"]
        approvals = await plant.sql("select state from approvals")
        assert [row["state"] for row in approvals] == ["consumed"]
        assert len(model.requests) <= 3
        assert model.refusals == []
        print(f"{point}: recovered in {max(plant.recoveries, default=0.0):.2f} s")
        assert max(plant.recoveries, default=0.0) < LEASE + 3


@pytest.mark.parametrize("point", ["K03:2", "K10:1", "K11:1", "K12:1", *(f"S2:{n}" for n in range(1, 5)), "B3", "B4"])
async def test_change_that_needs_no_approval_happens_once_as_well(database_url, model, tmp_path, point):
    in_backend = point.startswith("B")
    async with plant_on(database_url, model, tmp_path, point if in_backend else "") as plant:
        await plant.put("d-1")
        plant.start("" if in_backend else point)
        ref = await plant.ask("accept", None, "rename d-1", new_turn_id())
        await plant.reach(ref, "succeeded")
        await plant.until_dead(1)
        assert (await plant.messages(ref))[1] == ("assistant", "final", "Renamed, as you asked.")
        assert len(await plant.effects()) == 1
        assert (await plant.sql("select rev from backend.things")) == [{"rev": 2}]
        assert len(model.requests) <= 3
        assert max(plant.recoveries, default=0.0) < LEASE + 3
