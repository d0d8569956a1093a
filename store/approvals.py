"""Approvals: one row for each version of a call that a person has to countersign.

    pending -> approved | denied | expired | superseded
    approved -> consumed | failed (it must not run after all) | superseded
    consumed -> failed (the call ran and came back without success)

Every step is one conditional update: whoever comes second is told what the first one did.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, LiteralString
from uuid import UUID

from store import endings, fence
from store.errors import NotApproved, NotFound
from store.fence import Lease
from store.notify import Channel, notify
from store.pool import Connection
from store.rows import jsonb, many, one, storable, value

State = Literal["pending", "approved", "denied", "expired", "superseded", "consumed", "failed"]
COLUMNS: LiteralString = """
    a.id, a.tenant, a.owner, a.conversation_id, a.turn_id, a.call_key, a.version, a.tool, a.effect, a.tool_sha256,
    a.args_jcs, a.resource, a.etag, a.card, a.card_sha256, a.nonce, a.kid, a.sig, a.state, a.reason, a.decided_by,
    a.decided_by_name, a.decided_at, a.decision_sig, a.consumed_at, a.result, a.created_at, a.expires_at
"""
_MINE: LiteralString = "a.tenant = %(tenant)s and a.owner = %(owner)s"
_OPEN: LiteralString = "a.state = 'pending' and a.expires_at > clock_timestamp()"
OVERDUE: LiteralString = "a.state = 'pending' and a.expires_at <= clock_timestamp()"


@dataclass(frozen=True, slots=True)
class NewApproval:
    """What is to be countersigned, as it was signed by us."""

    id: UUID
    tenant: str
    owner: str
    conversation_id: UUID
    turn_id: UUID
    call_key: str
    version: int
    tool: str
    effect: Literal["write", "danger"]
    tool_sha256: bytes
    args_jcs: bytes
    resource: dict[str, Any] | None
    etag: str | None
    card: dict[str, Any]
    card_sha256: bytes
    nonce: bytes
    kid: str
    sig: bytes
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Approval(NewApproval):
    """An approval and what became of it."""

    state: State
    reason: str | None
    decided_by: str | None
    decided_by_name: str | None
    decided_at: datetime | None
    decision_sig: bytes | None
    consumed_at: datetime | None
    result: dict[str, Any] | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who decides, and what; `sig` is our signature over that."""

    decision: Literal["approved", "denied"]
    by: str
    by_name: str = ""
    reason: str | None = None
    sig: bytes = b""


@dataclass(frozen=True, slots=True)
class Decided:
    """The approval as it now is, and whether it was this decision that made it so."""

    approval: Approval
    won: bool


@dataclass(frozen=True, slots=True)
class Consumed:
    """An approval that may run. `first` is false when an earlier worker already consumed it.

    Then, without a `result`, the call is sent again under the same idempotency key; with one, the result stands.
    """

    approval: Approval
    first: bool


async def insert(connection: Connection, lease: Lease, new: NewApproval) -> Approval:
    """Store a pending approval; if the call already has one that is not superseded, that one is returned.

    Raises `LostLease`.
    """
    async with connection.transaction():
        await fence.share(connection, lease)
        known = await of_call(connection, new.turn_id, new.call_key)
        return known if known and known.state != "superseded" else await _insert(connection, new)


async def decide(
    connection: Connection, tenant: str, owner: str, approval_id: UUID, card_sha256: bytes, verdict: Verdict
) -> Decided:
    """Approve or deny the card with this very hash; the first decision stands. Raises `NotFound`.

    The turn stays locked until the surrounding transaction ends: queue it there with `turns.resume`. A card
    whose time is over becomes expired.
    """
    async with connection.transaction():
        await _lock_turn(connection, tenant, owner, approval_id)
        won = await one(
            connection,
            Approval,
            f"""
            update approvals a set state = %(decision)s, reason = %(reason)s, decided_by = %(by)s,
                decided_by_name = %(name)s, decided_at = clock_timestamp(), decision_sig = %(sig)s
            where a.id = %(id)s and {_MINE} and a.card_sha256 = %(card)s and {_OPEN}
            returning {COLUMNS}
            """,
            {
                "id": approval_id,
                "tenant": tenant,
                "owner": owner,
                "card": card_sha256,
                "decision": verdict.decision,
                "reason": verdict.reason and storable(verdict.reason),
                "by": verdict.by,
                "name": storable(verdict.by_name),
                "sig": verdict.sig,
            },
        )
        return await _outcome(connection, tenant, owner, approval_id, won)


async def edit(
    connection: Connection, tenant: str, owner: str, approval_id: UUID, card_sha256: bytes, new: NewApproval
) -> Decided:
    """Replace a pending approval by the next version of the same call, which is pending in turn.

    `new` has the version after the replaced one's. When somebody decided first nothing is stored and `won` is
    false. Raises `NotFound`.
    """
    async with connection.transaction():
        await _lock_turn(connection, tenant, owner, approval_id)
        replaced = await one(
            connection,
            Approval,
            f"""
            update approvals a set state = 'superseded', reason = 'edited',
                decided_at = clock_timestamp(), decided_by = %(owner)s
            where a.id = %(id)s and {_MINE} and a.card_sha256 = %(card)s and {_OPEN} and a.version = %(version)s - 1
                and a.turn_id = %(turn)s and a.call_key = %(key)s and a.tool = %(tool)s
            returning {COLUMNS}
            """,
            {
                "id": approval_id,
                "tenant": tenant,
                "owner": owner,
                "card": card_sha256,
                "version": new.version,
                "turn": new.turn_id,
                "key": new.call_key,
                "tool": new.tool,
            },
        )
        if replaced is None:
            return await _outcome(connection, tenant, owner, approval_id, None)
        await notify(connection, Channel.DECIDED, approval_id)
        return Decided(await _insert(connection, new), won=True)


async def void(connection: Connection, tenant: str, owner: str, approval_id: UUID) -> Approval:
    """Let a pending card expire at once because its signature does not hold (any more). Raises `NotFound`."""
    async with connection.transaction():
        await _lock_turn(connection, tenant, owner, approval_id)
        await _expire(connection, approval_id, "a.state = 'pending'", "signature")
        return (await _outcome(connection, tenant, owner, approval_id, None)).approval


async def consume(connection: Connection, lease: Lease, approval_id: UUID) -> Consumed:
    """Take an approved call for its one execution. Raises `LostLease`, and `NotApproved` for any other state."""
    async with connection.transaction():
        await fence.share(connection, lease)
        taken = await one(
            connection,
            Approval,
            f"""
            update approvals a set state = 'consumed', consumed_at = clock_timestamp()
            where a.id = %s and a.turn_id = %s and a.state = 'approved' returning {COLUMNS}
            """,
            (approval_id, lease.turn_id),
        )
        if taken is not None:
            return Consumed(taken, first=True)
        return Consumed(await _consumed_before(connection, lease, approval_id), first=False)


async def refuse(connection: Connection, lease: Lease, approval_id: UUID, result: dict[str, Any]) -> None:
    """Fail an approved call that must not run: it is not what was signed. Raises `LostLease`."""
    async with connection.transaction():
        await fence.share(connection, lease)
        await connection.execute(
            "update approvals set state = 'failed', result = %s where id = %s and turn_id = %s and state = 'approved'",
            (jsonb(result), approval_id, lease.turn_id),
        )


async def record(connection: Connection, lease: Lease, approval_id: UUID, result: dict[str, Any], *, ok: bool) -> None:
    """Keep what came back from a consumed call; the first result stands. Raises `LostLease`."""
    async with connection.transaction():
        await fence.share(connection, lease)
        await connection.execute(
            """
            update approvals set result = %s, state = %s
            where id = %s and turn_id = %s and state = 'consumed' and result is null
            """,
            (jsonb(result), "consumed" if ok else "failed", approval_id, lease.turn_id),
        )


async def get(connection: Connection, tenant: str, owner: str, approval_id: UUID) -> Approval | None:
    """An approval of this person."""
    query = f"select {COLUMNS} from approvals a where a.id = %(id)s and {_MINE}"
    return await one(connection, Approval, query, {"id": approval_id, "tenant": tenant, "owner": owner})


async def of_call(connection: Connection, turn_id: UUID, call_key: str) -> Approval | None:
    """The newest version of a call's approval, for the turn's worker."""
    query = (
        f"select {COLUMNS} from approvals a where a.turn_id = %s and a.call_key = %s order by a.version desc limit 1"
    )
    return await one(connection, Approval, query, (turn_id, call_key))


async def of_turn(connection: Connection, turn_id: UUID) -> list[Approval]:
    """All versions of all approvals of a turn, oldest first, for the turn's worker."""
    query = f"select {COLUMNS} from approvals a where a.turn_id = %s order by a.created_at, a.version"
    return await many(connection, Approval, query, (turn_id,))


async def of_turns(connection: Connection, tenant: str, owner: str, turn_ids: Sequence[UUID]) -> list[Approval]:
    """All approvals of these turns that are this person's, oldest first: what a page shows."""
    return await many(
        connection,
        Approval,
        f"select {COLUMNS} from approvals a where a.turn_id = any(%(turns)s) and {_MINE} order by a.created_at",
        {"turns": list(turn_ids), "tenant": tenant, "owner": owner},
    )


async def pending_of_owner(connection: Connection, tenant: str, owner: str, limit: int = 100) -> list[Approval]:
    """What waits for this person's decision over all conversations, oldest first."""
    return await many(
        connection,
        Approval,
        f"""
        select {COLUMNS} from approvals a join conversations c on c.id = a.conversation_id
        where {_MINE} and {_OPEN} and c.deleted_at is null order by a.created_at limit %(limit)s
        """,
        {"tenant": tenant, "owner": owner, "limit": limit},
    )


async def count_pending(
    connection: Connection, tenant: str, owner: str, conversation_id: UUID | None = None
) -> tuple[int, int]:
    """How many approvals wait for this person: in this conversation, if one is named, and over all."""
    row = await one(
        connection,
        _Counts,
        f"""
        select count(*) filter (where a.conversation_id = %(conversation)s) as here, count(*) as everywhere
        from approvals a where {_MINE} and {_OPEN}
        """,
        {"tenant": tenant, "owner": owner, "conversation": conversation_id},
    )
    return (row.here, row.everywhere) if row else (0, 0)


async def supersede_others(connection: Connection, lease: Lease, call_keys: Sequence[str]) -> None:
    """Void the turn's pending approvals of calls that the graph does not wait for. Raises `LostLease`.

    A worker that died before its checkpoint was saved leaves cards that nobody could execute.
    """
    async with connection.transaction():
        await fence.share(connection, lease)
        withdrawn = await many(
            connection,
            Approval,
            f"""
            update approvals a set state = 'superseded', reason = 'withdrawn'
            where a.turn_id = %s and a.state = 'pending' and a.call_key <> all(%s) returning {COLUMNS}
            """,
            (lease.turn_id, list(call_keys)),
        )
        await endings.on_record(connection, {"withdrawn": withdrawn})


@dataclass(frozen=True, slots=True)
class _Counts:
    here: int
    everywhere: int


async def _insert(connection: Connection, new: NewApproval) -> Approval:
    row = await one(
        connection,
        Approval,
        f"""
        insert into approvals as a (id, tenant, owner, conversation_id, turn_id, call_key, version, tool, effect,
            tool_sha256, args_jcs, resource, etag, card, card_sha256, nonce, kid, sig, expires_at)
        values (%(id)s, %(tenant)s, %(owner)s, %(conversation_id)s, %(turn_id)s, %(call_key)s, %(version)s, %(tool)s,
            %(effect)s, %(tool_sha256)s, %(args_jcs)s, %(resource)s, %(etag)s, %(card)s, %(card_sha256)s, %(nonce)s,
            %(kid)s, %(sig)s, %(expires_at)s)
        returning {COLUMNS}
        """,
        {**asdict(new), "card": jsonb(new.card), "resource": None if new.resource is None else jsonb(new.resource)},
    )
    assert row is not None
    return row


async def _lock_turn(connection: Connection, tenant: str, owner: str, approval_id: UUID) -> None:
    found = await value(
        connection,
        f"""
        select t.id from turns t join approvals a on a.turn_id = t.id where a.id = %(id)s and {_MINE}
        for no key update of t
        """,
        {"id": approval_id, "tenant": tenant, "owner": owner},
    )
    if found is None:
        raise NotFound("no such approval")


async def _outcome(connection: Connection, tenant: str, owner: str, approval_id: UUID, won: Approval | None) -> Decided:
    if won is not None:
        await notify(connection, Channel.DECIDED, approval_id)
        return Decided(won, won=True)
    await _expire(connection, approval_id, OVERDUE, "time")
    approval = await get(connection, tenant, owner, approval_id)
    assert approval is not None
    return Decided(approval, won=False)


async def _expire(connection: Connection, approval_id: UUID, when: LiteralString, why: endings.Why) -> None:
    query = f"update approvals a set state = 'expired', reason = %s where a.id = %s and {when} returning {COLUMNS}"
    await endings.on_record(connection, {why: await many(connection, Approval, query, (why, approval_id))})


async def _consumed_before(connection: Connection, lease: Lease, approval_id: UUID) -> Approval:
    query = f"select {COLUMNS} from approvals a where a.id = %s and a.turn_id = %s"
    approval = await one(connection, Approval, query, (approval_id, lease.turn_id))
    if approval is None:
        raise NotFound("no such approval")
    if approval.state not in ("consumed", "failed"):
        raise NotApproved(approval.state)
    return approval
