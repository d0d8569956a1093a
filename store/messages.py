"""The transcript: what the person wrote and what the assistant answered, a row each a turn.

The assistant's row is a draft while its turn goes on. Its `version` grows with every save, so that whoever
tails a turn reads the parts only when they changed.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, LiteralString
from uuid import UUID, uuid4

from store import fence
from store.errors import LostLease
from store.fence import Lease
from store.pool import Connection
from store.rows import jsonb, many, one, storable

State = Literal["draft", "final", "failed", "canceled"]
NEWEST = 2**63 - 1
COLUMNS: LiteralString = """
    m.seq, m.id, m.conversation_id, m.turn_id, t.client_turn_id, m.role, m.state, m.parts, m.text, m.version,
    m.created_at, m.updated_at
"""
FROM: LiteralString = (
    "from messages m join turns t on t.id = m.turn_id join conversations c on c.id = t.conversation_id"
)
_PUT: LiteralString = """
    insert into messages (id, conversation_id, turn_id, role, state, parts, text, version)
    select %(id)s, conversation_id, id, 'assistant', %(state)s, %(parts)s, %(text)s, %(version)s from {}
    on conflict (turn_id, role) do update set state = excluded.state, parts = excluded.parts,
        text = excluded.text, version = greatest(excluded.version, messages.version + 1),
        updated_at = clock_timestamp()
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `parts` are dicts of the stream protocol, `text` its plain words."""

    seq: int
    id: UUID
    conversation_id: UUID
    turn_id: UUID
    client_turn_id: str
    role: Literal["user", "assistant"]
    state: State
    parts: list[dict[str, Any]]
    text: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Content:
    """What a message says, and the count of changes that led to it."""

    parts: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    version: int = 0


async def insert_user(connection: Connection, conversation_id: UUID, turn_id: UUID, content: Content) -> None:
    """Store what the person wrote; `store.turns.accept` calls it in its transaction."""
    await connection.execute(
        """
        insert into messages (id, conversation_id, turn_id, role, parts, text, version)
        values (%s, %s, %s, 'user', %s, %s, %s)
        """,
        (uuid4(), conversation_id, turn_id, jsonb(content.parts), storable(content.text), content.version),
    )


async def save_draft(connection: Connection, lease: Lease, content: Content) -> None:
    """Store how far the assistant's answer has come; raises `LostLease`."""
    values = {**_values(lease.turn_id, "draft", content), "fence": lease.fence}
    saved = await connection.execute(f"with {fence.HELD} {_PUT.format('held')}", values)
    if not saved.rowcount:
        raise LostLease


async def put(connection: Connection, turn_id: UUID, state: State, content: Content) -> None:
    """Store the assistant's message of a turn. Not fenced: the caller holds the turn in its transaction."""
    await connection.execute(_PUT.format("turns where id = %(turn)s"), _values(turn_id, state, content))


def _values(turn_id: UUID, state: State, content: Content) -> dict[str, Any]:
    return {
        "id": uuid4(),
        "turn": turn_id,
        "state": state,
        "parts": jsonb(content.parts),
        "text": storable(content.text),
        "version": content.version,
    }


async def close(connection: Connection, turn_id: UUID, state: State, content: Content | None) -> None:
    """End the assistant's message; without `content` it keeps what the last draft said. Not fenced, see `put`."""
    if content is None:
        content = await _content(connection, turn_id)
    await put(connection, turn_id, state, content)


async def amend(connection: Connection, tenant: str, owner: str, turn_id: UUID, content: Content, version: int) -> bool:
    """Replace the parts of a turn that nobody runs, if they still have this `version`; says whether it did.

    A decision or an answer changes what a waiting turn shows, and an undo what an ended one does.
    """
    async with connection.transaction():
        await connection.execute("select 1 from turns where id = %s for no key update", (turn_id,))
        done = await connection.execute(
            """
            update messages m set parts = %s, text = %s, version = greatest(%s, m.version + 1),
                updated_at = clock_timestamp()
            from turns t join conversations c on c.id = t.conversation_id
            where m.turn_id = %s and m.role = 'assistant' and m.version = %s and t.id = m.turn_id
                and t.state <> 'running' and c.tenant = %s and c.owner = %s and c.deleted_at is null
            """,
            (jsonb(content.parts), storable(content.text), content.version, turn_id, version, tenant, owner),
        )
    return done.rowcount == 1


async def page(
    connection: Connection,
    tenant: str,
    owner: str,
    conversation_id: UUID,
    *,
    before: int | None = None,
    limit: int = 50,
) -> list[Message]:
    """The newest `limit` messages, or the newest of those with a smaller `seq` than `before`; oldest first.

    The key is compared as a row because only `messages_of_conversation` has that order: by `seq` alone the planner
    may walk the primary key through everybody's newer messages. Whose conversation it is stands in a query of its own,
    which every plan runs once.
    """
    found = await many(
        connection,
        Message,
        f"""
        select {COLUMNS} from messages m join turns t on t.id = m.turn_id
        where (m.conversation_id, m.seq) >= (%(place)s, 0) and (m.conversation_id, m.seq) < (%(place)s, %(before)s)
            and t.superseded_by is null
            and (select true from conversations c where c.id = %(place)s and c.tenant = %(tenant)s
                and c.owner = %(owner)s and c.deleted_at is null)
        order by m.conversation_id desc, m.seq desc limit %(limit)s
        """,
        {
            "place": conversation_id,
            "before": NEWEST if before is None else before,
            "tenant": tenant,
            "owner": owner,
            "limit": limit,
        },
    )
    return found[::-1]


async def of_turn(connection: Connection, turn_id: UUID, role: Literal["user", "assistant"]) -> Message | None:
    """A turn's message, for its worker; the caller has checked whose turn it is."""
    query = f"select {COLUMNS} {FROM} where t.id = %s and m.role = %s"
    return await one(connection, Message, query, (turn_id, role))


async def changed(
    connection: Connection, tenant: str, owner: str, turn_id: UUID, since: int | None = None
) -> Message | None:
    """The assistant's message of a turn if its version is not `since`; a poll that is cheap when nothing happened."""
    return await one(
        connection,
        Message,
        f"""
        select {COLUMNS} {FROM}
        where t.id = %s and m.role = 'assistant' and c.tenant = %s and c.owner = %s and c.deleted_at is null
            and m.version is distinct from %s
        """,
        (turn_id, tenant, owner, since),
    )


async def _content(connection: Connection, turn_id: UUID) -> Content:
    found = await of_turn(connection, turn_id, "assistant")
    return Content(found.parts, found.text, found.version) if found else Content()
