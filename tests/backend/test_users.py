"""People and roles."""

import pytest

from tests.backend.world import World, rows


class TestList:
    @pytest.mark.parametrize(
        ("params", "ids"),
        [
            ({"role": "admin"}, {"anna", "akowalski", "tbecker", "r.guseynov"}),
            ({"text": "Шубину"}, {"d.shubin"}),
            ({"text": "Гусейнова"}, {"r.guseynov"}),
            ({"text": "Оле Трофимчук"}, {"o.trofimchuk"}),
            ({"text": "priya nair"}, {"p.nair"}),
            ({"text": "lindqvist"}, {"vera", "jlindqvist"}),
            ({"text": "m.zaytseva@example.com"}, {"m.zaytseva"}),
            ({"text": "nobody"}, set()),
        ],
    )
    async def test_finds_in_both_languages(self, still: World, params: dict[str, str], ids: set[str]) -> None:
        page = await still.get("/users", **params)
        assert {item["id"] for item in page["items"]} == ids

    async def test_a_person_has_a_strongest_role_and_a_history(self, still: World) -> None:
        user = await still.get("/users/tbecker")
        assert (user["role"], user["roles"]) == ("admin", ["publisher", "admin"])
        assert [(event["role"], event["by"]["id"]) for event in user["roles_history"]] == [
            ("admin", "akowalski"),
            ("publisher", "akowalski"),
        ]

    async def test_a_person_without_roles(self, still: World) -> None:
        user = await still.get("/users/a.ryabova")
        assert (user["role"], user["roles"]) == (None, [])

    @pytest.mark.parametrize(("method", "path"), [("GET", ""), ("PUT", "/roles/editor"), ("DELETE", "/roles/editor")])
    async def test_that_does_not_exist(self, still: World, method: str, path: str) -> None:
        answer = await still.call("anna", method, f"/users/nobody{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "user_not_found")

    async def test_a_role_that_does_not_exist(self, still: World) -> None:
        answer = await still.call("anna", "PUT", "/users/vera/roles/root")
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")

    async def test_taking_your_own_role_is_warned_of(self, still: World) -> None:
        dry = await still.call("anna", "DELETE", "/users/anna/roles/admin", params={"dry_run": "true"})
        assert len(dry.json()["warnings"]) == 1


async def test_a_granted_role_counts_at_once(world: World) -> None:
    assert (await world.call("vera", "DELETE", "/dashboards/94")).status_code == 403
    done = (await world.call("anna", "PUT", "/users/vera/roles/editor")).json()
    assert (done["result"]["roles"], done["result"]["role"]) == (["viewer", "editor"], "editor")
    assert done["result"]["roles_history"][0]["by"]["id"] == "anna"
    assert (await world.call("vera", "DELETE", "/dashboards/94")).status_code == 200


async def test_granting_what_is_held_changes_nothing(world: World) -> None:
    before = await world.get("/users/ilya")
    done = (await world.call("anna", "PUT", "/users/ilya/roles/editor")).json()
    assert (done["changed"], done["etag"]) == ([], before["etag"])
    assert (await world.get("/users/ilya"))["roles_history"] == before["roles_history"]


async def test_the_last_admin_stays(world: World) -> None:
    for other in ("akowalski", "tbecker", "r.guseynov"):
        assert (await world.call("anna", "DELETE", f"/users/{other}/roles/admin")).status_code == 200
    answer = await world.call("anna", "DELETE", "/users/anna/roles/admin")
    assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")
    assert (await world.get("/users/anna"))["role"] == "admin"


async def test_roles_are_for_admins(world: World) -> None:
    assert (await world.call("ilya", "PUT", "/users/ilya/roles/admin")).status_code == 403
    assert rows(world.database_url, "select 1 from user_roles where user_id = 'ilya' and role = 'admin'") == []
