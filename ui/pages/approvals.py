"""Everything that waits for a person, over all conversations: requests for a signature and questions."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from agent.identity import Principal
from agent.turns import Turns
from tools.toolset import Lang
from ui import cards
from ui.answers import request_language, signed_in

Person = Annotated[Principal, Depends(signed_in)]


def approval_routes(turns: Turns) -> APIRouter:
    """`GET /ui/approvals`: the cards, each with its conversation."""
    router = APIRouter(prefix="/ui")

    @router.get("/approvals")
    async def approvals(request: Request, person: Person) -> dict[str, Any]:
        lang = request_language(request)
        waiting = await turns.pending(person)
        titles = {row.id: row.title for row in await turns.conversations(person)}
        return {"waiting": [_card(part, titles, lang) for part in waiting]}

    return router


def _card(part: dict[str, Any], titles: dict[str, str], lang: Lang) -> dict[str, Any]:
    conversation_id = part.get("conversation_id", "")
    value = cards.ask(part) if part["metadata"]["type"] == "ask_user" else cards.confirm(part, lang)
    return {"conversation": conversation_id, "title": titles.get(conversation_id, ""), "value": value}
