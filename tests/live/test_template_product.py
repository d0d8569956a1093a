"""The product as `make run` starts it, in front of the full-stack template's API: its passwords, its HS256 tokens."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn

from app import listen
from tests.agent.kit import reply
from tests.clients.chats import Chat, of
from tests.clients.drivers import PythonClient, python_client
from tests.clients.product import Product, product
from tests.conftest import Server
from tests.live.chat import body, facts, fields
from tests.live.template import Template
from tests.wire.server import WireServer

pytestmark = pytest.mark.long
PEOPLE = {"ann@example.com": "apple-pie", "bob@example.com": "berry-pie"}
SECRET = "the-secret-key-of-the-template-0123456789"


@contextmanager
def served(service: Template) -> Iterator[str]:
    """The service's address, while it answers in a thread of its own."""
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(service.app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def service() -> Template:
    return Template(PEOPLE, SECRET)


@pytest.fixture(scope="module")
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(scope="module")
def running(service, wire, postgres: Server) -> Iterator[tuple[Product, str]]:
    """The product, and the service's address."""
    postgres.execute("create database template_live")
    with served(service) as url:
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

    def __init__(self, client: PythonClient, wire: WireServer):
        super().__init__(client)
        self.wire = wire

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
        chat = Scripted(client, wire)
        said = chat.say
        chat.say = lambda message="", **more: said(message, user_jwt=jwt, **more)

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
