"""Backups: list, take, restore, delete."""

from datetime import datetime, timedelta

import pytest

from tests.backend.world import World, rows


class TestList:
    async def test_newest_first_with_size_and_maker(self, still: World) -> None:
        page = await still.get("/backups", environment="prod", limit=100)
        times = [item["created_at"] for item in page["items"]]
        assert times == sorted(times, reverse=True)
        assert page["total"] == len(times) == 9
        assert all(item["size_bytes"] > 1_000_000_000 and item["dashboards"] > 30 for item in page["items"])

    async def test_of_a_time(self, still: World) -> None:
        newest = (await still.get("/backups", environment="dev"))["items"][0]["created_at"]
        since = (datetime.fromisoformat(newest) - timedelta(days=3)).isoformat()
        week = await still.get("/backups", environment="dev", since=since, until=newest)
        assert week["total"] == 3

    async def test_one(self, still: World) -> None:
        backup = await still.get("/backups/bk-551")
        assert (backup["environment"], backup["kind"], backup["created_by"]["id"]) == ("stage", "manual", "p.vlasov")

    @pytest.mark.parametrize(("method", "path"), [("GET", ""), ("DELETE", ""), ("POST", "/restore")])
    async def test_that_does_not_exist(self, still: World, method: str, path: str) -> None:
        body = {"json": {}} if method == "POST" else {}
        answer = await still.call("anna", method, f"/backups/bk-1{path}", **body)
        assert (answer.status_code, answer.json()["code"]) == (404, "backup_not_found")

    async def test_the_newest_one_is_not_deleted_lightly(self, still: World) -> None:
        newest = (await still.get("/backups", environment="prod"))["items"][0]["id"]
        preview = (await still.call("anna", "DELETE", f"/backups/{newest}", params={"dry_run": "true"})).json()
        assert "newest" in preview["warnings"][0]
        assert not preview["reversible"]


async def test_a_backup_holds_the_content_of_its_moment(world: World) -> None:
    made = await world.call("ilya", "POST", "/environments/dev/backups", json={"note": "до чистки"})
    backup = made.json()["result"]
    assert made.status_code == 201
    assert (backup["id"], backup["note"], backup["kind"]) == ("bk-552", "до чистки", "manual")
    await world.call("ilya", "DELETE", "/dashboards/94")
    await world.call("ilya", "PATCH", "/dashboards/77", json={"name": "Касса 2.0"})
    await world.call("anna", "DELETE", "/datasets/340")
    await world.call("ilya", "POST", "/dashboards", json={"name": "Zzz", "environment": "dev"})

    restored = (await world.call("anna", "POST", "/backups/bk-552/restore", json={})).json()
    assert {key: restored["result"][key] for key in ("created", "updated", "deleted")} == {
        "created": 2,
        "updated": 1,
        "deleted": 1,
    }
    assert (await world.get("/dashboards/94"))["name"] == "Weekly Funnel (copy)"
    assert (await world.get("/dashboards/77"))["name"] == "Касса"
    assert (await world.get("/datasets/340"))["row_count"] == 12_500
    assert (await world.get("/dashboards", text="Zzz"))["total"] == 0


async def test_restoring_says_before_what_will_be_lost(world: World) -> None:
    await world.call("ilya", "PATCH", "/dashboards/200", json={"name": "Last Mile 2"})
    dry = await world.call("anna", "POST", "/backups/bk-551/restore", json={}, params={"dry_run": "true"})
    preview = dry.json()
    assert preview["counts"]["updated"] >= 1
    assert "Last Mile 2" not in preview["first_names"]
    assert "Last Mile" in preview["first_names"]
    assert "Last Mile" in preview["groups"]["updated"]
    assert {label: len(names) for label, names in preview["groups"].items()} == preview["counts"]
    assert "1 uncommitted" in preview["warnings"][0]
    assert "bk-551" not in preview["resource"]["id"] == "stage"


async def test_a_backup_goes_only_to_its_own_environment(world: World) -> None:
    answer = await world.call("anna", "POST", "/backups/bk-551/restore", json={"environment": "prod"})
    assert (answer.status_code, answer.json()["code"]) == (409, "other_environment")


async def test_restoring_touches_no_other_environment(world: World) -> None:
    query = "select md5(string_agg(d::text, '' order by id)) as hash from dashboards d where environment = 'prod'"
    before = rows(world.database_url, query)
    await world.call("anna", "POST", "/backups/bk-551/restore", json={})
    assert rows(world.database_url, query) == before


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/backups/bk-551"), ("POST", "/backups/bk-551/restore")])
async def test_restoring_and_deleting_are_for_admins(world: World, method: str, path: str) -> None:
    body = {"json": {}} if method == "POST" else {}
    assert (await world.call("ilya", method, path, **body)).status_code == 403
    assert (await world.get("/backups/bk-551"))["id"] == "bk-551"
