"""Who did what: every effect leaves one event, in its own transaction, and no event is ever changed."""

import psycopg
import pytest

from tests.backend.operations import CHANGES, Operation
from tests.backend.world import World, rows


class TestList:
    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            ({"text": "stg_crm_leads"}, [("delete_dataset", "d.shubin")]),
            ({"resource_type": "user", "resource_id": "tbecker"},
             [("grant_role", "akowalski"), ("grant_role", "akowalski")]),
            ({"actor": "Власов", "action": "run_migration"}, [("run_migration", "p.vlasov")] * 2),
            ({"action": "set_maintenance_mode", "environment": "prod"}, [("set_maintenance_mode", "r.guseynov")] * 2),
            ({"text": "nothing like this"}, []),
        ],
    )  # fmt: skip
    async def test_finds(self, still: World, params: dict[str, str], expected: list[tuple[str, str]]) -> None:
        page = await still.get("/audit-events", **params)
        assert [(event["action"], event["sub"]) for event in page["items"]] == expected

    async def test_newest_first_and_of_a_time(self, still: World) -> None:
        page = await still.get("/audit-events", limit=100)
        times = [event["at"] for event in page["items"]]
        assert times == sorted(times, reverse=True)
        part = await still.get("/audit-events", since=times[9], until=times[4])
        assert [event["at"] for event in part["items"]] == times[5:10]

    async def test_a_moment_that_is_none(self, still: World) -> None:
        answer = await still.call("vera", "GET", "/audit-events", params={"since": "yesterday"})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")

    async def test_people_without_a_role_see_nothing(self, still: World) -> None:
        assert (await still.call("a.ryabova", "GET", "/audit-events")).status_code == 403


@pytest.mark.parametrize("operation", CHANGES, ids=lambda operation: operation.name)
async def test_every_effect_leaves_one_event(world: World, operation: Operation) -> None:
    (before,) = rows(world.database_url, "select count(*) as n, max(id) as id from audit_events")
    headers = {"X-Approval-Id": "ap-77"}
    done = await world.call("anna", operation.method, operation.path, headers=headers, **operation.options)
    assert done.status_code in (200, 201), done.text
    (event,) = rows(world.database_url, "select * from audit_events where id > %s", before["id"])
    assert (event["sub"], event["service"], event["approval_id"]) == ("anna", "countersign|agent", "ap-77")
    assert (event["action"], event["summary"]) == (operation.id, done.json()["message"])
    resource = done.json()["resource"]
    assert (event["resource_type"], event["resource_id"], event["resource_name"]) == tuple(resource.values())
    assert event["details"]["change_id"] == done.json()["change_id"]


async def test_a_refused_call_leaves_none(world: World) -> None:
    query = "select count(*) as n from audit_events"
    before = rows(world.database_url, query)
    await world.call("ilya", "DELETE", "/dashboards/99999")
    await world.call("vera", "DELETE", "/dashboards/94")
    await world.call("ilya", "DELETE", "/dashboards/94", match='"old"')
    assert rows(world.database_url, query) == before


@pytest.mark.parametrize("statement", ["update audit_events set sub = 'x'", "delete from audit_events"])
async def test_events_cannot_be_changed(world: World, statement: str) -> None:
    with psycopg.connect(world.database_url) as connection, pytest.raises(psycopg.errors.RaiseException):
        connection.execute(statement.encode())
