"""What a paused graph waits for: interrupts become cards and questions, decisions become resume values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from langgraph.types import Interrupt

from agent.approvals import Approvals
from agent.countersigned import UNAUTHORIZED, NeedsToken
from store import questions
from store.approvals import Approval
from store.fence import Lease
from store.pool import Pool
from store.questions import NewQuestion, Question
from store.turns import Waiting
from tools.toolset import ArgumentError, Call, Problem, ToolResult

EXPIRED = "nobody decided in time, the request has expired. It may be asked again if the person wants it"
REPLACED = "the request was withdrawn before the person decided"


@dataclass(slots=True)
class Waits:
    """The rows behind all interrupts of a pause, and the resume values of those that are decided, by interrupt id."""

    ready: dict[str, dict[str, Any]] = field(default_factory=dict)
    approvals: list[Approval] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def state(self) -> Waiting:
        """What the turn is waiting for."""
        return "waiting_approval" if any(row.state == "pending" for row in self.approvals) else "waiting_answer"

    @property
    def awaited(self) -> list[UUID]:
        """Ids of the rows that nobody has decided."""
        return [row.id for row in (*self.approvals, *self.questions) if row.state == "pending"]


async def look(
    pool: Pool, approvals: Approvals, lease: Lease, call: Callable[[str], Call], interrupts: Sequence[Interrupt]
) -> Waits:
    """Make the rows that are missing, and see what is decided. Raises `LostLease` and `NeedsToken`."""
    waits = Waits()
    for interrupt in interrupts:
        asked = interrupt.value
        if asked["kind"] == "question":
            row = await _question(pool, lease, asked)
            waits.questions.append(row)
            value = _answered(row)
        else:
            value = await _approval(approvals, lease, call(asked["key"]), asked, waits)
        if value is not None:
            waits.ready[interrupt.id] = value
    return waits


async def _approval(
    approvals: Approvals, lease: Lease, call: Call, asked: Mapping[str, Any], waits: Waits
) -> dict[str, Any] | None:
    row_key = f"{asked['key']}#{asked['round']}"
    waits.keys.append(row_key)
    try:
        row = await approvals.ask(lease, call, row_key, asked["tool"], asked["args"])
    except (ArgumentError, KeyError):
        detail = "Not run: the arguments do not fit the tool as it is now."
        problem = Problem(code="invalid_arguments", title="Invalid arguments", detail=detail)
        row = ToolResult(ok=False, text=detail, summary=detail, problem=problem)
    if isinstance(row, ToolResult):
        if row.status == UNAUTHORIZED:
            raise NeedsToken
        return {"kind": "refused", "result": row.model_dump(mode="json")}
    waits.approvals.append(row)
    return _decided(row)


def _decided(row: Approval) -> dict[str, Any] | None:
    match row.state:
        case "pending":
            return None
        case "approved" | "consumed" | "failed":
            return {"kind": "approved", "approval_id": str(row.id)}
        case "denied":
            return {"kind": "denied", "reason": row.reason, "about": (row.resource or {}).get("name")}
        case "expired":
            return {"kind": "denied", "reason": EXPIRED, "about": (row.resource or {}).get("name")}
        case _:
            return {"kind": "denied", "reason": REPLACED, "about": (row.resource or {}).get("name")}


async def _question(pool: Pool, lease: Lease, asked: Mapping[str, Any]) -> Question:
    new = NewQuestion(uuid4(), asked["key"], asked["question"], list(asked["choices"]), bool(asked["free"]))
    async with pool.connection() as connection:
        return await questions.insert(connection, lease, new)


def _answered(row: Question) -> dict[str, Any] | None:
    if row.state == "pending":
        return None
    return {"kind": "answer", "text": row.answer} if row.state == "answered" else {"kind": "denied", "reason": REPLACED}
