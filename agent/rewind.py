"""A message is answered again: the history goes back to what came before it, whole enough for any provider."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from agent.kit import HUMAN
from store import messages, turns
from store.messages import Message
from store.pool import Connection
from store.turns import Turn


async def rewound(
    connection: Connection, turn: Turn, history: Sequence[BaseMessage], window: int
) -> list[BaseMessage] | None:
    """What comes before this turn where it replaced others; None when the history holds nothing of what it replaced.

    Where the window no longer reaches back that far, the last `window` turns are retold from the transcript.
    """
    gone = {f"{HUMAN}{replaced}" for replaced in await turns.superseded(connection, turn.conversation_id)}
    cut = next((at for at, message in enumerate(history) if message.id in gone), None)
    if cut is None:
        return None
    said = await messages.page(connection, turn.tenant, turn.owner, turn.conversation_id, limit=2 * window + 1)
    earlier = [message for message in said if message.turn_id != turn.id]
    kept = list(history[:cut])
    if earlier and f"{HUMAN}{earlier[-1].turn_id}" not in {message.id for message in kept}:
        return _retold(earlier)
    return kept


def _retold(earlier: Sequence[Message]) -> list[BaseMessage]:
    """Words of both sides, without calls."""
    told: list[BaseMessage] = []
    for message in earlier:
        if message.role == "user":
            told.append(HumanMessage(message.text, id=f"{HUMAN}{message.turn_id}"))
        elif told and message.text.strip():
            told.append(AIMessage(message.text, id=f"ai_{message.id.hex}"))
    return told
