"""The worker's side of a turn: claim it, give it back, let it wait, end it. Every write checks the fence.

Leases are kept alive by `heartbeat.py`. All times are the database's.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from store import endings, fence, messages, turns
from store.errors import LostLease
from store.fence import Lease
from store.messages import Content
from store.notify import Channel, notify
from store.pool import Connection
from store.rows import jsonb, one, value
from store.turns import Ended, State, Turn, Waiting

MAX_ATTEMPTS = 5
_MESSAGE_STATE: dict[Ended, messages.State] = {"succeeded": "final", "failed": "failed", "canceled": "canceled"}


async def claim(
    connection: Connection,
    worker: str,
    *,
    seconds: float,
    run_seconds: float,
    max_attempts: int = MAX_ATTEMPTS,
    turn_id: UUID | None = None,
) -> Turn | None:
    """Take the oldest turn that is queued or whose worker's lease ran out, or only `turn_id`; None if there is none.

    The lease holds for `seconds`; `run_seconds` bound the whole run until the turn next waits or ends.
    """
    return await one(
        connection,
        Turn,
        f"""
        with next as (
            select id from turns
            where attempt < %(max)s and (%(only)s::uuid is null or id = %(only)s)
                and (state = 'queued' or (state = 'running' and lease_until < clock_timestamp()))
            order by created_at limit 1 for no key update skip locked
        )
        update turns t set state = 'running', attempt = attempt + 1, fence = fence + 1, claimed_by = %(worker)s,
            lease_until = clock_timestamp() + make_interval(secs => %(seconds)s),
            deadline_at = coalesce(deadline_at, clock_timestamp() + make_interval(secs => %(run)s))
        from next, conversations c where t.id = next.id and c.id = t.conversation_id
        returning {turns.COLUMNS}
        """,
        {"worker": worker, "seconds": seconds, "run": run_seconds, "max": max_attempts, "only": turn_id},
    )


async def release(connection: Connection, lease: Lease) -> None:
    """Give a turn back unfinished, for a shutdown: it costs no attempt. Raises `LostLease`."""
    async with connection.transaction():
        await fence.lock(connection, lease)
        await connection.execute(
            "update turns set state = 'queued', attempt = attempt - 1, lease_until = null where id = %s",
            (lease.turn_id,),
        )
        await notify(connection, Channel.WORK, lease.turn_id)


async def wait(
    connection: Connection, lease: Lease, state: Waiting, content: Content, awaited: Sequence[UUID] = ()
) -> State:
    """Let the turn wait for a person; the approvals or questions with the ids `awaited` are what it waits for.

    If one of them was decided meanwhile, or the turn is to be cancelled, it is queued again at once instead.
    Returns the state that the turn is in. Raises `LostLease`.
    """
    async with connection.transaction():
        await fence.lock(connection, lease)
        await messages.put(connection, lease.turn_id, "draft", content)
        reached: State = "queued" if await _can_go_on(connection, lease.turn_id, awaited) else state
        await connection.execute(
            "update turns set state = %s, attempt = 0, deadline_at = null, lease_until = null where id = %s",
            (reached, lease.turn_id),
        )
        await notify(connection, Channel.WORK if reached == "queued" else Channel.CHANGED, lease.turn_id)
    return reached


async def finish(
    connection: Connection, lease: Lease, state: Ended, content: Content, error: dict[str, Any] | None = None
) -> None:
    """End the turn with its final message, in one transaction; raises `LostLease`.

    When the answer to the commit is lost with the connection, a second call raises `LostLease` as well: read
    the turn to know what became of it.
    """
    async with connection.transaction():
        await _touch_conversation(connection, lease)
        await fence.lock(connection, lease)
        await connection.execute(
            """
            update turns set state = %s, error = %s, lease_until = null, finished_at = clock_timestamp() where id = %s
            """,
            (state, None if error is None else jsonb(error), lease.turn_id),
        )
        await messages.put(connection, lease.turn_id, _MESSAGE_STATE[state], content)
        why: endings.Why = "stopped" if state == "canceled" else "turn_ended"
        voided = await turns.void_open_ends(connection, lease.turn_id, why)
        await notify(connection, Channel.CHANGED, lease.turn_id)
        await endings.on_record(connection, {why: voided})


async def cancel_requested(connection: Connection, lease: Lease) -> bool:
    """Whether the person asked to stop this turn; raises `LostLease`. Asked before each request and each call."""
    found = await value(
        connection,
        "select cancel_requested_at is not null from turns where id = %s and fence = %s and state = 'running'",
        (lease.turn_id, lease.fence),
    )
    if found is None:
        raise LostLease
    return found


async def _can_go_on(connection: Connection, turn_id: UUID, awaited: Sequence[UUID]) -> bool:
    return await value(
        connection,
        """
        select exists (select 1 from turns where id = %(turn)s and cancel_requested_at is not null)
            or exists (select 1 from approvals where id = any(%(ids)s) and state <> 'pending')
            or exists (select 1 from questions where id = any(%(ids)s) and state <> 'pending')
        """,
        {"turn": turn_id, "ids": list(awaited)},
    )


async def _touch_conversation(connection: Connection, lease: Lease) -> None:
    await connection.execute(
        """
        update conversations set updated_at = clock_timestamp()
        where id = (select conversation_id from turns where id = %s and fence = %s)
        """,
        (lease.turn_id, lease.fence),
    )
