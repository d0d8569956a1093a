"""Things that tests of the store begin with: a person's conversation, a turn, a claimed turn, a pending card."""

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from store import approvals, conversations, leases, turns
from store.approvals import Approval, NewApproval
from store.conversations import Conversation
from store.messages import Content
from store.pool import Connection
from store.turns import Request, Turn

TENANT = "acme"
OWNER = "https://issuer|ann"
OTHER = "https://issuer|bob"


@dataclass(frozen=True, slots=True)
class Fence:
    """A lease by its bare numbers, for instance an outdated one."""

    turn_id: UUID
    fence: int


async def conversation(connection: Connection, owner: str = OWNER) -> Conversation:
    """An empty conversation."""
    return await conversations.create(connection, TENANT, owner)


def request(conversation_id: UUID, client_turn_id: str = "t1", text: str = "hello", owner: str = OWNER) -> Request:
    """A message as a person sends it."""
    content = Content([{"role": "user", "content": text}], text)
    return Request(TENANT, owner, conversation_id, client_turn_id, hashlib.sha256(text.encode()).digest(), content)


async def queued(connection: Connection, client_turn_id: str = "t1", into: UUID | None = None) -> Turn:
    """A turn that waits for a worker, in a conversation of its own unless told otherwise."""
    place = into or (await conversation(connection)).id
    return (await turns.accept(connection, request(place, client_turn_id))).turn


async def claim(connection: Connection, turn: Turn, *, seconds: float = 30.0) -> Turn:
    """The turn, claimed by a worker; a claim passes over a turn while a write of its old worker is under way."""
    async with asyncio.timeout(20):
        while True:
            claimed = await leases.claim(connection, "worker", seconds=seconds, run_seconds=600, turn_id=turn.id)
            if claimed is not None:
                return claimed


async def running(connection: Connection, **options: Any) -> Turn:
    """A turn that a worker holds."""
    return await claim(connection, await queued(connection), **options)


async def lose(connection: Connection, turn: Turn) -> None:
    """Let the lease of a turn run out."""
    query = "update turns set lease_until = clock_timestamp() - interval '1 second' where id = %s"
    await connection.execute(query, (turn.id,))


def new_approval(turn: Turn, call_key: str = "ai-1:call-1", **changes: Any) -> NewApproval:
    """A card for a call of this turn."""
    fields: dict[str, Any] = {
        "id": uuid4(),
        "tenant": turn.tenant,
        "owner": turn.owner,
        "conversation_id": turn.conversation_id,
        "turn_id": turn.id,
        "call_key": call_key,
        "version": 1,
        "tool": "delete_dashboard",
        "effect": "danger",
        "tool_sha256": hashlib.sha256(b"schema").digest(),
        "args_jcs": b'{"id":"d-1"}',
        "resource": {"type": "dashboard", "id": "d-1", "name": "Sales"},
        "etag": '"7"',
        "card": {"title": "Delete Sales"},
        "card_sha256": hashlib.sha256(b"card").digest(),
        "nonce": b"n" * 16,
        "kid": "k1",
        "sig": b"s" * 32,
        "expires_at": datetime.now(UTC) + timedelta(minutes=15),
    }
    return NewApproval(**{**fields, **changes})


async def pending(connection: Connection, turn: Turn, call_key: str = "ai-1:call-1", **changes: Any) -> Approval:
    """A stored card that nobody has decided."""
    return await approvals.insert(connection, turn, new_approval(turn, call_key, **changes))


async def waiting(connection: Connection) -> tuple[Turn, Approval]:
    """A turn that waits for the decision on one card."""
    turn = await running(connection)
    approval = await pending(connection, turn)
    assert await leases.wait(connection, turn, "waiting_approval", Content(), [approval.id]) == "waiting_approval"
    return await state_of(connection, turn), approval


async def state_of(connection: Connection, turn: Turn) -> Turn:
    """The turn as it is now."""
    found = await turns.get(connection, turn.tenant, turn.owner, turn.id)
    assert found is not None
    return found
