"""Many people at once: every call ends well or is told to try again; nothing is lost, doubled or stuck."""

import asyncio

from tests.backend.world import World, rows


async def test_all_kinds_of_changes_at_once(world: World) -> None:
    calls = [
        ("anna", "POST", "/backups/bk-551/restore", {}),
        ("anna", "POST", "/environments/stage/rollback", {"commit": "58f3c06"}),
        ("anna", "POST", "/migrations", {"source": "dev", "target": "stage", "dashboard_ids": [133]}),
        ("anna", "POST", "/migrations", {"source": "stage", "target": "dev", "tag": "logistics"}),
        ("ilya", "POST", "/environments/stage/backups", {}),
        ("ilya", "POST", "/environments/stage/commits", {"message": "all at once"}),
        ("ilya", "PATCH", "/dashboards/200", {"name": "Last Mile 2"}),
        ("ilya", "POST", "/dashboards", {"name": "New", "environment": "stage"}),
        ("anna", "PUT", "/users/vera/roles/editor", None),
        ("ilya", "POST", "/tasks", {"kind": "validate_dashboard", "target_id": 411}),
    ]
    before = len(rows(world.database_url, "select 1 from audit_events"))
    answers = await asyncio.gather(
        *(world.call(who, method, path, json=body) for _ in range(3) for who, method, path, body in calls)
    )
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    busy = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert busy <= {"name_taken", "nothing_to_commit", "nothing_to_migrate", "resource_busy"}
    succeeded = sum(answer.status_code < 300 for answer in answers)
    assert len(rows(world.database_url, "select 1 from audit_events")) - before == succeeded


async def test_counting_up_by_many_loses_no_step(world: World) -> None:
    answers = await asyncio.gather(
        *(world.call("ilya", "PATCH", "/dashboards/88", json={"add_tags": [f"t{n}"]}) for n in range(15))
    )
    done = [n for n, answer in enumerate(answers) if answer.status_code == 200]
    tags = (await world.get("/dashboards/88"))["tags"]
    assert set(tags) == {"marketing", *(f"t{n}" for n in done)}
    assert len(done) >= 8


async def test_of_many_who_saw_one_revision_one_wins(world: World) -> None:
    etag = (await world.get("/dashboards/88"))["etag"]
    answers = await asyncio.gather(
        *(world.call("ilya", "PATCH", "/dashboards/88", json={"name": f"N{n}"}, match=etag) for n in range(10))
    )
    assert [answer.status_code for answer in answers].count(200) == 1
    assert {answer.status_code for answer in answers} <= {200, 409, 412}
