"""Two people at once, five hundred calls: each call carries its own person's token, and a service token made for it."""

import asyncio
import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from fastapi import FastAPI, Request

from tests.browser.serve import serve
from tests.clients.chats import Chat, words
from tests.clients.drivers import python_client
from tests.clients.product import Product
from tests.modes.issuer import Issuer
from tests.wire.script import Rule
from tests.wire.server import WireServer

PEOPLE, CHATS, TURNS, CALLS = ("olga", "pavel"), 5, 5, 10


@dataclass(frozen=True)
class Call:
    """One request as the backend saw it."""

    asked: str
    user: dict
    service: dict
    user_jwt: str = field(repr=False)


def claims(token: str) -> dict:
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


@dataclass
class Notes:
    """A backend that notes both identities of every call."""

    calls: list[Call] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI(title="Notes", version="1")

        @app.get("/notes/{who}/{number}", operation_id="read_note", summary="Read a note of a person")
        async def read_note(request: Request, who: str, number: str) -> dict[str, str]:
            user = request.headers["x-user-jwt"]
            service = request.headers["authorization"].removeprefix("Bearer ")
            self.calls.append(Call(who, claims(user), claims(service), user))
            await asyncio.sleep(0.005)
            return {"note": f"{who} {number} of {claims(user)['sub']}"}

        return app


@pytest.fixture(scope="module")
def notes() -> Iterator[tuple[Notes, str]]:
    made = Notes()
    with serve(SimpleNamespace(app=made.app)) as served:
        yield made, served.url


@pytest.fixture(scope="module")
def wire() -> Iterator[WireServer]:
    calls = [{"name": "read_note", "args": {"who": "\\g<who>", "number": f"\\g<n>-{i}"}} for i in range(CALLS)]
    with WireServer() as server:
        asked = {"user": r"notes of (?P<who>\w+), page (?P<n>\w+)", "reply": {"calls": calls}}
        server.script.rules += [Rule.of(asked), Rule.of({"tool": "note", "reply": "Read."})]
        yield server


@pytest.fixture(scope="module")
def product(start, issuer: Issuer, wire: WireServer, notes) -> Product:
    url = notes[1]
    return start(
        SIGN_IN="embed", FRAME_ANCESTORS="https://app.example.com", USER_ISSUER=issuer.url,
        USER_JWKS_URL=f"{issuer.url}/jwks", BACKEND_URL=url, OPENAPI_URL=f"{url}/openapi.json",
        OPENAI_BASE_URL=wire.url, OPENAI_API_KEY="sk-test", MODEL="scripted",
    )  # fmt: skip


async def talk(product: Product, token: str, who: str, place: int) -> list[str]:
    async with python_client(product.url, token) as client:
        chat = Chat(client)
        return [words(await chat.say(f"Read the notes of {who}, page {place}x{turn}")) for turn in range(TURNS)]


async def test_five_hundred_calls_of_two_people_never_cross(product, issuer, notes) -> None:
    seen: list[Call] = notes[0].calls
    tokens = {who: issuer.jwt(who) for who in PEOPLE}
    said = await asyncio.gather(*(talk(product, tokens[who], who, place) for place in range(CHATS) for who in PEOPLE))
    assert {answer for answers in said for answer in answers} == {"Read."}
    assert Counter(call.asked for call in seen) == dict.fromkeys(PEOPLE, CHATS * TURNS * CALLS)
    assert [call for call in seen if call.user["sub"] != call.asked] == []
    assert [call for call in seen if call.user_jwt != tokens[call.asked]] == []
    assert [call for call in seen if call.service["uth"] != bound(call.user_jwt)] == []
    assert all(re.fullmatch(r"\S+", call.service["jti"]) for call in seen)
    assert max(call.service["exp"] - call.service["iat"] for call in seen) <= 60


def bound(token: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
