"""What a person does with an answer: rate it, ask again, take the conversation home. Each checks for itself."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from agent.identity import Principal
from agent.turns import Message, Page, Turns
from tools.toolset import Lang
from ui.answers import request_language, signed_in
from ui.pages.files import attached
from ui.strings import words
from ui.transcript import files_of

Person = Annotated[Principal, Depends(signed_in)]
Id = Annotated[str, Field(min_length=1, max_length=255)]
STRETCH = 200


class RateBody(BaseModel):
    """A thumb on the answer of a turn: 1 is up, -1 down, 0 takes it back."""

    model_config = ConfigDict(extra="forbid")
    conversation_id: Id
    turn_id: Id
    value: Literal[-1, 0, 1]
    reason: Annotated[str, Field(max_length=1000)] = ""


class RerunBody(BaseModel):
    """Answer the message of a turn again, or another `message` in its place; the same `new_turn_id` does it once."""

    model_config = ConfigDict(extra="forbid")
    conversation_id: Id
    turn_id: Id
    new_turn_id: Id | None = None
    message: str | None = None


def message_routes(turns: Turns) -> APIRouter:
    """`POST /ui/rate`, `POST /ui/rerun`, `GET /ui/conversation.md` and `/ui/conversation.json`."""
    router = APIRouter(prefix="/ui")

    @router.post("/rate")
    async def rate(body: RateBody, person: Person) -> dict[str, Any]:
        await turns.rate(person, body.conversation_id, body.turn_id, body.value, body.reason)
        return {}

    @router.post("/rerun")
    async def rerun(request: Request, body: RerunBody, person: Person) -> dict[str, Any]:
        lang = request_language(request)
        ref = await turns.rerun(
            person,
            body.conversation_id,
            body.turn_id,
            body.new_turn_id or uuid.uuid4().hex,
            message=body.message,
            lang=lang,
        )
        return {"turn_id": ref.turn_id, "state": ref.state}

    @router.get("/conversation.md")
    async def as_markdown(request: Request, person: Person, conversation_id: Id) -> Response:
        page = await everything(turns, person, conversation_id)
        text = markdown(page, request_language(request))
        return Response(text, media_type="text/markdown; charset=utf-8", headers=_headers(page, "md"))

    @router.get("/conversation.json")
    async def as_json(person: Person, conversation_id: Id) -> JSONResponse:
        page = await everything(turns, person, conversation_id)
        said = [_message(message) for message in page.messages]
        told = {"id": page.conversation_id, "title": page.title, "exported_at": datetime.now(UTC).isoformat()}
        return JSONResponse({**told, "usage": spent(page), "messages": said}, headers=_headers(page, "json"))

    return router


async def everything(turns: Turns, person: Principal, conversation_id: str) -> Page:
    """A conversation as one page, however long it is; raises `Refused`."""
    page = await turns.open(person, conversation_id, limit=STRETCH)
    earlier, stretches = page.earlier, [page.messages]
    while earlier is not None:
        before = await turns.open(person, conversation_id, before=earlier, limit=STRETCH)
        stretches.append(before.messages)
        earlier = before.earlier
    said = [message for stretch in reversed(stretches) for message in stretch]
    return Page(page.conversation_id, page.title, page.review_changes, said, page.active_turn, None)


def spent(page: Page) -> dict[str, int]:
    """The tokens of all answers of the conversation together."""
    told = [part["metadata"] for m in page.messages for part in m.parts if part["metadata"]["type"] == "usage"]
    return {name: sum(meta.get(name, 0) for meta in told) for name in ("input", "cached", "reasoning", "output")}


def markdown(page: Page, lang: Lang) -> str:
    """The conversation for people: who said what and when, which tools ran, what was signed."""
    blocks = [f"# {page.title or words('side.untitled', lang)}"]
    for message in page.messages:
        who = words("export.you", lang) if message.role == "user" else "Countersign"
        blocks.append(f"## {who} · {message.created_at[:16].replace('T', ' ')} UTC")
        blocks += _asked(message) if message.role == "user" else _said(message.parts, lang)
    return "\n\n".join(block for block in blocks if block.strip()) + "\n"


def _asked(message: Message) -> Iterator[str]:
    yield message.text
    yield "\n".join(f"- `{_line(file['name'])}`" for file in files_of(message))


def _said(parts: Sequence[dict[str, Any]], lang: Lang) -> Iterator[str]:
    for part in parts:
        meta = part["metadata"]
        match meta["type"]:
            case "stream_token" if not meta.get("reasoning"):
                yield part["content"]
            case "tool_end" | "tool_error" if not meta.get("approval_id"):
                yield f"- `{meta['tool']}`: {_line(meta.get('title'), meta.get('summary'))}"
            case "confirm_required" | "confirm_resolved":
                yield f"- `{meta['tool']}`: {_signed(meta['approval'], lang)}"
            case "ask_user":
                yield f"> {_line(meta['question']['question'], meta['question'].get('answer'))}"
            case "error" | "notice":
                yield f"> {_line(part['content'])}"


def _signed(approval: dict[str, Any], lang: Lang) -> str:
    state = {"pending": "d.asked", "consumed": "d.approved"}.get(approval["state"], f"d.{approval['state']}")
    outcome = (approval.get("result") or {}).get("summary")
    return _line(approval["card"].get("title"), words(state, lang), approval.get("decided_by"), outcome)


def _line(*texts: str | None) -> str:
    """Texts as one line, whatever line breaks they hold."""
    return " · ".join(" ".join(str(text).split()) for text in texts if text)


def _message(message: Message) -> dict[str, Any]:
    names = ("turn_id", "role", "state", "created_at", "text", "parts", "rating")
    return {name: getattr(message, name) for name in names}


def _headers(page: Page, kind: str) -> dict[str, str]:
    """Kept as a file, by nobody on the way."""
    return {**attached(f"conversation-{page.conversation_id[:8]}.{kind}"), "Cache-Control": "no-store"}
