"""The last gate before the backend: only what a person countersigned runs, as it was signed, once."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from langgraph.errors import GraphBubbleUp

from agent.approvals import Approvals, entry
from agent.binding import argument_bytes
from agent.cards import refresh
from agent.failpoints import Failpoints
from agent.leases import Lease
from store import approvals as rows
from store import audit, clock, undone
from store.approvals import Approval
from store.errors import NotApproved, NotFound
from store.pool import Connection, Pool
from tools.language import shown_name
from tools.toolset import ArgumentError, Call, Effect, Lang, Preview, Problem, ToolResult, Toolset, ToolSpec

UNAUTHORIZED = 401
WORDS = {
    "unknown": "there is no such approval",
    "other_call": "the approval was given for another call",
    "not_approved": "the call was not approved",
    "expired": "the approval has expired",
    "signature": "the approval's signature does not hold",
    "arguments": "the arguments are not the ones that were approved",
    "tool": "the tool has changed since the call was approved",
    "needs_approval": "this tool runs only with a person's approval",
}
NAMING = ("id", "name", "title", "environment")


class Unapproved(Exception):  # noqa: N818
    """The call must not run; `why` is one of `WORDS`."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


class NeedsToken(GraphBubbleUp):
    """The person's token has run out: the same step goes on when they come back with a fresh one."""


class ApprovedToolset:
    """A `Toolset` for one claimed turn that refuses what was not countersigned, and loses no outcome.

    `asks` says whether a tool needs an approval in this turn, `token_good` whether the person's token is still worth
    sending. A call that changes something is finished and recorded even when its caller is cancelled meanwhile.
    """

    def __init__(
        self,
        toolset: Toolset,
        *,
        pool: Pool,
        approvals: Approvals,
        lease: Lease,
        asks: Callable[[ToolSpec], bool],
        token_good: Callable[[], bool] = lambda: True,
        failpoints: Failpoints | None = None,
    ):
        self._toolset = toolset
        self._pool = pool
        self._approvals = approvals
        self._lease = lease
        self._asks = asks
        self._token_good = token_good
        self._failpoints = failpoints or Failpoints()

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools by name."""
        return self._toolset.specs

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments as plain JSON values; raises `ArgumentError` or `KeyError`."""
        return self._toolset.validate(name, args)

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """What the call would change. Changes nothing."""
        return await self._toolset.preview(name, args, call)

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run a call that needs no approval; one that does is refused. Raises `LeaseLost` and `NeedsToken`."""
        spec = self.specs[name]
        if spec.effect is Effect.READ:
            self._lease.check()
            return await self._send(name, args, call)
        if spec.effect is Effect.DANGER or self._asks(spec):
            return await self._refused(None, name, call, "needs_approval")
        return await self._kept(self._run_unasked(name, args, call))

    async def call_approved(self, approval_id: str, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run an approved call with the very bytes that were signed. `args` are the call's own, from the state.

        Anything that does not fit is refused before the backend hears of it. Raises `LeaseLost` and `NeedsToken`.
        """
        row = None
        try:
            async with self._pool.connection() as connection:
                row = await self._found(connection, approval_id, call)
                await self._verify(connection, row, name, args, call)
        except Unapproved as unapproved:
            return await self._refused(row, name, call, unapproved.why)
        return _told_of_edit(row, self._held(row.tool, args), await self._kept(self._run_approved(row, call)))

    async def _found(self, connection: Connection, approval_id: str, call: Call) -> Approval:
        try:
            row = await rows.get(connection, call.tenant, call.subject, UUID(approval_id))
        except ValueError:
            row = None
        if row is None:
            raise Unapproved("unknown")
        return row

    async def _verify(self, connection: Connection, row: Approval, name: str, args: dict[str, Any], call: Call) -> None:
        """The order of checks: whose, which call, decided, still valid, untouched, same arguments, same tool."""
        place = (str(row.turn_id), str(row.conversation_id), row.call_key.rpartition("#")[0], row.tool)
        if place != (call.turn_id, call.conversation_id, call.key, name):
            raise Unapproved("other_call")
        if row.state not in ("approved", "consumed", "failed"):
            raise Unapproved("not_approved")
        if row.state == "approved" and row.expires_at <= await clock.now(connection):
            raise Unapproved("expired")
        if not (self._approvals.holds(row) and self._approvals.approved(row)):
            raise Unapproved("signature")
        if not await self._proposed(connection, row, args):
            raise Unapproved("arguments")
        if self.specs[name].sha256() != row.tool_sha256:
            raise Unapproved("tool")

    async def _proposed(self, connection: Connection, row: Approval, args: dict[str, Any]) -> bool:
        """Whether the state still holds the call that was put before the person at first.

        Edits and later rounds leave that card behind.
        """
        call_key = row.call_key.rpartition("#")[0]
        cards = [r for r in await rows.of_turn(connection, row.turn_id) if r.call_key.rpartition("#")[0] == call_key]
        first = cards[0]
        return first.version == 1 and self._approvals.holds(first) and first.args_jcs == self._held(row.tool, args)

    def _held(self, tool: str, args: dict[str, Any]) -> bytes | None:
        """The bytes of the arguments that the state holds, if they fit the tool."""
        try:
            return argument_bytes(tool, self.validate(tool, args))
        except (ArgumentError, KeyError):
            return None

    async def _run_approved(self, row: Approval, call: Call) -> ToolResult:
        if not self._token_good():
            raise NeedsToken
        self._lease.check()
        try:
            async with self._pool.connection() as connection, connection.transaction():
                taken = await rows.consume(connection, self._lease, row.id)
                if taken.approval.result is None:
                    await audit.append(connection, entry("sent", row, None, _sent(row)))
        except (NotApproved, NotFound):
            return await self._refused(row, row.tool, call, "not_approved")
        if taken.approval.result is not None:
            return ToolResult.model_validate(taken.approval.result)
        signed = replace(call, if_match=row.etag, idempotency_key=f"ap-{row.id}")
        if taken.first or self.specs[row.tool].repeatable:
            result = await self._send(row.tool, json.loads(row.args_jcs), signed)
        else:
            result = _unknown(call.lang)
        async with self._pool.connection() as connection, connection.transaction():
            await rows.record(connection, self._lease, row.id, result.model_dump(mode="json"), ok=result.ok)
            came_back = entry("came_back", row, None, _came_back(result))
            await self._on_record(connection, came_back, json.loads(row.args_jcs), result)
        return result

    async def _run_unasked(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        self._lease.check()
        about = {"args": args, "idempotency_key": call.idempotency_key}
        await self._audit("sent", name, call, about)
        result = await self._send(name, args, call)
        told = {**_came_back(result), "idempotency_key": call.idempotency_key, "thing": _thing(result.data)}
        async with self._pool.connection() as connection, connection.transaction():
            await self._on_record(connection, _entry("came_back", name, call, told), args, result)
        return result

    async def _on_record(
        self, connection: Connection, came_back: audit.Entry, args: dict[str, Any], result: ToolResult
    ) -> None:
        """Write down how a call came back; a card whose doing it took back says so from now on, and the log too."""
        tool, tenant, owner, place = came_back.tool, came_back.tenant, came_back.owner, came_back.conversation_id
        marked: list[Approval] = []
        if result.ok and tool and place:
            marked = await undone.mark_by_call(connection, tenant, owner, place, tool, args)
        await audit.append(connection, came_back)
        for row in marked:
            await audit.append(connection, entry("undone", row, None, {"tool": tool, "args": args}))
            await refresh(connection, self._approvals, row.tenant, row.owner, row.turn_id)

    async def _send(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        if not self._token_good():
            raise NeedsToken
        await self._failpoints.reach("K10")
        self._lease.check()
        result = await self._toolset.call(name, args, call)
        await self._failpoints.reach("K11")
        if result.status == UNAUTHORIZED:
            raise NeedsToken
        return result

    async def _kept(self, work: Awaitable[ToolResult]) -> ToolResult:
        """The result of the work, finished even when the caller is cancelled, unless the lease is lost."""
        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self._lease.lost.is_set():
                task.cancel()
            await asyncio.wait({task})
            raise

    async def _refused(self, row: Approval | None, name: str, call: Call, why: str) -> ToolResult:
        detail = f"Not run: {WORDS[why]}."
        problem = Problem(code=f"approval_{why}", title="Not approved", detail=detail)
        result = ToolResult(ok=False, text=detail, summary=detail, problem=problem)
        async with self._pool.connection() as connection, connection.transaction():
            if row is not None and why != "other_call":
                await rows.refuse(connection, self._lease, row.id, result.model_dump(mode="json"))
            await audit.append(connection, _entry("refused", name, call, {"why": why}, row))
        return result

    async def _audit(self, kind: str, name: str, call: Call, data: dict[str, Any]) -> None:
        async with self._pool.connection() as connection:
            await audit.append(connection, _entry(kind, name, call, data))


def _entry(kind: str, name: str, call: Call, data: dict[str, Any], row: Approval | None = None) -> audit.Entry:
    return audit.Entry(
        tenant=call.tenant,
        kind=kind,
        actor=call.subject,
        owner=call.subject,
        conversation_id=UUID(call.conversation_id),
        turn_id=UUID(call.turn_id),
        approval_id=row.id if row else None,
        tool=name,
        data=data,
    )


def _told_of_edit(row: Approval, held: bytes | None, result: ToolResult) -> ToolResult:
    """The model learns that other arguments ran than the ones it proposed."""
    if row.args_jcs == held:
        return result
    told = f"The person changed the arguments before approving, to {row.args_jcs.decode()}\n"
    return result.model_copy(update={"text": told + result.text})


def _sent(row: Approval) -> dict[str, Any]:
    return {"args_jcs": row.args_jcs.decode(), "if_match": row.etag, "idempotency_key": f"ap-{row.id}"}


def _thing(data: Any) -> dict[str, str]:
    """What the log calls the thing that a call without a card was about: no card has named it."""
    told = data if isinstance(data, dict) else {}
    return {name: shown_name(str(told[name])) for name in NAMING if isinstance(told.get(name), str | int)}


def _came_back(result: ToolResult) -> dict[str, Any]:
    problem = result.problem.model_dump(mode="json", include={"status", "code", "detail"}) if result.problem else None
    return {
        "ok": result.ok,
        "status": result.status,
        "summary": result.summary,
        "problem": problem,
        "replayed": result.replayed,
        "outcome_unknown": result.outcome_unknown,
    }


def _unknown(lang: Lang) -> ToolResult:
    """A call that another process sent before it died, to a backend that may act on it twice: it is not sent again."""
    return ToolResult(
        ok=False,
        text="The call was sent once before a crash and its outcome is unknown. It was not sent again. "
        "Look up the current state and tell the person.",
        summary="исход неизвестен" if lang == "ru" else "outcome unknown",
        problem=Problem(code="outcome_unknown", title="The outcome of the call is unknown"),
        outcome_unknown=True,
    )
