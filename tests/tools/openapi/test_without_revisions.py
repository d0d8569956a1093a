"""A backend that offers no ETag, no idempotency and, for one path, nothing to read the state with."""

import asyncio
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI, Header, HTTPException, Response
from pydantic import BaseModel

from agent.look import look
from agent.refused import Refused
from tests.tools.calls import make_call
from tests.tools.recorder import serving
from tools.client import BackendClient
from tools.credentials import Person
from tools.openapi.document import load_document
from tools.openapi.fetch import fetcher
from tools.openapi.toolset import OpenApiToolset


class Note(BaseModel):
    title: str = ""
    pinned: bool = False


class Notes:
    """Notes in memory; reading one counts the visit."""

    def __init__(self) -> None:
        self.notes = {"a": {"title": "First", "pinned": False, "visits": 0}}
        self.headers: list[str | None] = []
        self.broken = False
        self.weak = False
        self.app = FastAPI()
        self.app.add_api_route("/notes/{key}", self.read, methods=["GET"], operation_id="get_note")
        self.app.add_api_route("/notes/{key}", self.change, methods=["PATCH"], operation_id="update_note")
        self.app.add_api_route("/settings/{key}", self.change, methods=["PUT"], operation_id="update_setting")

    async def read(self, key: str, response: Response):
        if key not in self.notes:
            raise HTTPException(404, "there is no such note")
        if self.weak:
            response.headers["ETag"] = 'W/"1"'
        self.notes[key]["visits"] += 1
        return self.notes[key]

    async def change(self, key: str, note: Note, if_match: str | None = Header(None), idempotency_key: str = Header()):
        self.headers.append(if_match)
        self.notes[key] |= note.model_dump(exclude_unset=True)
        return Response(status_code=500) if self.broken else self.notes[key]


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
async def tools(notes) -> AsyncIterator[OpenApiToolset]:
    async with serving(notes.app) as url:
        client = BackendClient(url, credentials=Person(), idempotent=False)
        raw = await _raw(url)
        yield OpenApiToolset.from_document(load_document(f"{url}/openapi.json", lambda uri: raw), client)
        await client.aclose()


async def _raw(url: str) -> bytes:
    return await asyncio.to_thread(fetcher(url), f"{url}/openapi.json")


RENAME = {"key": "a", "title": "Second"}


async def test_a_change_of_what_was_seen_runs_and_sends_no_made_up_revision(tools, notes):
    card = await tools.preview("update_note", RENAME, make_call())
    result = await tools.call("update_note", RENAME, make_call(if_match=card.etag))
    assert (result.ok, notes.notes["a"]["title"], notes.headers) == (True, "Second", [None])


async def test_a_weak_revision_is_never_sent_since_it_would_never_fit(tools, notes):
    notes.weak = True
    card = await tools.preview("update_note", RENAME, make_call())
    assert (await tools.call("update_note", RENAME, make_call(if_match=card.etag))).ok
    assert (await tools.call("update_note", {"key": "a", "title": "Third"}, make_call())).ok
    assert notes.headers == [None, None]


async def test_a_change_of_something_else_than_was_seen_is_refused(tools, notes):
    card = await tools.preview("update_note", RENAME, make_call())
    notes.notes["a"]["title"] = "Renamed by somebody"
    result = await tools.call("update_note", RENAME, make_call(if_match=card.etag))
    assert (result.status, result.problem.code, notes.headers) == (412, "changed_meanwhile", [])


async def test_a_field_that_the_change_leaves_alone_may_move(tools, notes):
    card = await tools.preview("update_note", RENAME, make_call())
    notes.notes["a"]["pinned"] = True
    assert (await tools.call("update_note", RENAME, make_call(if_match=card.etag))).ok


async def test_what_cannot_be_read_says_so(tools):
    card = await tools.preview("update_setting", RENAME, make_call(lang="ru"))
    assert (card.lead, card.etag) == ("Текущее состояние прочитать не удалось.", None)
    assert card.evidence[-1]["rows"] == [{"field": "title", "before": None, "after": "Second"}]


async def test_a_change_that_broke_is_unknown_and_was_sent_once(tools, notes):
    notes.broken = True
    result = await tools.call("update_note", RENAME, make_call())
    assert (result.ok, result.outcome_unknown, result.undo, len(notes.headers)) == (False, True, None, 1)


async def test_what_became_of_a_change_of_unknown_outcome_can_be_looked_up(tools, notes):
    notes.broken = True
    result = await tools.call("update_note", RENAME, make_call())
    row: Any = SimpleNamespace(tool="update_note", args_jcs=json.dumps(RENAME).encode(), result=result.model_dump())
    now = await look(tools, row, make_call())
    assert (now["ok"], ["title", "Second"] in now["evidence"][0]["items"]) == (True, True)
    del notes.notes["a"]
    assert (await look(tools, row, make_call()))["ok"] is False


@pytest.mark.parametrize(("tool", "unknown"), [("update_note", False), ("update_setting", True), ("gone", True)])
async def test_nothing_is_looked_up_when_the_outcome_is_known_or_nothing_reads_the_thing(tools, tool, unknown):
    row: Any = SimpleNamespace(tool=tool, args_jcs=b"{}", result={"outcome_unknown": unknown})
    with pytest.raises(Refused) as caught:
        await look(tools, row, make_call())
    assert caught.value.code == ("nothing_to_look_at" if unknown else "outcome_known")


async def test_an_undo_takes_back_the_fields_and_nothing_newer(tools, notes):
    done = await tools.call("update_note", RENAME, make_call())
    assert done.undo["args"] == {"key": "a", "title": "First"}
    notes.notes["a"]["title"] = "Newer"
    refused = await tools.call(done.undo["tool"], done.undo["args"], make_call(if_match=done.undo["if_match"]))
    assert (refused.status, notes.notes["a"]["title"]) == (412, "Newer")
    notes.notes["a"]["title"] = "Second"
    undone = await tools.call(done.undo["tool"], done.undo["args"], make_call(if_match=done.undo["if_match"]))
    assert (undone.ok, notes.notes["a"]["title"]) == (True, "First")


@pytest.mark.parametrize("key", ["..", "a/b", ""])
async def test_the_preview_of_a_value_that_leads_elsewhere_is_its_refusal(tools, notes, key):
    card = await tools.preview("update_setting", {"key": key, "title": "x"}, make_call())
    assert card.refusal.problem.code == "unsafe_value"
    result = await tools.call("update_setting", {"key": key, "title": "x"}, make_call())
    assert (result.problem.code, notes.headers) == ("unsafe_value", [])


def test_the_idempotency_key_is_no_argument(tools):
    assert "idempotency-key" not in tools.imported["update_note"].operation.schema["properties"]
