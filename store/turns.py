"""The ledger of turns: one row for each message that a person sent, and what became of it.

    queued -> running -> succeeded | failed | canceled
    running -> waiting_approval | waiting_answer | waiting_auth -> queued
    failed -> queued (the client sends the same turn id again)

A conversation has at most one turn that has not ended (a partial unique index). Locks are taken in the order
conversation, turn, approval. The worker's side is in `leases.py`, the clean-up in `reaper.py`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, LiteralString
from uuid import UUID, uuid4

from store import approvals, attachments, endings, messages
from store.approvals import Approval
from store.errors import NotFound, TurnActive, TurnIdReused
from store.messages import Content
from store.notify import Channel, notify
from store.pool import Connection
from store.rows import many, one, value

Waiting = Literal["waiting_approval", "waiting_answer", "waiting_auth"]
Ended = Literal["succeeded", "failed", "canceled"]
State = Literal["queued", "running"] | Waiting | Ended
ACTIVE = ("queued", "running", "waiting_approval", "waiting_answer", "waiting_auth")
WAITING = ("waiting_approval", "waiting_answer", "waiting_auth")

COLUMNS: LiteralString = """
    t.id, t.conversation_id, c.tenant, c.owner, t.client_turn_id, t.request_sha256, t.state, t.lang, t.role,
    t.attempt, t.fence, t.claimed_by, t.lease_until, t.deadline_at, t.cancel_requested_at, t.error, t.created_at,
    t.finished_at
"""
FROM: LiteralString = "from turns t join conversations c on c.id = t.conversation_id"
OWNED: LiteralString = "c.tenant = %(tenant)s and c.owner = %(owner)s and c.deleted_at is null"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. A claimed turn is its own lease: it has a `turn_id` and a `fence`."""

    id: UUID
    conversation_id: UUID
    tenant: str
    owner: str
    client_turn_id: str
    request_sha256: bytes
    state: State
    lang: Literal["en", "ru"]
    role: str
    attempt: int
    fence: int
    claimed_by: str | None
    lease_until: datetime | None
    deadline_at: datetime | None
    cancel_requested_at: datetime | None
    error: dict[str, Any] | None
    created_at: datetime
    finished_at: datetime | None

    @property
    def turn_id(self) -> UUID:
        """The same as `id`."""
        return self.id


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks for: a message under the id that their client gave it.

    With `replaces` it takes the place of that turn and of all that came after it.
    """

    tenant: str
    owner: str
    conversation_id: UUID
    client_turn_id: str
    sha256: bytes
    content: Content
    lang: Literal["en", "ru"] = "en"
    role: str = "viewer"
    replaces: UUID | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """A turn, and whether this request queued it (a new one, or a failed one again) or only found it."""

    turn: Turn
    queued: bool


async def accept(connection: Connection, request: Request) -> Accepted:
    """Take a message and queue its turn, in one transaction; the same request again finds the same turn.

    Raises `NotFound` for a conversation that is not the person's, `TurnIdReused` when the id came with another
    message, `TurnActive` while another turn of the conversation has not ended.
    """
    async with connection.transaction():
        await _lock_conversation(connection, request)
        known = await of_client(
            connection, request.tenant, request.owner, request.conversation_id, request.client_turn_id
        )
        if known is None:
            return Accepted(await _insert(connection, request), queued=True)
        if known.request_sha256 != request.sha256:
            raise TurnIdReused(f"turn id {request.client_turn_id!r} was used for another message")
        if known.state != "failed" or await _has_successor(connection, known):
            return Accepted(known, queued=False)
        return Accepted(await _retry(connection, request, known), queued=True)


async def get(connection: Connection, tenant: str, owner: str, turn_id: UUID) -> Turn | None:
    """A turn of this person."""
    query = f"select {COLUMNS} {FROM} where t.id = %(id)s and {OWNED}"
    return await one(connection, Turn, query, {"id": turn_id, "tenant": tenant, "owner": owner})


async def of_client(
    connection: Connection, tenant: str, owner: str, conversation_id: UUID, client_turn_id: str
) -> Turn | None:
    """A turn of this person by the id that the client gave it."""
    return await one(
        connection,
        Turn,
        f"""
        select {COLUMNS} {FROM}
        where c.id = %(conversation)s and t.client_turn_id = %(client)s and {OWNED}
        """,
        {"conversation": conversation_id, "client": client_turn_id, "tenant": tenant, "owner": owner},
    )


async def active(connection: Connection, tenant: str, owner: str, conversation_id: UUID) -> Turn | None:
    """The turn of this conversation that has not ended."""
    return await one(
        connection,
        Turn,
        f"""
        select {COLUMNS} {FROM}
        where c.id = %(conversation)s and t.state = any(%(active)s) and {OWNED}
        """,
        {"conversation": conversation_id, "active": list(ACTIVE), "tenant": tenant, "owner": owner},
    )


async def waiting(connection: Connection, tenant: str, owner: str, limit: int = 100) -> list[Turn]:
    """This person's turns that wait for a decision or an answer, oldest first, over all conversations."""
    return await many(
        connection,
        Turn,
        f"""
        select {COLUMNS} from turns t join conversations c on c.id = t.conversation_id
        where t.state in ('waiting_approval', 'waiting_answer') and {OWNED} order by t.created_at limit %(limit)s
        """,
        {"tenant": tenant, "owner": owner, "limit": limit},
    )


async def superseded(connection: Connection, conversation_id: UUID) -> list[UUID]:
    """The turns of a conversation that others took the place of."""
    query = "select id from turns where conversation_id = %s and superseded_by is not null"
    rows = await connection.execute(query, (conversation_id,))
    return [row["id"] for row in await rows.fetchall()]


async def count_running(connection: Connection, tenant: str, owner: str) -> int:
    """How many turns of this person are queued or running, over all conversations."""
    return await value(
        connection,
        f"""
        select count(*) {FROM}
        where t.state in ('queued', 'running') and {OWNED}
        """,
        {"tenant": tenant, "owner": owner},
    )


async def resume(connection: Connection, turn_id: UUID) -> bool:
    """Queue a waiting turn again, its attempts and deadline new; says whether it waited.

    Call it in the transaction that records the decision, the answer or the fresh credential. A turn whose
    worker is still on the way to waiting is not queued here: `leases.wait` sees what was decided meanwhile.
    """
    done = await connection.execute(
        """
        update turns set state = 'queued', attempt = 0, deadline_at = null
        where id = %s and state in ('waiting_approval', 'waiting_answer', 'waiting_auth')
        """,
        (turn_id,),
    )
    if done.rowcount:
        await notify(connection, Channel.WORK, turn_id)
    return done.rowcount == 1


async def hold(connection: Connection, turn_id: UUID) -> None:
    """Keep a turn as it is until the transaction ends: what is read from now on stays true in it."""
    await _lock_conversation_of(connection, turn_id)
    await connection.execute("select 1 from turns where id = %s for no key update", (turn_id,))


async def supersede(
    connection: Connection, tenant: str, owner: str, turn_id: UUID, content: Content | None = None
) -> Turn:
    """End a waiting turn because its person went on to something else; its open cards and questions are void.

    Raises `NotFound`, and `TurnActive` when the turn does not wait (any more).
    """
    async with connection.transaction():
        await hold(connection, turn_id)
        turn = await _found(connection, tenant, owner, turn_id)
        if turn.state not in WAITING:
            raise TurnActive(turn.id, turn.state)
        return await _cancel_now(connection, turn, content, "new_words")


async def cancel(
    connection: Connection, tenant: str, owner: str, turn_id: UUID, content: Content | None = None
) -> Turn:
    """Stop a turn: one that nobody runs ends here, a running one is told to; an ended one stays as it is.

    `content` replaces what the draft said, if the turn ends here. Raises `NotFound`.
    """
    async with connection.transaction():
        await hold(connection, turn_id)
        turn = await _found(connection, tenant, owner, turn_id)
        if turn.state not in ACTIVE:
            return turn
        if turn.state == "running":
            return await _request_cancel(connection, turn)
        return await _cancel_now(connection, turn, content, "stopped")


async def void_open_ends(connection: Connection, turn_id: UUID, why: endings.Why) -> list[Approval]:
    """What no ended turn may leave behind: open approvals and questions, and the person's sealed token.

    The approvals are given back: put them `endings.on_record` when the transaction has nothing else to lock.
    """
    await connection.execute(
        """
        with dropped as (
            update questions set state = 'superseded' where turn_id = %(turn)s and state = 'pending'
        )
        delete from turn_credentials where turn_id = %(turn)s
        """,
        {"turn": turn_id},
    )
    return await many(
        connection,
        Approval,
        f"""
        update approvals a set state = 'superseded', reason = %s
        where a.turn_id = %s and a.state in ('pending', 'approved') returning {approvals.COLUMNS}
        """,
        (why, turn_id),
    )


async def _lock_conversation(connection: Connection, request: Request) -> None:
    found = await connection.execute(
        f"""
        update conversations c set updated_at = clock_timestamp()
        where c.id = %(conversation)s and {OWNED}
        """,
        {"conversation": request.conversation_id, "tenant": request.tenant, "owner": request.owner},
    )
    if not found.rowcount:
        raise NotFound("no such conversation")


async def _lock_conversation_of(connection: Connection, turn_id: UUID) -> None:
    """What puts an end to this turn goes on to begin another one in the same transaction."""
    await connection.execute(
        """
        select 1 from conversations c join turns t on t.conversation_id = c.id where t.id = %s
        for no key update of c
        """,
        (turn_id,),
    )


async def _insert(connection: Connection, request: Request) -> Turn:
    await _refuse_second(connection, request)
    turn_id = uuid4()
    await connection.execute(
        """
        insert into turns (id, conversation_id, client_turn_id, request_sha256, lang, role)
        values (%s, %s, %s, %s, %s, %s)
        """,
        (turn_id, request.conversation_id, request.client_turn_id, request.sha256, request.lang, request.role),
    )
    content = await attachments.attach(connection, request.conversation_id, turn_id, request.content)
    await messages.insert_user(connection, request.conversation_id, turn_id, content)
    if request.replaces is not None:
        await _replace(connection, request.replaces, turn_id)
    return await _queued(connection, request, turn_id)


async def _replace(connection: Connection, old: UUID, new: UUID) -> None:
    """Put the turn `old` and all later ones out of sight; raises `NotFound` when it is out of sight already."""
    done = await connection.execute(
        """
        update turns t set superseded_by = %(new)s from turns first
        where first.id = %(old)s and first.superseded_by is null and t.conversation_id = first.conversation_id
            and t.created_at >= first.created_at and t.superseded_by is null and t.id <> %(new)s
        """,
        {"old": old, "new": new},
    )
    if not done.rowcount:
        raise NotFound("no such turn")


async def _retry(connection: Connection, request: Request, failed: Turn) -> Turn:
    await _refuse_second(connection, request)
    await connection.execute(
        """
        update turns set state = 'queued', attempt = 0, deadline_at = null, cancel_requested_at = null, error = null,
            finished_at = null, lang = %s, role = %s
        where id = %s
        """,
        (request.lang, request.role, failed.id),
    )
    await messages.close(connection, failed.id, "draft", None)
    return await _queued(connection, request, failed.id)


async def _has_successor(connection: Connection, turn: Turn) -> bool:
    """Whether the conversation went on after this turn: then it stays as it ended."""
    query = "select exists (select 1 from turns where conversation_id = %s and created_at > %s)"
    return await value(connection, query, (turn.conversation_id, turn.created_at))


async def _refuse_second(connection: Connection, request: Request) -> None:
    other = await active(connection, request.tenant, request.owner, request.conversation_id)
    if other is not None:
        raise TurnActive(other.id, other.state)


async def _queued(connection: Connection, request: Request, turn_id: UUID) -> Turn:
    await notify(connection, Channel.WORK, turn_id)
    return await _found(connection, request.tenant, request.owner, turn_id)


async def _found(connection: Connection, tenant: str, owner: str, turn_id: UUID) -> Turn:
    turn = await get(connection, tenant, owner, turn_id)
    if turn is None:
        raise NotFound("no such turn")
    return turn


async def _request_cancel(connection: Connection, turn: Turn) -> Turn:
    await connection.execute(
        "update turns set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()) where id = %s",
        (turn.id,),
    )
    await notify(connection, Channel.CANCEL, turn.id)
    return await _found(connection, turn.tenant, turn.owner, turn.id)


async def _cancel_now(connection: Connection, turn: Turn, content: Content | None, why: endings.Why) -> Turn:
    await connection.execute(
        """
        update turns set state = 'canceled', lease_until = null, finished_at = clock_timestamp(),
            cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
        where id = %s
        """,
        (turn.id,),
    )
    await messages.close(connection, turn.id, "canceled", content)
    voided = await void_open_ends(connection, turn.id, why)
    await notify(connection, Channel.CHANGED, turn.id)
    await endings.on_record(connection, {why: voided})
    return await _found(connection, turn.tenant, turn.owner, turn.id)
