"""Files of a person's conversations. A file waits for the next message and then belongs to its turn."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import LiteralString
from uuid import UUID, uuid4

from store.errors import NotFound, TooMuch
from store.messages import Content
from store.pool import Connection
from store.rows import many, one, storable, value

WAITING = 10
TOTAL = 100 * 2**20
COLUMNS: LiteralString = "a.id, a.conversation_id, a.turn_id, a.name, a.size, a.text, a.cut, a.created_at"
_MINE: LiteralString = "c.tenant = %(tenant)s and c.owner = %(owner)s and c.deleted_at is null"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file without its bytes; `text` is what could be read of it, `cut` says that there is more."""

    id: UUID
    conversation_id: UUID
    turn_id: UUID | None
    name: str
    size: int
    text: str = field(repr=False)
    cut: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file as it came, and its text."""

    name: str
    data: bytes = field(repr=False)
    text: str = field(repr=False)
    cut: bool = False


async def insert(connection: Connection, tenant: str, owner: str, conversation_id: UUID, file: NewFile) -> Attachment:
    """Keep a file for the next message of a conversation.

    Raises `NotFound`, and `TooMuch` beyond ten files that wait or a hundred megabytes in the conversation.
    """
    mine = {"id": conversation_id, "tenant": tenant, "owner": owner}
    async with connection.transaction():
        query = f"select 1 as found from conversations c where c.id = %(id)s and {_MINE} for no key update"
        if not await value(connection, query, mine):
            raise NotFound("no such conversation")
        await _check_room(connection, conversation_id, len(file.data))
        new = uuid4()
        await connection.execute(
            """
            insert into attachments (id, conversation_id, name, size, data, text, cut)
            values (%s, %s, %s, %s, %s, %s, %s)
            """,
            (new, conversation_id, storable(file.name), len(file.data), file.data, storable(file.text), file.cut),
        )
        kept = await get(connection, tenant, owner, new)
    assert kept is not None
    return kept


async def _check_room(connection: Connection, conversation_id: UUID, size: int) -> None:
    query = """
        select count(*) filter (where turn_id is null) as waiting, coalesce(sum(size), 0) as total
        from attachments where conversation_id = %s
    """
    row = await (await connection.execute(query, (conversation_id,))).fetchone()
    assert row is not None
    if row["waiting"] >= WAITING:
        raise TooMuch("files")
    if row["total"] + size > TOTAL:
        raise TooMuch("bytes")


async def attach(connection: Connection, conversation_id: UUID, turn_id: UUID, content: Content) -> Content:
    """Give the files that wait to a turn; its message with a part for each, in the order in which they came.

    Not owner-checked: `store.turns.accept` calls it in its transaction.
    """
    rows = await connection.execute(
        """
        with bound as (update attachments set turn_id = %s where conversation_id = %s and turn_id is null
            returning id, name, size, created_at)
        select id::text as id, name, size from bound order by created_at
        """,
        (turn_id, conversation_id),
    )
    files = [
        {"role": "user", "content": row["name"], "metadata": {"type": "file", "id": row["id"], "size": row["size"]}}
        for row in await rows.fetchall()
    ]
    return replace(content, parts=[*content.parts, *files])


async def of_conversation(
    connection: Connection, tenant: str, owner: str, conversation_id: UUID, *, waiting: bool = False
) -> list[Attachment]:
    """The files of a conversation, oldest first; only those that wait for a message, if asked for."""
    return await many(
        connection,
        Attachment,
        f"""
        select {COLUMNS} from attachments a join conversations c on c.id = a.conversation_id
        where c.id = %(id)s and {_MINE} and (a.turn_id is null or not %(waiting)s) order by a.created_at
        """,
        {"id": conversation_id, "tenant": tenant, "owner": owner, "waiting": waiting},
    )


async def get(connection: Connection, tenant: str, owner: str, attachment_id: UUID) -> Attachment | None:
    """A file of this person."""
    query = f"""
        select {COLUMNS} from attachments a join conversations c on c.id = a.conversation_id
        where a.id = %(id)s and {_MINE}
    """
    return await one(connection, Attachment, query, {"id": attachment_id, "tenant": tenant, "owner": owner})


async def data(connection: Connection, tenant: str, owner: str, attachment_id: UUID) -> bytes | None:
    """The bytes of a file of this person."""
    query = f"""
        select a.data from attachments a join conversations c on c.id = a.conversation_id
        where a.id = %(id)s and {_MINE}
    """
    return await value(connection, query, {"id": attachment_id, "tenant": tenant, "owner": owner})


async def remove(connection: Connection, tenant: str, owner: str, attachment_id: UUID) -> None:
    """Take back a file that waits; raises `NotFound`, also for one that went with a message."""
    done = await connection.execute(
        f"""
        delete from attachments a using conversations c
        where a.id = %(id)s and a.turn_id is null and c.id = a.conversation_id and {_MINE}
        """,
        {"id": attachment_id, "tenant": tenant, "owner": owner},
    )
    if not done.rowcount:
        raise NotFound("no such file")
