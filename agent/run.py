"""What a run knows besides its state: whom it serves, its tools and model, its limits. Never stored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.failpoints import Failpoints
from agent.guards import Limits
from agent.model import ModelClient
from agent.routing import Routing
from tools.toolset import Call, Effect, Lang, ToolResult, Toolset, ToolSpec


class Countersigned(Toolset, Protocol):
    """A toolset that runs what needs an approval only with one."""

    async def call_approved(self, approval_id: str, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run an approved call with the bytes that were signed; `args` are the call's own, from the state."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """LangGraph's `context=` of one run of one turn.

    `call` makes the `Call` for a call key. `stop` is set when the person stops the turn: the model falls silent, calls
    that have not begun are not made, a running call is awaited, and the turn ends as a whole history. `run_end` is in
    event loop time, `today` an ISO date.
    """

    model: ModelClient
    toolset: Countersigned
    routing: Routing
    call: Callable[[str], Call]
    conversation_id: str
    lang: Lang
    role: str
    today: str
    limits: Limits = field(default_factory=Limits)
    run_end: float = float("inf")
    review_changes: bool = False
    always_allowed: frozenset[str] = frozenset()
    instructions: str = ""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    failpoints: Failpoints = field(default_factory=Failpoints)

    def asks(self, spec: ToolSpec) -> bool:
        """Whether a call of this tool needs the person's approval in this run."""
        if spec.effect is Effect.READ:
            return False
        return spec.effect is Effect.DANGER or (self.review_changes and spec.name not in self.always_allowed)
