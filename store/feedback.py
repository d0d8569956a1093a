"""A person's thumb, up or down, on an answer in a conversation of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from store.errors import NotFound
from store.pool import Connection
from store.rows import many, storable


@dataclass(frozen=True, slots=True)
class Rating:
    """One thumb, and on what: the conversation and the client's id of the turn."""

    at: datetime
    owner: str
    conversation_id: UUID
    turn_id: str
    value: int
    reason: str | None


async def put(
    connection: Connection, tenant: str, owner: str, message_id: UUID, value: Literal[-1, 1], reason: str | None = None
) -> None:
    """Rate an answer; a second rating replaces the first. Raises `NotFound`."""
    done = await connection.execute(
        """
        insert into feedback (message_id, owner, value, reason)
        select m.id, c.owner, %s, %s from messages m join conversations c on c.id = m.conversation_id
        where m.id = %s and m.role = 'assistant' and c.tenant = %s and c.owner = %s and c.deleted_at is null
        on conflict (message_id, owner) do update set value = excluded.value, reason = excluded.reason,
            at = clock_timestamp()
        """,
        (value, reason and storable(reason), message_id, tenant, owner),
    )
    if not done.rowcount:
        raise NotFound("no such answer")


async def clear(connection: Connection, owner: str, message_id: UUID) -> None:
    """Take a rating back."""
    await connection.execute("delete from feedback where message_id = %s and owner = %s", (message_id, owner))


async def of_messages(connection: Connection, owner: str, message_ids: Sequence[UUID]) -> dict[UUID, int]:
    """This person's ratings of these messages."""
    query = "select message_id, value from feedback where owner = %s and message_id = any(%s)"
    rows = await connection.execute(query, (owner, list(message_ids)))
    return {row["message_id"]: row["value"] for row in await rows.fetchall()}


async def between(
    connection: Connection, tenant: str, since: date, until: date, owner: str | None = None
) -> list[Rating]:
    """The ratings of the days (in UTC) from `since` to before `until`, oldest first, of the tenant or of one person."""
    return await many(
        connection,
        Rating,
        """
        select f.at, f.owner, m.conversation_id, t.client_turn_id as turn_id, f.value, f.reason
        from feedback f join messages m on m.id = f.message_id join turns t on t.id = m.turn_id
            join conversations c on c.id = m.conversation_id
        where c.tenant = %(tenant)s and (%(owner)s::text is null or f.owner = %(owner)s)
            and f.at >= %(since)s::date::timestamp at time zone 'UTC'
            and f.at < %(until)s::date::timestamp at time zone 'UTC'
        order by f.at, f.message_id
        """,
        {"tenant": tenant, "owner": owner, "since": since, "until": until},
    )
