"""Signing in and out, the session behind the cookie, and who may send unsafe requests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agent.identity import Principal
from agent.keys import KeyRing, new_secrets
from tests.ui.conftest import sign_in
from tests.ui.house import Rows
from tools.toolset import Role
from ui.commands import command_routes
from ui.options import AuthorityDown, DemoPerson, PageOptions
from ui.renewal import Renewal, of_the_demo
from ui.sessions import Sessions
from ui.shell import shell_routes
from ui.visitors import Visitors

ORIGIN = {"origin": "http://chat.test"}


async def test_a_page_without_a_session_leads_to_the_sign_in_and_back(http):
    answer = await http.get("/?conversation=c1", headers={"accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/signin?next=%2F%3Fconversation%3Dc1"


async def test_a_program_that_reads_the_config_is_not_redirected(http):
    assert (await http.get("/config", headers={"accept": "*/*"})).status_code == 200


async def test_the_cookie_is_opaque_and_unreadable_for_scripts(http, house):
    answer = await http.post("/signin", data={"username": "anna", "next": "/?conversation=c1"}, headers=ORIGIN)
    assert answer.headers["location"] == "/?conversation=c1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "eyJ" not in cookie
    handle = http.cookies["countersign"]
    assert all(handle.encode() not in row.sealed and b"eyJ" not in row.sealed for row in house.rows.rows.values())


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/signin"]
)
async def test_the_way_back_is_never_another_site(http, target):
    answer = await http.post("/signin", data={"username": "anna", "next": target}, headers=ORIGIN)
    assert answer.headers["location"] == "/"


async def test_an_unknown_person_is_told_so(http):
    answer = await http.post("/signin", data={"username": "mallory", "password": "x"}, headers=ORIGIN)
    assert "error=wrong" in answer.headers["location"]
    page = await http.get(answer.headers["location"], headers={"accept-language": "ru"})
    assert "не подходят" in page.text


async def test_signing_out_ends_the_session(http):
    await sign_in(http)
    assert (await http.get("/ui/shell")).status_code == 200
    cookie = f"countersign={http.cookies['countersign']}"
    await http.post("/ui/signout", headers=ORIGIN)
    http.cookies.clear()
    assert (await http.get("/ui/shell", headers={"cookie": cookie})).status_code == 401


async def test_unsafe_requests_of_other_sites_are_refused(http):
    await sign_in(http)
    body = {"conversation_id": "c", "title": "t"}
    for origin in ("https://evil.example", "null"):
        assert (await http.post("/ui/rename", json=body, headers={"origin": origin})).status_code == 403
    assert (await http.post("/ui/rename", json=body)).status_code == 403
    assert (await http.post("/ui/rename", json=body, headers=ORIGIN)).status_code == 404


async def test_every_route_asks_who_it_is(http, house):
    routes = [*command_routes(house.turns).routes, *shell_routes(house.turns, house.options).routes]
    assert len(routes) > 8
    for route in routes:
        method = next(iter(route.methods))
        answer = await http.request(method, route.path, json={} if method == "POST" else None, headers=ORIGIN)
        assert answer.status_code == 401, route.path


async def test_a_session_ends_with_its_token_and_opens_for_nobody_else():
    now = datetime(2026, 12, 1, tzinfo=UTC)
    clock = [now]
    rows = Rows()
    sessions = Sessions(rows, KeyRing(new_secrets()), lambda: clock[0])
    person = Principal("t", "iss|anna", "Anna", Role.ADMIN, "eyJ.a.b", now + timedelta(minutes=10))
    handle = await sessions.open(person, "password")
    assert await sessions.find(handle) == person
    assert await Sessions(rows, KeyRing(new_secrets()), lambda: now).find(handle) is None
    assert await sessions.find("other") is None
    clock[0] = now + timedelta(minutes=11)
    assert await sessions.find(handle) is None


def test_the_cookie_is_bound_to_the_host_over_https():
    options = PageOptions(public_url="https://chat.example.com")
    assert Visitors(None, None, secure=options.secure).cookie == "__Host-countersign"  # type: ignore[arg-type]


async def test_the_sign_in_page_carries_no_markup_of_its_query(http):
    page = await http.get("/signin", params={"next": '/"><script>x</script>', "error": "<b>"})
    assert "<script>x" not in page.text
    assert "<b>" not in page.text


async def test_the_demos_people_stay_signed_in_while_their_authority_answers():
    class Workspace:
        down = False

        async def token(self, username, password):
            if self.down:
                raise AuthorityDown
            return f"eyJ.{username}.new"

        async def verify(self, token):
            until = clock[0] + timedelta(minutes=30)
            return Principal("t", "iss|anna", "Anna", Role.ADMIN, token, until)

    clock = [datetime(2026, 12, 1, tzinfo=UTC)]
    sessions = Sessions(Rows(), KeyRing(new_secrets()), lambda: clock[0])
    workspace = Workspace()
    people = {"anna": DemoPerson("anna", "pw")}
    renewal = Renewal(sessions, of_the_demo(workspace, workspace, people), "demo", lambda: clock[0])
    old = Principal("t", "iss|anna", "Anna", Role.ADMIN, "eyJ.anna.old", clock[0] + timedelta(minutes=30))
    handle = await sessions.open(old, "demo")
    assert await renewal.find(handle) == old
    clock[0] += timedelta(hours=2)
    renewed = await renewal.find(handle)
    assert renewed is not None
    assert renewed.user_jwt == "eyJ.anna.new"
    assert await sessions.find(handle) == renewed
    workspace.down = True
    clock[0] += timedelta(minutes=27)
    assert await renewal.find(handle) == renewed
    clock[0] += timedelta(minutes=10)
    assert await renewal.find(handle) is None
    workspace.down = False
    clock[0] += timedelta(hours=13)
    assert await renewal.find(handle) is None


async def test_who_signs_out_while_a_token_is_fetched_stays_signed_out():
    now = datetime.now(UTC)
    sessions = Sessions(Rows(), KeyRing(new_secrets()), lambda: now)
    anna = Principal("t", "iss|anna", "Anna", Role.ADMIN, "eyJ.anna.old", now + timedelta(minutes=1))
    handle = await sessions.open(anna, "demo")

    async def fetched(person: Principal) -> Principal:
        await sessions.close(handle)
        return replace(person, user_jwt="eyJ.anna.new", expires_at=now + timedelta(hours=1))

    assert await Renewal(sessions, fetched, "demo", lambda: now).find(handle) is None
    assert await sessions.find(handle) is None


async def test_the_page_keeps_the_demos_people_signed_in(http, house):
    await sign_in(http)
    soon = datetime.now(UTC) + timedelta(minutes=2)
    for key, row in house.rows.rows.items():
        house.rows.rows[key] = replace(row, token_expires=soon)
    assert (await http.get("/ui/shell")).status_code == 200
    assert max(row.token_expires for row in house.rows.rows.values()) > soon
