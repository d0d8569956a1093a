"""Background tasks follow the clock of the database."""

import pytest

from tests.backend.world import World, rows


class TestList:
    @pytest.mark.parametrize(
        ("params", "ids"),
        [
            ({"state": "running"}, {6602, 8120, 9381, 7714, 3307, 9390}),
            ({"state": "queued"}, {9391, 9392}),
            ({"state": "failed", "text": "weekly funnel"}, {5520, 5533}),
            ({"kind": "make_thumbnails", "state": "running"}, {9381, 7714}),
            ({"started_by": "vera"}, {7714}),
            ({"state": "canceled"}, {5575}),
            ({"environment": "stage", "state": "succeeded"}, {5550, 5562}),
        ],
    )
    async def test_finds(self, still: World, params: dict[str, str], ids: set[int]) -> None:
        page = await still.get("/tasks", **params)
        assert {item["id"] for item in page["items"]} == ids

    async def test_what_runs_comes_first(self, still: World) -> None:
        states = [item["state"] for item in (await still.get("/tasks"))["items"]]
        active = [state in ("running", "queued") for state in states]
        assert active == sorted(active, reverse=True)

    async def test_a_failed_one_says_why_in_its_log(self, still: World) -> None:
        task = await still.get("/tasks/5520")
        assert (task["state"], task["progress"], task["seconds_left"]) == ("failed", 100, None)
        assert "query timeout" in task["error"]
        assert task["log"][-1] == {"at": task["finished_at"], "text": task["error"]}

    async def test_a_stuck_one_stays_where_it_is(self, still: World) -> None:
        task = await still.get("/tasks/7714")
        assert (task["state"], task["progress"], task["finished_at"]) == ("running", 3, None)
        assert [line["text"] for line in task["log"]] == ["opened Sales EMEA 2019"]

    async def test_a_running_one_says_how_long_it_takes_yet(self, still: World) -> None:
        task = await still.get("/tasks/6602")
        assert 40 <= task["progress"] <= 50
        assert 4800 < task["seconds_left"] < 5800

    @pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/cancel")])
    async def test_that_does_not_exist(self, still: World, method: str, path: str) -> None:
        answer = await still.call("ilya", method, f"/tasks/1{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "task_not_found")


async def shift(world: World, task_id: int, seconds: float) -> None:
    """Let so many seconds pass for one task."""
    rows(
        world.database_url,
        "update tasks set starts_at = starts_at - make_interval(secs => %s) where id = %s returning id",
        seconds,
        task_id,
    )


async def test_a_task_waits_runs_and_ends(world: World) -> None:
    made = await world.call("ilya", "POST", "/tasks", json={"kind": "validate_dashboard", "target_id": 101})
    task = made.json()["result"]
    assert (made.status_code, task["state"], task["title"]) == (201, "queued", "Validate Churn Cohorts")
    assert task["log"] == []
    await shift(world, task["id"], 2 + 20)
    running = await world.get(f"/tasks/{task['id']}")
    assert (running["state"], 40 < running["progress"] < 60, len(running["log"])) == ("running", True, 2)
    await shift(world, task["id"], 60)
    ended = await world.get(f"/tasks/{task['id']}")
    assert (ended["state"], ended["progress"], ended["log"][-1]["text"]) == ("succeeded", 100, "succeeded")


async def test_a_task_for_all_dashboards_with_a_tag(world: World) -> None:
    body = {"kind": "make_thumbnails", "tag": "retail", "environment": "prod"}
    made = (await world.call("d.shubin", "POST", "/tasks", json=body, headers={"Accept-Language": "ru"})).json()
    assert made["result"]["title"] == "Превью: retail (6)"
    (task,) = rows(world.database_url, "select target_ids from tasks where id = %s", made["result"]["id"])
    assert 412 in task["target_ids"]
    assert len(task["target_ids"]) == 6


async def test_a_dataset_can_be_documented(world: World) -> None:
    made = await world.call("ilya", "POST", "/tasks", json={"kind": "document_dataset", "target_id": 204})
    assert (made.json()["result"]["title"], made.json()["result"]["environment"]) == (
        "Document mart_sales_daily",
        "prod",
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"kind": "validate_dashboard"}, 422),
        ({"kind": "validate_dashboard", "tag": "retail"}, 422),
        ({"kind": "document_dataset", "tag": "retail", "environment": "prod"}, 422),
        ({"kind": "validate_dashboard", "target_id": 101, "tag": "retail", "environment": "prod"}, 422),
        ({"kind": "make_coffee", "target_id": 101}, 422),
        ({"kind": "validate_dashboard", "target_id": 99999}, 404),
        ({"kind": "document_dataset", "target_id": 99999}, 404),
        ({"kind": "make_thumbnails", "tag": "nothing", "environment": "prod"}, 404),
    ],
)
async def test_impossible_tasks_are_refused(world: World, body: dict, status: int) -> None:
    assert (await world.call("ilya", "POST", "/tasks", json=body)).status_code == status
    assert (await world.get("/tasks"))["total"] == 15


async def test_a_canceled_task_stops_where_it_was(world: World) -> None:
    seen = await world.get("/tasks/9381")
    done = await world.call("ilya", "POST", "/tasks/9381/cancel", match=seen["etag"])
    assert done.json()["result"]["state"] == "canceled"
    after = await world.get("/tasks/9381")
    assert after["progress"] == seen["progress"]
    assert after["log"][-1]["text"] == "canceled"
    again = await world.call("ilya", "POST", "/tasks/9381/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "task_finished")


async def test_a_waiting_task_can_be_canceled(world: World) -> None:
    done = await world.call("ilya", "POST", "/tasks/9392/cancel")
    assert (done.json()["result"]["state"], done.json()["result"]["progress"]) == ("canceled", 0)


async def test_a_task_that_ended_after_the_card_was_shown_is_not_canceled(world: World) -> None:
    seen = await world.get("/tasks/9381")
    await shift(world, 9381, 24 * 3600)
    answer = await world.call("ilya", "POST", "/tasks/9381/cancel", match=seen["etag"])
    assert (answer.status_code, answer.json()["current_etag"]) == (412, '"task-9381-ended"')


async def test_canceling_is_for_editors(world: World) -> None:
    assert (await world.call("d.shubin", "POST", "/tasks/9381/cancel")).status_code == 403
    assert (await world.get("/tasks/9381"))["state"] == "running"
