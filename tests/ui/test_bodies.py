"""Bodies that are slow, and bodies with more in them than a command has (threats T48 and T55)."""

import asyncio
import json
import uuid

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from tests.ui.conftest import sign_in
from ui.limits import BodyLimit

ORIGIN = {"origin": "http://chat.test"}
SCOPE = {"type": "http", "method": "POST", "path": "/ui/rename", "headers": [], "query_string": b""}
DIGEST = "0" * 64


async def echo(scope, receive, send):
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)}")(scope, receive, send)


async def status(receive, seconds: float = 0.1) -> int:
    sent = []

    async def send(message):
        sent.append(message)

    await BodyLimit(echo, seconds=seconds)(dict(SCOPE), receive, send)
    return sent[0]["status"]


async def test_t48_a_body_that_never_ends_is_given_up():
    pieces = [{"type": "http.request", "body": b"{", "more_body": True}]

    async def trickle():
        if not pieces:
            await asyncio.Event().wait()
        return pieces.pop()

    assert await status(trickle) == 408


async def test_t48_drops_that_come_forever_do_not_move_the_end():
    async def drip():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async with asyncio.timeout(5):
        assert await status(drip) == 408


async def test_t48_a_stream_that_outlives_its_request_is_not_cut():
    messages = [{"type": "http.request", "body": b"{}", "more_body": False}]

    async def gone_after_a_while():
        if messages:
            return messages.pop()
        await asyncio.sleep(0.2)
        return {"type": "http.disconnect"}

    async def listening(scope, receive, send):
        await Request(scope, receive).body()
        assert (await receive())["type"] == "http.disconnect"
        await PlainTextResponse("left")(scope, receive, send)

    sent = []

    async def send(message):
        sent.append(message)

    await BodyLimit(listening, seconds=0.05)(dict(SCOPE), gone_after_a_while, send)
    assert sent[0]["status"] == 200


BODIES = {
    "/ui/decide": {"approval_id": "a", "card_sha256": DIGEST, "decision": "approve"},
    "/ui/answer": {"question_id": "q", "text": "x"},
    "/ui/undo": {"approval_id": "a"},
    "/ui/retry": {"conversation_id": "c", "turn_id": "t"},
    "/ui/rename": {"conversation_id": "c", "title": "t"},
    "/ui/delete": {"conversation_id": "c"},
    "/ui/review": {"conversation_id": "c", "on": True},
    "/ui/always": {"tool": "update_dashboard", "on": True},
}
EXTRAS = ({"role": "admin"}, {"state": "approved"}, {"owner": "test|vera"}, {"tenant": "other"})


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("extra", EXTRAS, ids=["role", "state", "owner", "tenant"])
async def test_t55_a_field_that_a_command_does_not_have_is_refused(http, path, extra):
    await sign_in(http)
    answer = await http.post(path, json=BODIES[path] | extra, headers=ORIGIN)
    assert answer.status_code == 422
    assert (await http.post(path, json=BODIES[path], headers=ORIGIN)).status_code != 422


async def test_t55_a_decision_on_the_chat_endpoint_says_nothing_about_who_decides(http, house):
    await sign_in(http, "ilya")
    approval = str(uuid.uuid4())
    body = {"approval_id": approval, "card_sha256": DIGEST, "decision": "approve", "args": None, "signer": "anna"}
    assert (await http.post("/ui/decide", json=body, headers=ORIGIN)).status_code == 422
    assert house.turns.effects == []


@pytest.mark.parametrize("text", ["\ud800", "\0", "x" * 300, ["x"], None], ids=["half", "NUL", "long", "list", "none"])
@pytest.mark.parametrize("path", BODIES)
async def test_a_field_of_any_shape_ends_in_a_refusal_that_repeats_nothing(http, path, text):
    await sign_in(http)
    for name in BODIES[path]:
        body = json.dumps(BODIES[path] | {name: text})
        answer = await http.post(path, content=body, headers=ORIGIN | {"content-type": "application/json"})
        assert answer.status_code < 500, (name, answer.text)
        if answer.status_code == 422:
            assert answer.json()["code"]
            assert "input" not in answer.json()
            assert answer.json()["text"]


@pytest.mark.parametrize("query", ["before=99999999999999999999", "before=-1", "before=x", "days=0", "days=1e9"])
async def test_a_query_that_no_page_has_is_refused(http, query):
    await sign_in(http)
    answer = await http.get(f"/ui/audit?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_request")
