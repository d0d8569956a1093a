"""What the agent asked the person, and the answers: pending -> answered | superseded."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, LiteralString
from uuid import UUID

from store import fence
from store.errors import NotFound
from store.fence import Lease
from store.notify import Channel, notify
from store.pool import Connection
from store.rows import jsonb, many, one, storable, value

State = Literal["pending", "answered", "superseded"]
COLUMNS: LiteralString = """
    q.id, q.conversation_id, q.turn_id, q.call_key, q.question, q.choices, q.free, q.state, q.answer, q.created_at,
    q.answered_at
"""
_FROM: LiteralString = "from questions q join conversations c on c.id = q.conversation_id"
_MINE: LiteralString = "c.tenant = %(tenant)s and c.owner = %(owner)s and c.deleted_at is null"


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """A question with choices, with room for own words (`free`), or with both."""

    id: UUID
    call_key: str
    question: str
    choices: list[dict[str, Any]]
    free: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what became of it."""

    id: UUID
    conversation_id: UUID
    turn_id: UUID
    call_key: str
    question: str
    choices: list[dict[str, Any]]
    free: bool
    state: State
    answer: str | None
    created_at: datetime
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The question as it now is, and whether it was this answer that was taken."""

    question: Question
    won: bool


async def insert(connection: Connection, lease: Lease, new: NewQuestion) -> Question:
    """Store a pending question; if the call already asked one, that one is returned, open again if it was void.

    Raises `LostLease`.
    """
    async with connection.transaction():
        await fence.share(connection, lease)
        await connection.execute(
            """
            insert into questions (id, conversation_id, turn_id, call_key, question, choices, free)
            select %s, conversation_id, id, %s, %s, %s, %s from turns where id = %s
            on conflict (turn_id, call_key) do update set state = 'pending' where questions.state = 'superseded'
            """,
            (new.id, new.call_key, storable(new.question), jsonb(new.choices), new.free, lease.turn_id),
        )
        query = f"select {COLUMNS} from questions q where q.turn_id = %s and q.call_key = %s"
        question = await one(connection, Question, query, (lease.turn_id, new.call_key))
    assert question is not None
    return question


async def answer(connection: Connection, tenant: str, owner: str, question_id: UUID, text: str) -> Answered:
    """Answer a pending question; the first answer stands. Raises `NotFound`.

    The turn stays locked until the surrounding transaction ends: queue it there with `turns.resume`.
    """
    mine = {"id": question_id, "tenant": tenant, "owner": owner}
    async with connection.transaction():
        await _lock_turn(connection, mine)
        done = await connection.execute(
            """
            update questions set state = 'answered', answer = %s, answered_at = clock_timestamp()
            where id = %s and state = 'pending'
            """,
            (storable(text), question_id),
        )
        if done.rowcount:
            await notify(connection, Channel.DECIDED, question_id)
        question = await one(connection, Question, f"select {COLUMNS} from questions q where q.id = %(id)s", mine)
    assert question is not None
    return Answered(question, won=done.rowcount == 1)


async def get(connection: Connection, tenant: str, owner: str, question_id: UUID) -> Question | None:
    """A question to this person."""
    return await one(
        connection,
        Question,
        f"select {COLUMNS} {_FROM} where q.id = %(id)s and {_MINE}",
        {"id": question_id, "tenant": tenant, "owner": owner},
    )


async def of_turn(connection: Connection, turn_id: UUID) -> list[Question]:
    """All questions of a turn, oldest first, for the turn's worker."""
    query = f"select {COLUMNS} from questions q where q.turn_id = %s order by q.created_at"
    return await many(connection, Question, query, (turn_id,))


async def pending_of_owner(connection: Connection, tenant: str, owner: str, limit: int = 100) -> list[Question]:
    """What waits for this person's answer over all conversations, oldest first."""
    return await many(
        connection,
        Question,
        f"""
        select {COLUMNS} {_FROM}
        where q.state = 'pending' and {_MINE} order by q.created_at limit %(limit)s
        """,
        {"tenant": tenant, "owner": owner, "limit": limit},
    )


async def _lock_turn(connection: Connection, mine: dict[str, Any]) -> None:
    found = await value(
        connection,
        f"""
        select t.id from turns t join questions q on q.turn_id = t.id join conversations c on c.id = t.conversation_id
        where q.id = %(id)s and {_MINE} for no key update of t
        """,
        mine,
    )
    if found is None:
        raise NotFound("no such question")
