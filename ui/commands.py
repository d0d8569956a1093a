"""What a person does besides talking: decide, answer, undo, try again, tidy up. Each checks for itself."""

import uuid
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from agent.identity import Principal
from agent.refused import Refused
from agent.turns import Decision, Turns
from ui.answers import request_language, signed_in
from ui.endpoint import BadRequest, again

Person = Annotated[Principal, Depends(signed_in)]
Id = Annotated[str, Field(min_length=1, max_length=255)]
Words = Annotated[str, Field(min_length=1, max_length=4000)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DecideBody(_Body):
    """A press of Sign, Deny or Check edits."""

    approval_id: Id
    card_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    decision: Literal["approve", "deny", "edit"]
    args: dict[str, Any] | None = None
    reason: Annotated[str, Field(max_length=1000)] | None = None


class AnswerBody(_Body):
    """An answer to a question of the agent."""

    question_id: Id
    text: Words


class ApprovalBody(_Body):
    """Names an approval, and the conversation it is in."""

    approval_id: Id
    conversation_id: str = ""


class TurnBody(_Body):
    """Names a turn."""

    conversation_id: Id
    turn_id: Id


class ConversationBody(_Body):
    """Names a conversation."""

    conversation_id: Id


class RenameBody(ConversationBody):
    """A new title."""

    title: Annotated[str, Field(min_length=1, max_length=80)]


class ReviewBody(ConversationBody):
    """Whether changes that can be undone ask too."""

    on: bool


class AlwaysBody(_Body):
    """Whether a tool need not ask any more."""

    tool: Id
    on: bool


def command_routes(turns: Turns) -> APIRouter:
    """`POST /ui/...`, one for each command; a `Refused` becomes its status, code and sentence."""
    router = APIRouter(prefix="/ui")

    @router.post("/decide")
    async def decide(body: DecideBody, person: Person) -> dict[str, Any]:
        approval = await turns.decide(person, Decision(**body.model_dump()))
        return {"approval": approval.model_dump(mode="json")}

    @router.post("/answer")
    async def answer(body: AnswerBody, person: Person) -> dict[str, Any]:
        await turns.answer(person, body.question_id, body.text)
        return {}

    @router.post("/undo")
    async def undo(body: ApprovalBody, person: Person) -> dict[str, Any]:
        return {"approval": (await turns.undo(person, body.approval_id)).model_dump(mode="json")}

    @router.post("/look")
    async def look(body: ApprovalBody, person: Person) -> dict[str, Any]:
        return {"now": await turns.look(person, body.approval_id)}

    @router.post("/retry")
    async def retry(request: Request, body: TurnBody, person: Person) -> dict[str, Any]:
        try:
            await again(turns, person, body.conversation_id, body.turn_id, request_language(request))
        except BadRequest:
            raise Refused("not_found", request_language(request)) from None
        return {}

    @router.post("/again")
    async def ask_again(request: Request, body: ApprovalBody, person: Person) -> dict[str, Any]:
        lang = request_language(request)
        text = await _words_behind(turns, person, body)
        if text is None:
            raise Refused("not_found", lang)
        await turns.accept(person, body.conversation_id, text, uuid.uuid4().hex, lang)
        return {}

    @router.post("/rename")
    async def rename(body: RenameBody, person: Person) -> dict[str, Any]:
        await turns.rename(person, body.conversation_id, body.title)
        return {}

    @router.post("/delete")
    async def delete(body: ConversationBody, person: Person) -> dict[str, Any]:
        await turns.delete(person, body.conversation_id)
        return {}

    @router.post("/review")
    async def review(body: ReviewBody, person: Person) -> dict[str, Any]:
        await turns.set_review(person, body.conversation_id, body.on)
        return {}

    @router.post("/always")
    async def always(body: AlwaysBody, person: Person) -> dict[str, Any]:
        await turns.allow_always(person, body.tool, body.on)
        return {}

    return router


async def _words_behind(turns: Turns, person: Principal, body: ApprovalBody) -> str | None:
    """The message whose answer held this request."""
    page = await turns.open(person, body.conversation_id)
    said = {message.turn_id: message.text for message in page.messages if message.role == "user"}
    for message in page.messages:
        for part in message.parts if message.role == "assistant" else []:
            if (part["metadata"].get("approval") or {}).get("id") == body.approval_id:
                return said.get(message.turn_id)
    return None
