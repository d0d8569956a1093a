"""What every turn of a process is driven with, and what one run is made of."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any

from langchain_core.messages import HumanMessage

from agent.approvals import Approvals
from agent.countersigned import ApprovedToolset
from agent.credentials import Credentials
from agent.failpoints import Failpoints
from agent.guards import Limits
from agent.identity import Principal
from agent.journal import Trace, Untraced
from agent.leases import Lease
from agent.model import ModelClient
from agent.routing import Routing
from agent.run import RunContext
from agent.steps import Usage
from store.messages import Message
from store.pool import Pool
from store.turns import Turn
from tools.toolset import Call, Toolset

HUMAN = "turn_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What every turn of a process is driven with: `price` of a usage, a `trace` for each turn."""

    pool: Pool
    approvals: Approvals
    credentials: Credentials
    toolset: Toolset
    routing: Routing
    model: ModelClient
    limits: Limits = field(default_factory=Limits)
    instructions: str = ""
    price: Callable[[Usage], float | None] = lambda _: None
    trace: Callable[[Turn], Trace] = lambda _: Untraced()
    failpoints: Failpoints = field(default_factory=Failpoints)


def run_context(
    kit: Kit, turn: Turn, lease: Lease, principal: Principal, *, review: bool, allowed: frozenset[str]
) -> RunContext:
    """LangGraph's context for a run of this turn on behalf of this person."""
    toolset = ApprovedToolset(
        kit.toolset,
        pool=kit.pool,
        approvals=kit.approvals,
        lease=lease,
        asks=lambda spec: context.asks(spec),
        token_good=lambda: kit.credentials.good(principal),
        failpoints=kit.failpoints,
    )
    context = RunContext(
        model=kit.model,
        toolset=toolset,
        routing=kit.routing,
        call=partial(call_of, turn, principal),
        conversation_id=str(turn.conversation_id),
        lang=turn.lang,
        role=principal.role,
        today=datetime.now(UTC).date().isoformat(),
        limits=kit.limits,
        run_end=asyncio.get_running_loop().time() + kit.limits.run,
        review_changes=review,
        always_allowed=allowed,
        instructions=kit.instructions,
        stop=lease.cancel,
        failpoints=kit.failpoints,
    )
    return context


def call_of(turn: Turn, principal: Principal, key: str) -> Call:
    """A call of this turn. Its idempotency key comes from the state and from nothing else, so a repeat has the same.

    It is not keyed with `APP_SECRETS`: they may rotate between the call and its repeat.
    """
    digest = sha256(f"{turn.id}|{key}".encode()).hexdigest()
    return Call(
        user_jwt=principal.user_jwt,
        tenant=turn.tenant,
        subject=turn.owner,
        role=principal.role,
        lang=turn.lang,
        conversation_id=str(turn.conversation_id),
        turn_id=str(turn.id),
        key=key,
        idempotency_key=f"tc-{digest}",
    )


def human_message(turn: Turn, asked: Message | None) -> HumanMessage:
    """The person's message under an id that a repeat replaces in place; attachments follow as texts of their own."""
    texts = [_told(part) for part in asked.parts] if asked else [""]
    content: Any = texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]
    return HumanMessage(content, id=f"{HUMAN}{turn.id}")


def _told(part: dict[str, Any]) -> str:
    """A part of the person's message as the model reads it; of a file only that it is there."""
    meta = part.get("metadata") or {}
    if meta.get("type") != "file":
        return part["content"]
    return f"[attached file: {part['content']}, {meta['size']} bytes; read_chat_file gives its text]"
