"""The full-stack FastAPI template's API, driven through the chat by its superuser and by a plain user."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from tests.agent.bench import ANN, BOB, principal
from tests.live.chat import Chat, body, facts, fields, offered, open_chat
from tests.live.template import Template
from tests.tools.openapi.conftest import DATA
from tests.tools.recorder import serving
from tools.openapi.document import load_document
from tools.openapi.operations import operations

pytestmark = pytest.mark.long
PEOPLE = {"ann@example.com": "apple-pie", "bob@example.com": "berry-pie"}


@pytest.fixture
def service() -> Template:
    return Template(PEOPLE)


@pytest.fixture
async def url(service) -> AsyncIterator[str]:
    async with serving(service.app) as address:
        yield address


@pytest.fixture
def open_as(url, pool, database_url):
    """A chat of one of the people, who signed in with the template's own password form."""

    @asynccontextmanager
    async def opened(email: str, subject: str) -> AsyncIterator[Chat]:
        async with httpx.AsyncClient() as http:
            form = {"username": email, "password": PEOPLE[email]}
            token = (await http.post(f"{url}/api/v1/login/access-token", data=form)).json()["access_token"]
        person = replace(principal(subject), user_jwt=token)
        async with open_chat(pool, database_url, url, person) as chat:
            yield chat

    return opened


async def test_the_service_has_the_templates_shape(url):
    there = {
        (o.method, o.path): (o.operation_id, set(o.schema["properties"]))
        for o in operations(load_document(str(DATA / "fullstack_template.json")))
    }
    async with httpx.AsyncClient() as http:
        raw = (await http.get(f"{url}/openapi.json")).content
    mine = operations(load_document(f"{url}/openapi.json", lambda _: raw))
    assert {o.path for o in mine} >= {"/api/v1/items/", "/api/v1/items/{id}", "/api/v1/users/me"}
    for o in mine:
        assert there[o.method, o.path][0] == o.operation_id
        assert set(o.schema["properties"]) - {"grant_type"} <= there[o.method, o.path][1]


async def test_list_create_change_delete_and_deny(open_as, service):
    async with open_as("ann@example.com", ANN) as chat:
        await chat.say("Create an item called Lamp", ("items-create_item", {"title": "Lamp", "description": "old"}))
        assert "items-create_item" in offered(chat)
        (item,) = service.items.values()

        await chat.say("List the items", ("items-read_items", {}))
        assert body(chat.told())["data"][0]["title"] == "Lamp"

        await chat.turns.set_review(chat.person, chat.conversation, on=True)
        change = {"id": str(item.id), "description": "new"}
        await chat.say("Update the item Lamp", ("items-update_item", change))
        assert fields(chat.card()) == {"description": ("old", "new")}
        done = await chat.decide("approve")
        assert service.items[item.id].description == "new"
        await chat.turns.undo(chat.person, done["id"])
        assert service.items[item.id].description == "old"

        await chat.say("Delete the item Lamp", ("items-delete_item", {"id": str(item.id)}))
        assert facts(chat.card())["title"] == "Lamp"
        await chat.decide("deny", reason="keep it")
        assert item.id in service.items

        await chat.say("Delete the item Lamp after all", ("items-delete_item", {"id": str(item.id)}))
        assert (await chat.decide("approve"))["result"]["ok"]
        assert service.items == {}


async def test_the_template_decides_what_a_plain_user_may_do(open_as, service):
    async with open_as("ann@example.com", ANN) as chat:
        await chat.say("Create an item called Lamp", ("items-create_item", {"title": "Lamp"}))
    (item,) = service.items.values()
    bob = service.users["bob@example.com"]
    async with open_as("bob@example.com", BOB) as chat:
        await chat.say("List the users", ("users-read_users", {}))
        assert "enough privileges" in chat.told()
        await chat.say("Delete the item Lamp", ("items-delete_item", {"id": str(item.id)}))
        assert "Not enough permissions" in chat.told()
        await chat.say("Update the user bob", ("users-update_user", {"user_id": str(bob.id), "is_superuser": True}))
        await chat.decide("approve")
        assert not bob.is_superuser
        assert item.id in service.items


async def test_a_superuser_is_asked_before_handing_out_power(open_as, service):
    bob = service.users["bob@example.com"]
    async with open_as("ann@example.com", ANN) as chat:
        await chat.say("Update the user bob", ("users-update_user", {"user_id": str(bob.id), "is_superuser": True}))
        assert chat.card()["effect"] == "danger"
        assert not bob.is_superuser
        await chat.decide("approve")
        assert bob.is_superuser
