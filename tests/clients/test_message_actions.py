"""Rate, ask again, take home: over HTTP, with a token, each for its owner only."""

import csv
import io
import json

import pytest

from tests.clients.chats import Chat
from tests.clients.drivers import python_client


@pytest.fixture
async def said(product):
    """A conversation of anna with one answered message."""
    async with python_client(product.url, product.token("anna")) as client:
        chat = Chat(client)
        await chat.say("Which environments are there?")
        yield chat


async def turn_of(http, product, place: str) -> str:
    told = await http.get("/ui/conversation.json", params={"conversation_id": place}, headers=product.header("anna"))
    return told.json()["messages"][-1]["turn_id"]


@pytest.fixture
async def named(http, product, said):
    """Which conversation and turn a command is about."""
    place = said.id
    return {"conversation_id": place, "turn_id": await turn_of(http, product, place)}


async def test_a_thumb_is_kept_changed_taken_back_and_exported(http, product, named):
    anna = product.header("anna")
    for value, reason in ((1, ""), (-1, "=not what I asked")):
        answer = await http.post("/ui/rate", json={**named, "value": value, "reason": reason}, headers=anna)
        assert answer.status_code == 200
    told = await http.get("/ui/conversation.json", params={"conversation_id": named["conversation_id"]}, headers=anna)
    assert told.json()["messages"][-1]["rating"] == -1
    rows = (await http.get("/ui/feedback.json", headers=anna)).json()
    assert [(r["value"], r["reason"]) for r in rows if r["turn"] == named["turn_id"]] == [(-1, "=not what I asked")]
    file = (await http.get("/ui/feedback.csv", headers=anna)).text.lstrip("\ufeff")
    assert "'=not what I asked" in {row["reason"] for row in csv.DictReader(io.StringIO(file))}
    assert (await http.get("/ui/feedback.json", headers=product.header("ilya"))).json() == []
    await http.post("/ui/rate", json={**named, "value": 0}, headers=anna)
    rows = (await http.get("/ui/feedback.json", headers=anna)).json()
    assert named["turn_id"] not in {row["turn"] for row in rows}


async def test_an_answer_is_made_anew_in_other_words(http, product, named):
    anna, place = product.header("anna"), {"conversation_id": named["conversation_id"]}
    body = {**named, "new_turn_id": "again-1", "message": "What can you do?"}
    answer = await http.post("/ui/rerun", json=body, headers=anna)
    assert answer.json()["turn_id"] == "again-1"
    async with python_client(product.url, product.token("anna")) as client:
        await client.submit(conversation_id=named["conversation_id"], turn_id="again-1", action="attach")
    told = (await http.get("/ui/conversation.json", params=place, headers=anna)).json()
    assert [m["turn_id"] for m in told["messages"]] == ["again-1", "again-1"]
    assert told["messages"][0]["text"] == "What can you do?"


async def test_a_conversation_goes_home_as_markdown_and_json(http, product, named):
    place = {"conversation_id": named["conversation_id"]}
    text = await http.get(
        "/ui/conversation.md", params=place, headers={**product.header("anna"), "accept-language": "ru"}
    )
    assert text.headers["content-type"].startswith("text/markdown")
    assert text.headers["content-disposition"].startswith("attachment")
    assert text.headers["x-content-type-options"] == "nosniff"
    assert "## Вы · " in text.text
    assert "Which environments are there?" in text.text
    assert "- `list_environments`: " in text.text
    told = (await http.get("/ui/conversation.json", params=place, headers=product.header("anna"))).json()
    assert [m["role"] for m in told["messages"]] == ["user", "assistant"]
    assert "prod" in json.dumps(told["messages"][1]["parts"])
    [used] = [part["metadata"] for part in told["messages"][1]["parts"] if part["metadata"]["type"] == "usage"]
    assert told["usage"] == {name: used[name] for name in ("input", "cached", "reasoning", "output")}
    assert told["usage"]["input"] > 0


@pytest.mark.parametrize(("who", "status"), [("ilya", 404), (None, 401)])
async def test_what_is_somebody_elses_is_not_there_and_nobody_gets_nothing(http, product, named, who, status):
    headers = product.header(who) if who else {}
    for name, body in (("rate", {**named, "value": 1}), ("rerun", {**named, "new_turn_id": "x"})):
        assert (await http.post(f"/ui/{name}", json=body, headers=headers)).status_code == status
    for kind in ("md", "json"):
        place = {"conversation_id": named["conversation_id"]}
        answer = await http.get(f"/ui/conversation.{kind}", params=place, headers=headers)
        assert answer.status_code == status
    if who is None:
        assert (await http.get("/ui/feedback.csv")).status_code == 401


async def test_what_does_not_exist_or_does_not_fit_is_explained(http, product, named):
    anna = product.header("anna")
    for body in ({**named, "turn_id": "none", "value": 1}, {**named, "conversation_id": "none", "value": 1}):
        answer = await http.post("/ui/rate", json=body, headers=anna)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert (await http.post("/ui/rate", json={**named, "value": 2}, headers=anna)).status_code == 422
    empty = await http.post("/ui/rerun", json={**named, "message": "  "}, headers=anna)
    assert (empty.status_code, empty.json()["code"]) == (400, "empty")
    assert "\n" not in empty.json()["text"]
