"""Changes, commits and rollback."""

import pytest

from tests.backend.world import World, rows


class TestList:
    async def test_uncommitted_changes_and_commits_newest_first(self, still: World) -> None:
        changes = await still.get("/environments/dev/changes")
        assert [commit["short_id"] for commit in changes["commits"]] == [
            "91be0d7",
            "4fa91c2",
            "a81f0e3",
            "d27c5b8",
            "0b6ae94",
        ]
        assert changes["commits"][1]["author"]["id"] == "m.zaytseva"
        assert [change["resource"]["id"] for change in changes["uncommitted"]] == ["321", "141", "210"]
        assert all(change["commit"] is None for change in changes["uncommitted"])
        assert changes["etag"] == '"content-dev-1"'

    async def test_pages_of_commits(self, still: World) -> None:
        page = await still.get("/environments/dev/changes", limit=2, offset=4)
        assert ([commit["short_id"] for commit in page["commits"]], page["total"]) == (["0b6ae94"], 5)

    async def test_a_change_in_words(self, still: World) -> None:
        (change,) = [
            change
            for change in (await still.get("/environments/prod/changes"))["uncommitted"]
            if change["resource"]["id"] == "219"
        ]
        answer = await still.call("vera", "GET", f"/changes/{change['id']}", headers={"Accept-Language": "ru"})
        assert answer.json()["summary"] == "Изменён дашборд «Промо-акции»: description"
        assert answer.json()["undoable"]

    async def test_a_change_that_does_not_exist(self, still: World) -> None:
        answer = await still.call("vera", "GET", "/changes/1")
        assert (answer.status_code, answer.json()["code"]) == (404, "change_not_found")


async def test_a_commit_takes_all_changes_of_its_environment(world: World) -> None:
    body = {"message": "fix fx rates filter"}
    made = await world.call("ilya", "POST", "/environments/dev/commits", json=body)
    commit = made.json()["result"]
    assert (made.status_code, commit["changes"], commit["message"]) == (201, 3, "fix fx rates filter")
    after = await world.get("/environments/dev/changes")
    assert after["uncommitted"] == []
    assert after["commits"][0] == commit
    assert len((await world.get("/environments/prod/changes"))["uncommitted"]) == 1
    again = await world.call("ilya", "POST", "/environments/dev/commits", json=body)
    assert (again.status_code, again.json()["code"]) == (409, "nothing_to_commit")


@pytest.mark.parametrize("body", [{}, {"message": ""}, {"message": "   "}, {"message": "x" * 201}])
async def test_a_commit_needs_a_message(world: World, body: dict) -> None:
    assert (await world.call("ilya", "POST", "/environments/dev/commits", json=body)).status_code == 422


async def test_rolling_back_brings_the_content_of_the_commit(world: World) -> None:
    done = (await world.call("anna", "POST", "/environments/dev/rollback", json={"commit": "4fa91c2"})).json()
    assert (await world.get("/dashboards/161"))["name"] == "ДДС (старый)"
    assert (await world.get("/dashboards/141"))["tags"] == ["sales"]
    assert (await world.call("vera", "GET", "/dashboards/210")).status_code == 404
    assert done["result"]["deleted"] == 1
    changes = await world.get("/environments/dev/changes")
    assert changes["uncommitted"] == []
    assert changes["commits"][0]["short_id"] == done["result"]["commit"]
    assert changes["commits"][0]["message"] == "Roll back to 4fa91c2: фильтры план-факта"


async def test_rolling_back_the_rollback_leads_forward_again(world: World) -> None:
    await world.call("ilya", "POST", "/environments/dev/commits", json={"message": "now"})
    query = "select content_of('dev') - 'datasets' as content"
    before = rows(world.database_url, query)
    now = (await world.get("/environments/dev/changes"))["commits"][0]["id"]
    await world.call("anna", "POST", "/environments/dev/rollback", json={"commit": "a81f0e3"})
    assert rows(world.database_url, query) != before
    await world.call("anna", "POST", "/environments/dev/rollback", json={"commit": now})
    assert rows(world.database_url, query) == before


async def test_a_rollback_warns_of_what_is_not_committed(world: World) -> None:
    dry = await world.call(
        "anna", "POST", "/environments/dev/rollback", json={"commit": "4fa9"}, params={"dry_run": "true"}
    )
    assert "3 uncommitted" in dry.json()["warnings"][0]
    assert "ДДС (старый)" in dry.json()["first_names"]


@pytest.mark.parametrize(
    ("environment", "commit", "status", "code"),
    [
        ("dev", "ffff", 404, "commit_not_found"),
        ("prod", "4fa91c2", 404, "commit_not_found"),
        ("dev", "4fa", 422, "invalid_request"),
        ("dev", "4FA91C2", 422, "invalid_request"),
        ("dev", "4fa91c2'--", 422, "invalid_request"),
    ],
)
async def test_commits_that_are_not_there(world: World, environment: str, commit: str, status: int, code: str) -> None:
    answer = await world.call("anna", "POST", f"/environments/{environment}/rollback", json={"commit": commit})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_prefix_that_means_two_commits_is_refused(world: World) -> None:
    rows(
        world.database_url,
        "insert into commits select '4fa9' || repeat('0', 36), environment, message, author_id, at, changes, content"
        " from commits where id like '4fa91%%' returning id",
    )
    answer = await world.call("anna", "POST", "/environments/dev/rollback", json={"commit": "4fa9"})
    assert (answer.status_code, answer.json()["code"]) == (409, "ambiguous_commit")


async def test_rolling_back_is_for_admins(world: World) -> None:
    answer = await world.call("ilya", "POST", "/environments/dev/rollback", json={"commit": "4fa91c2"})
    assert answer.status_code == 403
    assert (await world.get("/dashboards/161"))["name"] == "ДДС"
