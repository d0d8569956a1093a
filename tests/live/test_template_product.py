"""The product as `make run` starts it, in front of the full-stack template's API: its passwords, its HS256 tokens."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.agent.kit import reply
from tests.browser.acts import card as shown
from tests.browser.acts import say, sign
from tests.browser.conftest import PATIENCE
from tests.clients.chats import Chat, of
from tests.clients.drivers import Parts, PythonClient, python_client
from tests.clients.lossy import Lossy, served
from tests.clients.product import Product, product
from tests.conftest import Server
from tests.live.chat import body, facts, fields
from tests.live.template import Template
from tests.wire.server import WireServer

pytestmark = pytest.mark.long
PEOPLE = {"ann@example.com": "apple-pie", "bob@example.com": "berry-pie"}
SECRET = "the-secret-key-of-the-template-0123456789"


@pytest.fixture(scope="module")
def service() -> Template:
    return Template(PEOPLE, SECRET)


@pytest.fixture(scope="module")
def way(service) -> Lossy:
    return Lossy(service.app)


@pytest.fixture(autouse=True)
def whole(way: Lossy) -> Iterator[None]:
    """Every test begins with a way that loses nothing, and nothing kept of an earlier one."""
    yield
    way.before.clear()
    way.after.clear()


@pytest.fixture(scope="module")
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(scope="module")
def running(way, wire, postgres: Server) -> Iterator[tuple[Product, str]]:
    """The product, and the service's address."""
    postgres.execute("create database template_live")
    with served(way) as url:
        settings = {
            "BACKEND_URL": url, "OPENAPI_URL": f"{url}/openapi.json", "TOKEN_URL": f"{url}/api/v1/login/access-token",
            "USERINFO_URL": f"{url}/api/v1/users/me", "USER_JWT_SECRET": SECRET, "USER_JWT_HEADER": "Authorization",
            "OPENAI_BASE_URL": wire.url, "MODEL": "scripted",
        }  # fmt: skip
        with product(postgres.database("template_live"), **settings) as started:
            yield started, url


@contextmanager
def signed_in(running: tuple[Product, str], email: str, password: str) -> Iterator[httpx.Client]:
    """A browser after the sign-in form."""
    with httpx.Client(base_url=running[0].url, headers={"origin": running[0].url}) as browser:
        browser.post("/signin", data={"username": email, "password": password, "next": "/"})
        yield browser


def token(url: str, email: str) -> str:
    """What the service gives for the person's password."""
    form = {"username": email, "password": PEOPLE[email]}
    return httpx.post(f"{url}/api/v1/login/access-token", data=form).raise_for_status().json()["access_token"]


@pytest.mark.parametrize(("email", "role"), [("ann@example.com", "admin"), ("bob@example.com", "viewer")])
def test_people_sign_in_with_the_services_passwords_and_have_its_roles(running, email, role):
    with signed_in(running, email, PEOPLE[email]) as browser:
        assert browser.get("/ui/shell").json()["person"]["role"] == role
    with signed_in(running, email, "wrong") as browser:
        assert browser.get("/ui/shell").status_code == 401


class Scripted(Chat):
    """A conversation whose model makes the calls that the test names."""

    def __init__(self, client: PythonClient, wire: WireServer, jwt: str):
        super().__init__(client)
        self.wire = wire
        self.jwt = jwt

    async def say(self, message: str = "", **fields: str) -> Parts:
        """As the person of the token."""
        return await super().say(message, user_jwt=self.jwt, **fields)

    async def ask(self, text: str, name: str, **args: str):
        """Say it; the model calls the tool, and is done once it has the answer."""
        self.wire.push(reply("", (name, args)), "Done.")
        return await self.say(text)

    def told(self) -> str:
        """The last tool answer that the model got."""
        last = [m for m in self.wire.requests[-1].messages if m.get("role") == "tool"][-1]
        return str(last["content"])


def card(parts) -> dict:
    (found,) = of("confirm_required", parts)
    return found


async def test_list_create_change_delete_and_deny_through_the_api(running, service, wire):
    started, url = running
    jwt = token(url, "ann@example.com")
    async with python_client(started.url) as client:
        chat = Scripted(client, wire, jwt)

        await chat.ask("Create an item called Lamp", "items-create_item", title="Lamp", description="old")
        (item,) = service.items.values()
        await chat.ask("List the items", "items-read_items")
        assert body(chat.told())["data"][0]["title"] == "Lamp"

        with signed_in(running, "ann@example.com", PEOPLE["ann@example.com"]) as browser:
            done = browser.post("/ui/review", json={"conversation_id": chat.id, "on": True})
        assert done.status_code == 200, done.text
        asked = card(await chat.ask("Update the item Lamp", "items-update_item", id=str(item.id), description="new"))
        assert fields(asked["metadata"]["approval"]) == {"description": ("old", "new")}
        await chat.decide("confirm", asked)
        assert service.items[item.id].description == "new"

        asked = card(await chat.ask("Delete the item Lamp", "items-delete_item", id=str(item.id)))
        assert facts(asked["metadata"]["approval"])["title"] == "Lamp"
        await chat.decide("deny", asked)
        assert item.id in service.items
        asked = card(await chat.ask("Delete the item Lamp after all", "items-delete_item", id=str(item.id)))
        await chat.decide("confirm", asked)
        assert service.items == {}
    assert wire.refusals == []
    assert SECRET not in started.log
    assert jwt not in started.log


async def test_a_call_of_unknown_outcome_can_be_looked_at_by_its_person_alone(running, service, way, wire):
    started, url = running
    async with python_client(started.url) as client:
        chat = Scripted(client, wire, token(url, "ann@example.com"))
        await chat.ask("Create an item called Desk", "items-create_item", title="Desk")
        (item,) = service.items.values()
        asked = card(await chat.ask("Delete the item Desk", "items-delete_item", id=str(item.id)))
        way.before.add("DELETE")
        parts = await chat.decide("confirm", asked)
    approval = of("confirm_resolved", parts)[-1]["metadata"]["approval"]
    assert approval["result"]["outcome_unknown"]
    look = {"conversation_id": chat.id, "approval_id": approval["id"]}
    with signed_in(running, "ann@example.com", PEOPLE["ann@example.com"]) as browser:
        now = browser.post("/ui/look", json=look).raise_for_status().json()["now"]
        assert now["ok"]
        assert ["title", "Desk"] in now["evidence"][0]["items"]
        del service.items[item.id]
        now = browser.post("/ui/look", json=look).raise_for_status().json()["now"]
        assert (now["ok"], now["evidence"]) == (False, [])
        assert browser.post("/ui/look", json={**look, "approval_id": "nothing"}).status_code == 404
    with signed_in(running, "bob@example.com", PEOPLE["bob@example.com"]) as browser:
        assert browser.post("/ui/look", json=look).status_code == 404
    async with httpx.AsyncClient(base_url=started.url, headers={"origin": started.url}) as nobody:
        assert (await nobody.post("/ui/look", json=look)).status_code == 401


@pytest.fixture
def page(chromium: Browser, running) -> Iterator[Page]:
    """The page after Ann signed in with her password."""
    with chromium.new_context(locale="en-GB") as context:
        page = context.new_page()
        page.set_default_timeout(20_000)
        expect.set_options(timeout=20_000)
        page.goto(running[0].url + "/signin")
        page.locator("#u").fill("ann@example.com")
        page.locator("#p").fill(PEOPLE["ann@example.com"])
        page.locator("#p").press("Enter")
        page.locator(".cs-box textarea").wait_for()
        yield page
    expect.set_options(timeout=PATIENCE)


def test_the_button_of_an_unknown_outcome_shows_the_thing(page, running, service, way, wire):
    jwt = token(running[1], "ann@example.com")
    made = httpx.post(
        f"{running[1]}/api/v1/items/", json={"title": "Chair"}, headers={"Authorization": f"Bearer {jwt}"}
    )
    wire.push(reply("", ("items-delete_item", {"id": made.json()["id"]})), "Done.")
    say(page, "Delete the item Chair")
    expect(shown(page)).to_contain_text("Chair")
    way.after.add("DELETE")
    sign(page)
    button = page.get_by_role("button", name="Look how it is now")
    expect(button).to_be_visible()
    assert service.items == {}
    button.click()
    expect(page.get_by_role("status").filter(has_text="not found")).to_be_visible()
