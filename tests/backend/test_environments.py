"""Environments: list, health, maintenance."""

import pytest

from tests.backend.world import World


async def test_the_three_environments_come_in_order_with_their_versions(world: World) -> None:
    page = await world.get("/environments")
    assert [item["id"] for item in page["items"]] == ["dev", "stage", "prod"]
    assert {item["id"]: item["protected"] for item in page["items"]} == {"dev": False, "stage": False, "prod": True}
    assert page["items"][2]["version"] < page["items"][2]["latest_version"]


async def test_health_names_what_is_wrong_in_the_language_asked_for(world: World) -> None:
    health = (await world.call("vera", "GET", "/environments/stage/health", headers={"Accept-Language": "ru"})).json()
    checks = {check["name"]: check for check in health["checks"]}
    assert health["state"] == "degraded"
    assert checks["workers"]["state"] == checks["disk"]["state"] == "warning"
    assert "worker-3 молчит" in checks["workers"]["detail"]
    assert (checks["disk"]["value"], checks["disk"]["unit"]) == (91, "%")


async def test_deleting_backups_frees_the_disk(world: World) -> None:
    backups = await world.get("/backups", environment="stage")
    for backup in backups["items"][-4:]:
        assert (await world.call("anna", "DELETE", f"/backups/{backup['id']}")).status_code == 200
    disk = (await world.get("/environments/stage/health"))["checks"][-1]
    assert disk["value"] < 85
    assert disk["state"] == "ok"


@pytest.mark.parametrize("path", ["/environments/qa/health", "/environments/qa/changes"])
async def test_an_environment_that_does_not_exist_is_refused(world: World, path: str) -> None:
    answer = await world.call("vera", "GET", path)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert answer.json()["errors"][0]["loc"] == ["path", "environment"]


async def test_maintenance_stops_editors_but_not_admins(world: World) -> None:
    on = await world.call("anna", "PUT", "/environments/stage/maintenance", json={"enabled": True, "message": "релиз"})
    assert on.json()["result"]["state"] == "maintenance"
    assert on.json()["changed"] == ["maintenance", "maintenance_message"]
    refused = await world.call("ilya", "PATCH", "/dashboards/411", json={"name": "X"})
    assert (refused.status_code, refused.json()["code"]) == (409, "maintenance")
    assert "релиз" in refused.json()["detail"]
    assert (await world.call("anna", "PATCH", "/dashboards/411", json={"name": "X"})).status_code == 200
    await world.call("anna", "PUT", "/environments/stage/maintenance", json={"enabled": False})
    assert (await world.call("ilya", "PATCH", "/dashboards/411", json={"name": "Y"})).status_code == 200


async def test_maintenance_is_for_admins(world: World) -> None:
    answer = await world.call("ilya", "PUT", "/environments/prod/maintenance", json={"enabled": True})
    assert (answer.status_code, answer.json()["required_role"], answer.json()["your_role"]) == (403, "admin", "editor")
