"""Somebody else's Gradio session id opens nothing: no stream, no state, no cancel (threat T52)."""

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.browser.serve import Served, serve
from tests.ui.house import House

ANNA, VERA = "eyJ.anna.x", "eyJ.vera.x"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve(House()) as running:
        yield running


@pytest.fixture
async def anna(served: Served):
    async with browser(served, "anna") as client:
        yield client


@pytest.fixture
async def vera(served: Served):
    async with browser(served, "vera") as client:
        yield client


class browser:  # noqa: N801
    """A signed-in browser without a screen."""

    def __init__(self, served: Served, user: str):
        self._user = user
        self._client = httpx.AsyncClient(base_url=served.url, headers={"origin": served.url}, timeout=20)

    async def __aenter__(self) -> httpx.AsyncClient:
        answer = await self._client.post("/signin", data={"username": self._user})
        assert answer.status_code == 303
        return self._client

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()


async def join(client: httpx.AsyncClient, session: str, text: str = "hello", **headers: str) -> httpx.Response:
    config = (await client.get("/config")).json()
    chat = next(d for d in config["dependencies"] if d["api_name"] == "chat")
    values = [text, "", "", "", "", ""]
    body = {"data": [*values, *[None] * (len(chat["inputs"]) - len(values))], "fn_index": chat["id"]}
    return await client.post("/gradio_api/queue/join", json={**body, "session_hash": session}, headers=headers)


async def told(client: httpx.AsyncClient, session: str, **headers: str) -> str:
    async with client.stream(
        "GET", "/gradio_api/queue/data", params={"session_hash": session}, headers=headers
    ) as all_:
        return f"{all_.status_code} " + (await all_.aread()).decode()


async def test_t52_a_stream_is_read_by_its_owner_alone(anna, vera):
    assert (await join(anna, "s-read")).status_code == 200
    assert (await told(vera, "s-read")).startswith("404")
    assert "nothing" in await told(anna, "s-read")


async def test_t52_a_session_that_was_used_takes_no_calls_of_others(anna, vera, served):
    await join(anna, "s-use")
    assert (await join(vera, "s-use", "hello from vera")).status_code == 404
    await told(anna, "s-use")
    assert "hello from vera" not in {c.title for c in served.house.turns.conversations_.values()}


@pytest.mark.parametrize("route", ["cancel", "reset", "run/chat", "queue/join", "component_server"])
async def test_t52_no_route_takes_anothers_session(anna, vera, route):
    await join(anna, f"s-{route}")
    body = {"session_hash": f"s-{route}", "fn_index": 0, "event_id": "e", "data": []}
    answer = await vera.post(f"/gradio_api/{route}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    await told(anna, f"s-{route}")


async def test_t52_the_answer_to_a_call_is_its_callers_alone(anna, vera, served):
    async def called(client: httpx.AsyncClient) -> str:
        config = (await client.get("/config")).json()
        chat = next(d for d in config["dependencies"] if d["api_name"] == "chat")
        answer = await client.post(f"/gradio_api/call/{chat['api_name']}", json={"data": ["hello", *[""] * 5]})
        return f"/gradio_api/call/chat/{answer.json()['event_id']}"

    address = await called(anna)
    async with httpx.AsyncClient(base_url=served.url) as nobody:
        for other in (vera, nobody):
            assert (await other.get(address)).status_code == 404
    event = address.rpartition("/")[2]
    for route in ("cancel", "reset"):
        body = {"session_hash": "s-of-vera", "fn_index": 0, "event_id": event}
        assert (await vera.post(f"/gradio_api/{route}", json=body)).status_code == 404
    own = await anna.get(address)
    assert own.status_code == 200
    assert "event: complete" in own.text


async def test_t52_a_browser_that_signed_out_is_a_stranger(anna, served):
    await join(anna, "s-out")
    async with httpx.AsyncClient(base_url=served.url) as stranger:
        assert (await told(stranger, "s-out")).startswith("404")
        assert (await stranger.get("/gradio_api/heartbeat/s-out")).status_code == 404
    await told(anna, "s-out")


async def test_t52_a_program_keeps_its_session_with_a_newer_token(served):
    async with httpx.AsyncClient(base_url=served.url, timeout=20) as program:
        assert (await join(program, "s-prog", **{"x-user-jwt": ANNA})).status_code == 200
        assert (await told(program, "s-prog", **{"x-user-jwt": VERA})).startswith("404")
        assert "nothing" in await told(program, "s-prog", **{"x-user-jwt": "eyJ.anna.newer"})


@pytest.mark.parametrize("body", ["", "[]", "7", '{"session_hash": 7}', "[" * 5000])
async def test_t48_bodies_that_make_no_sense_are_refused_by_the_route(anna, body):
    answer = await anna.post("/gradio_api/queue/join", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)


async def test_t48_json_that_is_too_deep_is_refused(anna):
    deep = '{"conversation_id": "c", "title": ' + "[" * 60_000 + "]" * 60_000 + "}"
    for path in ("/ui/rename", "/ui/decide"):
        answer = await anna.post(path, content=deep, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), answer.text
    assert json.loads((await anna.get("/healthz")).text) == {"status": "ok"}
