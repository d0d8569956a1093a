"""Everything that waits for a person's signature, over all conversations."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends

from agent.identity import Principal
from agent.turns import Turns
from ui import cards
from ui.answers import signed_in

Person = Annotated[Principal, Depends(signed_in)]
CARDS = {"confirm_required": cards.confirm, "ask_user": cards.ask}


def approval_routes(turns: Turns) -> APIRouter:
    """`GET /ui/approvals`: the cards, each with its conversation."""
    router = APIRouter(prefix="/ui")

    @router.get("/approvals")
    async def approvals(person: Person) -> dict[str, Any]:
        waiting = await turns.pending(person)
        titles = {row.id: row.title for row in await turns.conversations(person)}
        return {"waiting": [_card(part, titles) for part in waiting]}

    return router


def _card(part: dict[str, Any], titles: dict[str, str]) -> dict[str, Any]:
    conversation_id = part.get("conversation_id", "")
    value = CARDS[part["metadata"]["type"]](part)
    return {"conversation": conversation_id, "title": titles.get(conversation_id, ""), "value": value}
