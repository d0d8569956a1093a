"""A conversation over the API as a program has it; every part of every update must be one that the page describes."""

import json
from typing import Any

from agent.events import Part
from tests.clients.drivers import Parts

Piece = dict[str, Any]


class Chat:
    """One conversation of one person."""

    def __init__(self, client: Any):
        self.client = client
        self.id = ""
        self.waits = False

    async def say(self, message: str = "", **fields: str) -> Parts:
        """Send, follow to the end, and give the last update; raises `ClientError`."""
        updates = await self.client.submit(message=message, conversation_id=self.id, **fields)
        for part in (part for parts in updates for part in parts):
            Part.model_validate(part)
        self.id = self.id or updates[0][0]["content"]
        self.waits = bool(of("confirm_required", updates[-1]))
        return updates[-1]

    async def decide(self, action: str, part: Piece, **extra: Any) -> Parts:
        """Confirm or deny the card of a part."""
        approval = part["metadata"]["approval"]
        decision = {"approval_id": approval["id"], "card_sha256": approval["card_sha256"], **extra}
        return await self.say(action=action, decision=json.dumps(decision))

    async def answer(self, part: Piece, text: str) -> Parts:
        """Answer the question of a part."""
        decision = {"question_id": part["metadata"]["question"]["id"], "text": text}
        return await self.say(action="answer", decision=json.dumps(decision))


def of(kind: str, parts: Parts) -> list[Piece]:
    """The parts of one type."""
    return [part for part in parts if part["metadata"]["type"] == kind]


def words(parts: Parts) -> str:
    """What the assistant said."""
    return "\n".join(part["content"] for part in of("stream_token", parts))
