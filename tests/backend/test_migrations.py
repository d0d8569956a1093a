"""Copying content between environments."""

import pytest

from tests.backend.world import World


async def plan(world: World, source: str, target: str, **choice: object) -> dict:
    return await world.get("/migrations/plan", source=source, target=target, **choice)


async def test_a_plan_says_what_is_new_and_what_differs(world: World) -> None:
    new = await plan(world, "dev", "stage", dashboard_ids=133)
    assert [item["name"] for item in new["create"]] == ["Остатки и оборачиваемость"]
    assert new["datasets_create"] == ["stock_aging", "stock_turnover", "supplier_lead_time"]
    changed = await plan(world, "stage", "prod", dashboard_ids=142)
    assert changed["update"] == [{"id": 142, "name": "План-факт опта", "target_id": 140, "fields": ["charts"]}]
    assert "prod" in changed["warnings"][0]


async def test_a_plan_by_tag_takes_all_dashboards_with_it(world: World) -> None:
    whole = await plan(world, "stage", "prod", tag="logistics")
    names = {item["name"] for part in ("create", "update", "unchanged") for item in whole[part]}
    assert {"Last Mile", "Склад Екб", "Логистика: склады", "Order Backlog"} <= names


async def test_running_does_what_was_planned_and_nothing_else(world: World) -> None:
    wanted = await plan(world, "dev", "stage", dashboard_ids=133)
    body = {"source": "dev", "target": "stage", "dashboard_ids": [133]}
    done = await world.call("ilya", "POST", "/migrations", json=body, match=wanted["etag"])
    assert done.status_code == 201
    assert done.json()["result"] == wanted
    (copy,) = (await world.get("/dashboards", text="Остатки и оборачиваемость", environment="stage"))["items"]
    board = await world.get(f"/dashboards/{copy['id']}")
    assert not any(chart["broken"] for chart in board["charts"])
    assert board["copies"] == [{"id": 133, "environment": "dev"}]
    after = await plan(world, "dev", "stage", dashboard_ids=133)
    assert [len(after[part]) for part in ("create", "update", "unchanged")] == [0, 0, 1]
    assert len((await world.get("/environments/stage/changes"))["uncommitted"]) == 4


async def test_nothing_to_copy_is_said(world: World) -> None:
    body = {"source": "stage", "target": "prod", "dashboard_ids": [411]}
    answer = await world.call("anna", "POST", "/migrations", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_to_migrate")


async def test_a_change_after_the_plan_makes_it_void(world: World) -> None:
    wanted = await plan(world, "stage", "prod", dashboard_ids=52)
    await world.call("ilya", "PATCH", "/dashboards/52", json={"name": "Backlog"})
    body = {"source": "stage", "target": "prod", "dashboard_ids": [52]}
    answer = await world.call("anna", "POST", "/migrations", json=body, match=wanted["etag"])
    assert answer.status_code == 412
    assert (await world.get("/dashboards", text="Backlog", environment="prod"))["total"] == 0


async def test_a_name_that_is_taken_in_the_target_stops_it_whole(world: World) -> None:
    await world.call("ilya", "POST", "/dashboards", json={"name": "order backlog", "environment": "prod"})
    body = {"source": "stage", "target": "prod", "dashboard_ids": [52, 142]}
    answer = await world.call("anna", "POST", "/migrations", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
    assert len((await world.get("/dashboards/140"))["charts"]) == 9


async def test_only_publishers_and_admins_write_to_prod(world: World) -> None:
    body = {"source": "stage", "target": "prod", "dashboard_ids": [52]}
    refused = await world.call("ilya", "POST", "/migrations", json=body)
    assert (refused.status_code, refused.json()["required_role"]) == (403, "publisher")
    assert (await world.call("t.galeev", "POST", "/migrations", json=body)).status_code == 201


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"source": "dev", "target": "dev", "dashboard_ids": [133]}, "invalid_request"),
        ({"source": "dev", "target": "stage"}, "invalid_request"),
        ({"source": "dev", "target": "stage", "dashboard_ids": [133], "tag": "logistics"}, "invalid_request"),
        ({"source": "dev", "target": "qa", "dashboard_ids": [133]}, "invalid_request"),
        ({"source": "stage", "target": "prod", "dashboard_ids": [133]}, "other_environment"),
        ({"source": "dev", "target": "stage", "dashboard_ids": [99999]}, "dashboard_not_found"),
    ],
)
async def test_impossible_migrations_are_refused_alike_as_plan_and_as_run(world: World, body: dict, code: str) -> None:
    planned = await world.call("vera", "GET", "/migrations/plan", params=body)
    run = await world.call("anna", "POST", "/migrations", json=body)
    assert planned.json()["code"] == run.json()["code"] == code
    assert planned.status_code == run.status_code
