"""The audit log: append-only, one hash chain for each tenant.

A row's hash covers the hash of the row before it, so a row that was changed, removed or moved breaks the chain.
The newest link is kept in `audit_heads` as well, so removing the newest rows shows too. Whoever can rewrite all of
this can still be caught with an anchor: a head that was noted elsewhere (see `python -m store verify-audit`).
"""

import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, LiteralString
from uuid import UUID

from store.pool import Connection
from store.rows import jsonb, many, one, storable

START = bytes(32)
BATCH = 1000
COLUMNS: LiteralString = """
    tenant, seq, at, kind, actor, actor_name, owner, conversation_id, turn_id, approval_id, tool, data,
    data::text as data_text, prev_hash, hash
"""

Decision = Literal["approved", "denied", "edited", "asked", "expired", "superseded", "refused", "unasked"]
# What is written down about a card belongs together, but each person's entries alone: whoever tried somebody else's
# card must not learn from their own entry what became of it.
_OF_CARD: LiteralString = "e.tenant = a.tenant and e.approval_id = a.approval_id and e.owner = a.owner"
_DECIDED: LiteralString = f"""
    case %(decision)s::text
        when 'unasked' then a.approval_id is null and a.kind in ('sent', 'came_back')
        when 'asked' then exists (select 1 from audit e where {_OF_CARD} and e.kind = 'asked')
            and not exists (select 1 from audit e where {_OF_CARD} and e.kind in ('decided', 'expired', 'superseded'))
        else (a.kind = 'refused' and a.kind = %(decision)s) or exists (select 1 from audit e where {_OF_CARD}
            and case e.kind when 'decided' then e.data ->> 'decision' else e.kind end = %(decision)s
            and e.kind in ('decided', 'expired', 'superseded', 'refused'))
    end
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened: `actor` did it, in a matter of `owner`; both are "iss|sub". `data` holds no secrets."""

    tenant: str
    kind: str
    actor: str
    owner: str
    actor_name: str = ""
    conversation_id: UUID | None = None
    turn_id: UUID | None = None
    approval_id: UUID | None = None
    tool: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Entry):
    """An entry in its tenant's chain; `data_text` is `data` as PostgreSQL writes it, which is what was hashed."""

    seq: int
    at: datetime
    data_text: str
    prev_hash: bytes
    hash: bytes

    def digest(self) -> bytes:
        """SHA-256 over the previous hash and every column, as one JSON array of texts."""
        columns = [
            self.prev_hash.hex(),
            self.tenant,
            self.seq,
            self.at.astimezone(UTC).isoformat(timespec="microseconds"),
            self.kind,
            self.actor,
            self.actor_name,
            self.owner,
            *(str(key) if key else None for key in (self.conversation_id, self.turn_id, self.approval_id)),
            self.tool,
            self.data_text,
        ]
        return hashlib.sha256(json.dumps(columns, ensure_ascii=False).encode()).digest()


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries to show; None means any.

    `owner` is whose entries may be seen at all, `person` whose are wanted. A `decision` finds everything about the
    cards on which it was taken: also "asked" (it waits), "refused" (some attempt was), "unasked" (no card at all).
    """

    owner: str | None = None
    person: str | None = None
    decision: Decision | None = None
    conversation_id: UUID | None = None
    actor: str | None = None
    kind: str | None = None
    tool: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody in whose matters there are entries; `name` is the newest that they had."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class _Tool:
    tool: str


@dataclass(frozen=True, slots=True)
class Head:
    """The newest link of a chain."""

    tenant: str
    seq: int
    hash: bytes


async def append(connection: Connection, entry: Entry) -> Link:
    """Add one entry to its tenant's chain.

    Entries of a tenant queue up behind the surrounding transaction: append late in it.
    """
    async with connection.transaction():
        link = await _next(connection, entry)
        await connection.execute(
            """
            insert into audit (tenant, seq, at, kind, actor, actor_name, owner, conversation_id, turn_id, approval_id,
                tool, data, prev_hash, hash)
            values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s)
            """,
            (
                link.tenant,
                link.seq,
                link.at,
                link.kind,
                link.actor,
                link.actor_name,
                link.owner,
                link.conversation_id,
                link.turn_id,
                link.approval_id,
                link.tool,
                link.data_text,
                link.prev_hash,
                link.hash,
            ),
        )
        query = "update audit_heads set seq = %s, hash = %s where tenant = %s"
        await connection.execute(query, (link.seq, link.hash, link.tenant))
    return link


async def page(
    connection: Connection, tenant: str, where: Filter, *, before: int | None = None, limit: int = 100
) -> list[Link]:
    """The tenant's newest entries that fit, or the newest of those before `seq`; newest first.

    The caller decides whose entries may be seen: `Filter(owner=...)` for a person's own.
    """
    return await many(
        connection,
        Link,
        f"""
        select {COLUMNS} from audit a
        where tenant = %(tenant)s and (%(before)s::bigint is null or seq < %(before)s)
            and (%(owner)s::text is null or owner = %(owner)s)
            and (%(person)s::text is null or owner = %(person)s)
            and (%(actor)s::text is null or actor = %(actor)s)
            and (%(kind)s::text is null or kind = %(kind)s)
            and (%(tool)s::text is null or tool = %(tool)s)
            and (%(conversation_id)s::uuid is null or conversation_id = %(conversation_id)s)
            and (%(since)s::timestamptz is null or at >= %(since)s)
            and (%(until)s::timestamptz is null or at < %(until)s)
            and (%(decision)s::text is null or {_DECIDED})
        order by seq desc limit %(limit)s
        """,
        {"tenant": tenant, "before": before, "limit": limit, **asdict(where)},
    )


async def people(connection: Connection, tenant: str, owner: str | None = None) -> list[Owner]:
    """In whose matters the tenant has entries, by name; with `owner` only them."""
    return await many(
        connection,
        Owner,
        """
        select owner as id, coalesce(
            (array_agg(actor_name order by seq desc) filter (where actor = owner and actor_name <> ''))[1], '') as name
        from audit where tenant = %(tenant)s and (%(owner)s::text is null or owner = %(owner)s)
        group by owner order by 2, 1
        """,
        {"tenant": tenant, "owner": owner},
    )


async def tools(connection: Connection, tenant: str, owner: str | None = None) -> list[str]:
    """Of which tools the tenant, or one person in it, has entries; by name."""
    rows = await many(
        connection,
        _Tool,
        """
        select distinct tool from audit
        where tenant = %(tenant)s and (%(owner)s::text is null or owner = %(owner)s) and tool is not null order by tool
        """,
        {"tenant": tenant, "owner": owner},
    )
    return [row.tool for row in rows]


async def heads(connection: Connection) -> list[Head]:
    """The recorded newest link of every chain, by tenant."""
    return await many(connection, Head, "select tenant, seq, hash from audit_heads order by tenant")


async def chain(connection: Connection, tenant: str) -> AsyncIterator[Link]:
    """All entries of a tenant, oldest first, read in batches."""
    last = -1
    while batch := await _after(connection, tenant, last):
        for link in batch:
            yield link
        last = batch[-1].seq


async def _after(connection: Connection, tenant: str, seq: int) -> list[Link]:
    query = f"select {COLUMNS} from audit where tenant = %s and seq > %s order by seq limit %s"
    return await many(connection, Link, query, (tenant, seq, BATCH))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the next entry goes. Reading it locks the chain until the transaction ends."""

    seq: int
    prev_hash: bytes
    at: datetime
    data: dict[str, Any]
    data_text: str


async def _next(connection: Connection, entry: Entry) -> Link:
    place = await one(
        connection,
        _Place,
        """
        insert into audit_heads as h (tenant, seq, hash) values (%(tenant)s, 0, %(start)s)
        on conflict (tenant) do update set seq = h.seq
        returning h.seq + 1 as seq, h.hash as prev_hash, clock_timestamp() as at, %(data)s::jsonb as data,
            %(data)s::jsonb::text as data_text
        """,
        {"tenant": entry.tenant, "start": START, "data": jsonb(entry.data)},
    )
    assert place is not None
    texts = {"actor": storable(entry.actor), "actor_name": storable(entry.actor_name)}
    link = Link(**{**asdict(entry), **texts, **asdict(place)}, hash=b"")
    return replace(link, hash=link.digest())
