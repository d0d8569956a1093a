"""Conversations of a person. Deleting hides one at once; `purge` removes what was deleted or lay idle long ago."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, LiteralString
from uuid import UUID, uuid4

from store import turns
from store.errors import NotFound, TurnActive
from store.pool import Connection
from store.rows import many, one, storable, value

COLUMNS: LiteralString = """
    c.id, c.tenant, c.owner, c.title, c.title_by_user, c.lang, c.review_changes, c.created_at, c.updated_at,
    exists (select 1 from turns t where t.conversation_id = c.id
        and t.state in ('waiting_approval', 'waiting_answer', 'waiting_auth')) as waiting
"""
_MINE: LiteralString = "c.tenant = %(tenant)s and c.owner = %(owner)s and c.deleted_at is null"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation; `waiting` is true while one of its turns waits for the person."""

    id: UUID
    tenant: str
    owner: str
    title: str
    title_by_user: bool
    lang: Literal["en", "ru"]
    review_changes: bool
    created_at: datetime
    updated_at: datetime
    waiting: bool


async def create(
    connection: Connection, tenant: str, owner: str, *, title: str = "", lang: Literal["en", "ru"] = "en"
) -> Conversation:
    """A new, empty conversation; a `title` given here counts as the person's own."""
    query = """
        insert into conversations (id, tenant, owner, title, title_by_user, lang) values (%s, %s, %s, %s, %s, %s)
    """
    new = uuid4()
    await connection.execute(query, (new, tenant, owner, storable(title), bool(title), lang))
    created = await get(connection, tenant, owner, new)
    assert created is not None
    return created


async def ensure(
    connection: Connection, tenant: str, owner: str, conversation_id: UUID, lang: Literal["en", "ru"]
) -> None:
    """Make a conversation under an id that was derived from a request; the same request again finds it there."""
    query = "insert into conversations (id, tenant, owner, lang) values (%s, %s, %s, %s) on conflict do nothing"
    await connection.execute(query, (conversation_id, tenant, owner, lang))


async def get(connection: Connection, tenant: str, owner: str, conversation_id: UUID) -> Conversation | None:
    """A conversation of this person."""
    query = f"select {COLUMNS} from conversations c where c.id = %(id)s and {_MINE}"
    return await one(connection, Conversation, query, {"id": conversation_id, "tenant": tenant, "owner": owner})


async def page(
    connection: Connection, tenant: str, owner: str, *, after: UUID | None = None, limit: int = 50
) -> list[Conversation]:
    """The person's conversations, last used first; `after` is the last one of the page before."""
    return await many(
        connection,
        Conversation,
        f"""
        select {COLUMNS} from conversations c
        where {_MINE} and (%(after)s::uuid is null or (c.updated_at, c.id) <
            (select last.updated_at, last.id from conversations last
             where last.id = %(after)s and last.tenant = %(tenant)s and last.owner = %(owner)s))
        order by c.updated_at desc, c.id desc limit %(limit)s
        """,
        {"tenant": tenant, "owner": owner, "after": after, "limit": limit},
    )


async def search(connection: Connection, tenant: str, owner: str, words: str, limit: int = 50) -> list[Conversation]:
    """Conversations whose title holds these words or whose messages match them, in Russian or English."""
    return await many(
        connection,
        Conversation,
        f"""
        select {COLUMNS} from conversations c
        where {_MINE} and (strpos(lower(c.title), lower(%(words)s)) > 0 or exists (
            select 1 from messages m join turns t on t.id = m.turn_id
            where m.conversation_id = c.id and t.superseded_by is null and m.search @@
                (websearch_to_tsquery('russian', %(words)s) || websearch_to_tsquery('english', %(words)s))))
        order by c.updated_at desc, c.id desc limit %(limit)s
        """,
        {"tenant": tenant, "owner": owner, "words": storable(words), "limit": limit},
    )


async def rename(connection: Connection, tenant: str, owner: str, conversation_id: UUID, title: str) -> None:
    """Give a conversation the person's own title, which nothing replaces later. Raises `NotFound`."""
    query = f"update conversations c set title = %(title)s, title_by_user = true where c.id = %(id)s and {_MINE}"
    done = await connection.execute(
        query, {"id": conversation_id, "tenant": tenant, "owner": owner, "title": storable(title)}
    )
    if not done.rowcount:
        raise NotFound("no such conversation")


async def suggest_title(connection: Connection, conversation_id: UUID, title: str) -> None:
    """Title a conversation whose person has not done so."""
    query = "update conversations set title = %s where id = %s and not title_by_user"
    await connection.execute(query, (storable(title), conversation_id))


async def set_review(connection: Connection, tenant: str, owner: str, conversation_id: UUID, on: bool) -> None:
    """Whether `write` calls ask too. Raises `NotFound`, and `TurnActive` while a turn has not ended."""
    async with connection.transaction():
        done = await connection.execute(
            f"update conversations c set review_changes = %(on)s where c.id = %(id)s and {_MINE}",
            {"id": conversation_id, "tenant": tenant, "owner": owner, "on": on},
        )
        if not done.rowcount:
            raise NotFound("no such conversation")
        turn = await turns.active(connection, tenant, owner, conversation_id)
        if turn is not None:
            raise TurnActive(turn.id, turn.state)


async def delete(connection: Connection, tenant: str, owner: str, conversation_id: UUID) -> None:
    """Hide a conversation for good and stop its turn. Raises `NotFound`."""
    async with connection.transaction():
        query = f"select 1 as found from conversations c where c.id = %(id)s and {_MINE} for no key update"
        if not await value(connection, query, {"id": conversation_id, "tenant": tenant, "owner": owner}):
            raise NotFound("no such conversation")
        turn = await turns.active(connection, tenant, owner, conversation_id)
        if turn is not None:
            await turns.cancel(connection, tenant, owner, turn.id)
        await connection.execute(
            "update conversations set deleted_at = clock_timestamp() where id = %s", (conversation_id,)
        )


async def stale(connection: Connection, *, deleted: timedelta, idle: timedelta | None = None) -> list[UUID]:
    """Conversations without an active turn that were deleted, or last used, longer ago than this."""
    rows = await connection.execute(
        """
        select c.id from conversations c
        where (c.deleted_at < clock_timestamp() - %s or c.updated_at < clock_timestamp() - %s::interval)
            and not exists (select 1 from turns t where t.conversation_id = c.id and t.finished_at is null)
        """,
        (deleted, idle),
    )
    return [row["id"] for row in await rows.fetchall()]


async def remove(connection: Connection, conversation_ids: list[UUID]) -> None:
    """Remove conversations with all that hangs on them, except for the audit log and LangGraph's checkpoints."""
    await connection.execute("delete from conversations where id = any(%s)", (conversation_ids,))
