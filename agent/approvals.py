"""Approvals: ask a person about one exact call, and take their decision. What runs is in `countersigned.py`."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

from agent import events
from agent.binding import Binding, argument_bytes, card_of, card_sha256, decision_holds, sign_decision
from agent.differences import tell_edited, tell_moved
from agent.failpoints import Failpoints
from agent.identity import Principal
from agent.keys import KeyRing
from agent.refused import Refused
from store import approvals as rows
from store import audit, clock
from store.approvals import Approval, Decided, NewApproval, Verdict
from store.errors import NotFound
from store.fence import Lease
from store.pool import Connection, Pool
from tools.labels import form_schema
from tools.text import clean_text, visible
from tools.toolset import ArgumentError, Call, Effect, Lang, Problem, ToolResult, Toolset, ToolSpec

SAME = {"approve": ("approved", "consumed", "failed"), "deny": ("denied",)}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided on a card; `card_sha256` (hex) names the very card that they saw.

    `args` go with "edit", `reason` with "deny". `conversation_id` says where they saw it, when the client knows.
    """

    approval_id: str
    decision: Literal["approve", "deny", "edit"]
    card_sha256: str
    args: dict[str, Any] | None = None
    reason: str | None = None
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call, validated and previewed, that a person may be asked about."""

    spec: ToolSpec
    args_jcs: bytes
    card: dict[str, Any] = field(repr=False)
    resource: dict[str, Any] | None = None
    etag: str | None = None


class Approvals:
    """Asks and takes decisions. `minutes` is how long a card stays open, `per_user` how many may wait at once."""

    def __init__(
        self,
        *,
        pool: Pool,
        keys: KeyRing,
        toolset: Toolset,
        minutes: float = 15,
        per_user: int = 20,
        failpoints: Failpoints | None = None,
    ):
        self._pool = pool
        self._keys = keys
        self._toolset = toolset
        self._minutes = minutes
        self._per_user = per_user
        self._failpoints = failpoints or Failpoints()

    async def ask(
        self, lease: Lease, call: Call, call_key: str, tool: str, args: dict[str, Any]
    ) -> Approval | ToolResult:
        """Put one call before the person: validate, preview, draw the card, sign, store.

        Asking for the same `call_key` again finds the row that is there. A call that need not be asked about (the
        backend refuses it already, it was denied in this turn, too much waits) is answered with its result.
        """
        async with self._pool.connection() as connection:
            known = await rows.of_call(connection, lease.turn_id, call_key)
            if known and known.state != "superseded":
                return known
            earlier = await rows.of_turn(connection, lease.turn_id)
            _, waiting = await rows.count_pending(connection, call.tenant, call.subject, UUID(call.conversation_id))
        if waiting >= self._per_user:
            return _problem("too_many_pending", str(Refused("too_many_pending", call.lang, limit=self._per_user)))
        before = _round_before(earlier, call_key)
        proposal = await self.propose(call, tool, json.loads(before.args_jcs) if before else args, before)
        if isinstance(proposal, ToolResult):
            return proposal
        if denied := _denied_before(earlier, proposal):
            return _denied_again(denied)
        return await self._store(lease, call, call_key, proposal, known.version + 1 if known else 1)

    async def propose(
        self, call: Call, tool: str, args: dict[str, Any], before: Approval | None = None
    ) -> Proposal | ToolResult:
        """Validate and preview; the card tells what became different since the round `before`.

        A refusal of the backend comes back as its result. Raises `ArgumentError` and `KeyError`.
        """
        spec = self._toolset.specs[tool]
        valid = self._toolset.validate(tool, args)
        args_jcs = argument_bytes(tool, valid)
        preview = await self._toolset.preview(tool, valid, call)
        if preview.refusal is not None:
            return preview.refusal
        card = card_of(spec, preview, valid, args_jcs, call.lang)
        if before:
            tell_moved(before, card, preview.etag)
        resource = preview.resource.model_dump() if preview.resource else None
        return Proposal(spec, args_jcs, card, resource, preview.etag)

    async def decide(self, connection: Connection, principal: Principal, decision: Decision) -> Decided:
        """Approve or deny, inside the caller's transaction; the first decision stands. Raises `NotFound`.

        A card whose signature no longer holds (a retired key, a changed row) expires instead of being approved.
        """
        seen = await self.owned(connection, principal, decision.approval_id)
        if decision.decision == "approve" and (voided := await self._void(connection, principal, seen)):
            return voided
        state = "approved" if decision.decision == "approve" else "denied"
        signed = sign_decision(self._keys, seen.sig, state, principal.subject)
        verdict = Verdict(state, principal.subject, principal.name, decision.reason, signed)
        decided = await rows.decide(
            connection, principal.tenant, principal.subject, seen.id, _sha(decision.card_sha256), verdict
        )
        if decided.won:
            data = {"decision": state, "reason": decision.reason, "card_sha256": decision.card_sha256}
            await audit.append(connection, entry("decided", seen, principal, data))
        else:
            await _audit_loser(connection, principal, decided, decision)
        return decided

    async def revise(self, call: Call, principal: Principal, decision: Decision) -> Proposal:
        """The proposal that an edit makes of its card: other arguments of the same tool.

        Raises `NotFound`, and `Refused` for arguments that do not fit, with `errors` by field, for fields that no
        form of this tool has, and when the backend refuses.
        """
        async with self._pool.connection() as connection:
            old = await self.owned(connection, principal, decision.approval_id)
        try:
            proposal = await self.propose(call, old.tool, _as_meant(decision.args or {}, json.loads(old.args_jcs)))
        except ArgumentError as error:
            raise self._misfit(old.tool, decision.args or {}, error, call.lang) from None
        if isinstance(proposal, ToolResult):
            raise Refused("refused_by_backend", call.lang, detail=proposal.text)
        tell_edited(old, proposal.card, proposal.args_jcs)
        return proposal

    def _misfit(self, tool: str, args: Mapping[str, Any], error: ArgumentError, lang: Lang) -> Refused:
        """A value that does not fit its field is a slip in the form; a field that the form never had is none."""
        fields = form_schema(self._toolset.specs[tool], lang).get("properties", {})
        if unknown := sorted(args.keys() - fields.keys()):
            names = ", ".join(clean_text(name, 40) for name in unknown[:5])
            return Refused("unknown_fields", lang, errors=error.errors, names=names)
        return Refused("invalid_arguments", lang, errors=error.errors)

    async def edit(
        self, connection: Connection, call: Call, principal: Principal, decision: Decision, proposal: Proposal
    ) -> Decided:
        """Replace the card by one for the proposal, which then waits for a decision of its own.

        Inside the caller's transaction. The same edit again finds the card that it made. Raises `NotFound`.
        """
        old = await self.owned(connection, principal, decision.approval_id)
        if voided := await self._void(connection, principal, old):
            return voided
        new = await self._signed(connection, call, old.call_key, proposal, old.version + 1)
        decided = await rows.edit(
            connection, principal.tenant, principal.subject, old.id, _sha(decision.card_sha256), new
        )
        if decided.won:
            data = {"decision": "edited", "replaced_by": str(new.id)}
            await audit.append(connection, entry("decided", old, principal, data))
            await _audit_asked(connection, decided.approval, principal)
            return decided
        made = await rows.of_call(connection, old.turn_id, old.call_key)
        if made and made.version == old.version + 1 and made.args_jcs == proposal.args_jcs:
            return Decided(made, won=False)
        await _audit_loser(connection, principal, decided, decision)
        return decided

    async def _void(self, connection: Connection, principal: Principal, seen: Approval) -> Decided | None:
        """Let a waiting card whose signature does not hold expire; None when it is good or decided."""
        if seen.state != "pending" or self.holds(seen):
            return None
        voided = await rows.void(connection, principal.tenant, principal.subject, seen.id)
        await audit.append(connection, entry("refused", seen, principal, {"why": "signature"}))
        return Decided(voided, won=False)

    def holds(self, row: Approval) -> bool:
        """Whether the row is what was signed, card included."""
        try:
            shown = card_sha256(row.card) == row.card_sha256
        except ValueError:
            return False
        return shown and binding_of(row).holds(self._keys, row.kid, row.sig)

    def approved(self, row: Approval) -> bool:
        """Whether the row's owner approved it through us."""
        return row.decided_by == row.owner and decision_holds(
            self._keys, row.sig, "approved", row.decided_by, row.decision_sig
        )

    def part(self, row: Approval) -> events.Approval:
        """The approval as the stream protocol shows it."""
        args = json.loads(row.args_jcs)
        spec = self._toolset.specs.get(row.tool)
        return events.Approval(
            id=str(row.id),
            state=row.state,
            version=row.version,
            tool=row.tool,
            effect=row.effect,
            args=visible(args),
            args_schema=form_schema(spec, row.card["lang"]) if spec and row.state == "pending" else None,
            card=row.card,
            card_sha256=row.card_sha256.hex(),
            revision=row.etag,
            expires_at=row.expires_at.isoformat(),
            decided_by=row.decided_by_name,
            decided_at=row.decided_at.isoformat() if row.decided_at else None,
            reason=row.reason,
            result=row.result,
        )

    async def owned(self, connection: Connection, principal: Principal, approval_id: str) -> Approval:
        """The person's approval; raises `NotFound`."""
        row = await rows.get(connection, principal.tenant, principal.subject, _uuid(approval_id))
        if row is None:
            raise NotFound("no such approval")
        return row

    async def _store(self, lease: Lease, call: Call, call_key: str, proposal: Proposal, version: int) -> Approval:
        await self._failpoints.reach("K05")
        async with self._pool.connection() as connection, connection.transaction():
            new = await self._signed(connection, call, call_key, proposal, version)
            row = await rows.insert(connection, lease, new)
            if row.id == new.id:
                await _audit_asked(connection, row)
        await self._failpoints.reach("K06")
        return row

    async def _signed(
        self, connection: Connection, call: Call, call_key: str, proposal: Proposal, version: int
    ) -> NewApproval:
        bound = Binding(
            id=uuid4(),
            tenant=call.tenant,
            owner=call.subject,
            conversation_id=UUID(call.conversation_id),
            turn_id=UUID(call.turn_id),
            call_key=call_key,
            version=version,
            tool=proposal.spec.name,
            effect="write" if proposal.spec.effect is Effect.WRITE else "danger",
            tool_sha256=proposal.spec.sha256(),
            args_jcs=proposal.args_jcs,
            resource=proposal.resource,
            etag=proposal.etag,
            card_sha256=card_sha256(proposal.card),
            nonce=secrets.token_bytes(16),
            expires_at=await clock.now(connection) + timedelta(minutes=self._minutes),
        )
        kid, sig = bound.sign(self._keys)
        return NewApproval(**_fields(bound), card=proposal.card, kid=kid, sig=sig)


def entry(kind: str, row: Approval, who: Principal | None, data: dict[str, Any]) -> audit.Entry:
    """An audit entry about an approval; the person's own agent acted when nobody else did."""
    return audit.Entry(
        tenant=row.tenant,
        kind=kind,
        actor=who.subject if who else row.owner,
        actor_name=who.name if who else "",
        owner=row.owner,
        conversation_id=row.conversation_id,
        turn_id=row.turn_id,
        approval_id=row.id,
        tool=row.tool,
        data=data,
    )


def attempt(decision: Decision, principal: Principal, why: str) -> audit.Entry:
    """An audit entry about a decision that did not even find its card, or could not be one on it."""
    try:
        approval_id = UUID(decision.approval_id)
    except ValueError:
        approval_id = None
    return audit.Entry(
        tenant=principal.tenant,
        kind="refused",
        actor=principal.subject,
        actor_name=principal.name,
        owner=principal.subject,
        approval_id=approval_id,
        data={"why": why, "decision": decision.decision},
    )


async def _audit_loser(connection: Connection, who: Principal, decided: Decided, decision: Decision) -> None:
    if refused := refusal(decided, decision, "en"):
        data = {"why": refused.code, "decision": decision.decision, "winner": refused.winner}
        await audit.append(connection, entry("refused", decided.approval, who, data))


async def _audit_asked(connection: Connection, row: Approval, who: Principal | None = None) -> None:
    asked = {"args": visible(json.loads(row.args_jcs)), "version": row.version}
    shown = {"card": row.card, "card_sha256": row.card_sha256.hex()}
    await audit.append(connection, entry("asked", row, who, asked))
    await audit.append(connection, entry("shown", row, who, shown))


def binding_of(row: Approval) -> Binding:
    """What the row claims to have been signed."""
    return Binding(**_fields(row))


def refusal(decided: Decided, decision: Decision, lang: Lang) -> Refused | None:
    """Why a decision that did not win is refused; None if it only repeats what was decided."""
    state = decided.approval.state
    if decision.decision == "edit" and str(decided.approval.id) != decision.approval_id:
        return None
    if state == "pending":
        return Refused("stale_card", lang)
    if state in SAME.get(decision.decision, ()):
        return None
    return Refused("expired", lang) if state == "expired" else Refused("already_decided", lang, winner=state)


def _round_before(earlier: list[Approval], call_key: str) -> Approval | None:
    """What was signed of this call in the round before this one, perhaps as the person had edited it."""
    key = call_key.rpartition("#")[0]
    rounds = (row for row in reversed(earlier) if row.call_key != call_key and row.call_key.rpartition("#")[0] == key)
    return next(rounds, None)


def _as_meant(edited: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The edited arguments; a value that was left as it was shown keeps the hidden characters that it really has."""
    return {name: old[name] if name in old and visible(old[name]) == value else value for name, value in edited.items()}


def _denied_before(earlier: list[Approval], proposal: Proposal) -> Approval | None:
    for row in earlier:
        if row.state == "denied" and row.tool == proposal.spec.name and row.args_jcs == proposal.args_jcs:
            return row
    return None


def _denied_again(row: Approval) -> ToolResult:
    reason = f" Their reason: {row.reason}" if row.reason else ""
    detail = f"The person already denied this exact call in this turn; do not repeat it.{reason}"
    return _problem("denied_before", detail)


def _problem(code: str, detail: str) -> ToolResult:
    problem = Problem(code=code, title=code.replace("_", " "), detail=detail)
    return ToolResult(ok=False, text=detail, summary=detail, problem=problem)


def _fields(bound: Binding | Approval) -> dict[str, Any]:
    return {name: getattr(bound, name) for name in Binding.__slots__}


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("no such approval") from None


def _sha(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
