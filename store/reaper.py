"""Clean up after what went wrong elsewhere. Any process may reap, at any time, any number of them at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from store import approvals, endings, fence, messages, turns
from store.approvals import Approval
from store.leases import MAX_ATTEMPTS
from store.messages import Content
from store.notify import Channel, notify
from store.pool import Connection
from store.rows import jsonb, many
from store.turns import Turn

EXHAUSTED = {"code": "attempts_exhausted"}


@dataclass(frozen=True, slots=True)
class Reaped:
    """What a reaping changed: turns that were given up, approvals that ran out or had no turn, turns queued again."""

    failed: list[Turn] = field(default_factory=list)
    expired: list[Approval] = field(default_factory=list)
    orphaned: list[Approval] = field(default_factory=list)
    queued: list[UUID] = field(default_factory=list)


async def reap(
    connection: Connection, notices: Mapping[str, dict[str, Any]], *, max_attempts: int = MAX_ATTEMPTS
) -> Reaped:
    """Reap in one transaction. What became of cards goes on record last in it.

    A turn that lost its worker `max_attempts` times ends as failed; the part `notices[turn.lang]` is added to its
    message. An approval past its time becomes expired and its turn is queued, so that the graph learns of it.
    """
    async with connection.transaction():
        failed = await _give_up(connection, max_attempts)
        voided = [card for turn in failed for card in await _tell(connection, turn, notices[turn.lang])]
        expired = await _expire_overdue(connection)
        orphaned = await _supersede_orphans(connection)
        queued = await _wake(connection)
        await endings.on_record(connection, {"given_up": voided, "time": expired, "turn_ended": orphaned})
    return Reaped(failed, expired, orphaned, queued)


async def _give_up(connection: Connection, max_attempts: int) -> list[Turn]:
    return await many(
        connection,
        Turn,
        f"""
        with dead as (
            select id from turns where state = 'running' and lease_until < clock_timestamp() and attempt >= %s
            for no key update skip locked
        )
        update turns t set state = 'failed', fence = fence + 1, lease_until = null, error = %s,
            finished_at = clock_timestamp()
        from dead, conversations c where t.id = dead.id and c.id = t.conversation_id
        returning {turns.COLUMNS}
        """,
        (max_attempts, jsonb(EXHAUSTED)),
    )


async def _tell(connection: Connection, turn: Turn, notice: dict[str, Any]) -> list[Approval]:
    """Close the message of a turn that was given up; the cards that this made void."""
    said = await messages.of_turn(connection, turn.id, "assistant")
    version = max(said.version + 1 if said else 0, fence.first_version(turn.fence))
    part = {**notice, "metadata": {**notice["metadata"], "seq": version}}
    parts = [*said.parts, part] if said else [part]
    await messages.put(connection, turn.id, "failed", Content(parts, said.text if said else "", version))
    await notify(connection, Channel.CHANGED, turn.id)
    return await turns.void_open_ends(connection, turn.id, "given_up")


async def _expire_overdue(connection: Connection) -> list[Approval]:
    """Expire all pending approvals whose time is over, and queue the turns that wait for them."""
    overdue = await connection.execute(
        f"""
        select t.id from turns t where exists (select 1 from approvals a where a.turn_id = t.id and {approvals.OVERDUE})
        for no key update skip locked
        """
    )
    locked = [row["id"] for row in await overdue.fetchall()]
    expired = await many(
        connection,
        Approval,
        f"""
        update approvals a set state = 'expired', reason = 'time'
        where a.turn_id = any(%s) and {approvals.OVERDUE} returning {approvals.COLUMNS}
        """,
        (locked,),
    )
    for approval in expired:
        await turns.resume(connection, approval.turn_id)
        await notify(connection, Channel.DECIDED, approval.id)
    return expired


async def _supersede_orphans(connection: Connection) -> list[Approval]:
    """Void open approvals whose turn has ended."""
    return await many(
        connection,
        Approval,
        f"""
        with orphans as (
            select o.id from approvals o join turns t on t.id = o.turn_id
            where t.state in ('succeeded', 'failed', 'canceled') and o.state in ('pending', 'approved')
            for no key update of o skip locked
        )
        update approvals a set state = 'superseded', reason = 'turn_ended' from orphans
        where a.id = orphans.id returning {approvals.COLUMNS}
        """,
    )


async def _wake(connection: Connection) -> list[UUID]:
    """Queue turns that wait for a person although nothing is left to decide or to answer."""
    rows = await connection.execute(
        """
        with idle as (
            select id from turns t
            where (state = 'waiting_approval' and not exists
                    (select 1 from approvals where turn_id = t.id and state = 'pending'))
                or (state = 'waiting_answer' and not exists
                    (select 1 from questions where turn_id = t.id and state = 'pending'))
            for no key update skip locked
        )
        update turns t set state = 'queued', attempt = 0, deadline_at = null
        from idle where t.id = idle.id returning t.id
        """
    )
    woken = [row["id"] for row in await rows.fetchall()]
    for turn_id in woken:
        await notify(connection, Channel.WORK, turn_id)
    return woken
