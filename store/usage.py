"""Tokens: one row for each model request, counted once even when its step runs again."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Literal, LiteralString
from uuid import UUID

from store import fence
from store.errors import LostLease
from store.fence import Lease
from store.pool import Connection
from store.rows import many, value

_SUMS: LiteralString = """
    count(*)::int as requests, sum(input_tokens)::bigint as input_tokens, sum(cached_tokens)::bigint as cached_tokens,
    sum(reasoning_tokens)::bigint as reasoning_tokens, sum(output_tokens)::bigint as output_tokens
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one model request; `estimated` when the provider reported none."""

    step_key: str
    model: str
    input_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """Sums over a day (in UTC), a model, a person, or what of these was asked for; the others are None."""

    day: date | None
    model: str | None
    owner: str | None
    name: str | None
    requests: int
    turns: int
    input_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    output_tokens: int


By = Literal["day", "person", "row"]
_KEYS: dict[By, LiteralString] = {
    "day": "(at at time zone 'UTC')::date as day, model, null as owner",
    "person": "null::date as day, null as model, owner",
    "row": "(at at time zone 'UTC')::date as day, model, owner",
}
_ORDER: dict[By, LiteralString] = {
    "day": "day, model",
    "person": "input_tokens + output_tokens desc, owner limit 100",
    "row": "day, model, owner",
}


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over the requests of one model."""

    model: str
    requests: int
    input_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    output_tokens: int


async def record(connection: Connection, lease: Lease, used: Usage) -> None:
    """Count a model request of a turn; the same `step_key` counts once. Raises `LostLease`."""
    held = await value(
        connection,
        f"""
        with {fence.HELD}, added as (
            insert into usage (tenant, owner, conversation_id, turn_id, step_key, model, input_tokens, cached_tokens,
                reasoning_tokens, output_tokens, estimated)
            select c.tenant, c.owner, c.id, held.id, %(step_key)s, %(model)s, %(input_tokens)s, %(cached_tokens)s,
                %(reasoning_tokens)s, %(output_tokens)s, %(estimated)s
            from held join conversations c on c.id = held.conversation_id
            on conflict (turn_id, step_key) do nothing
        )
        select exists (select 1 from held)
        """,
        {**asdict(used), "turn": lease.turn_id, "fence": lease.fence},
    )
    if not held:
        raise LostLease


async def of_turn(connection: Connection, turn_id: UUID) -> list[Total]:
    """The tokens of a turn by model, for the turn's worker."""
    query = f"select model, {_SUMS} from usage where turn_id = %s group by model order by model"
    return await many(connection, Total, query, (turn_id,))


async def of_conversation(connection: Connection, tenant: str, owner: str, conversation_id: UUID) -> list[Total]:
    """The tokens of a conversation of this person by model."""
    query = f"""
        select model, {_SUMS} from usage where tenant = %s and owner = %s and conversation_id = %s
        group by model order by model
    """
    return await many(connection, Total, query, (tenant, owner, conversation_id))


async def spent(connection: Connection, tenant: str, seconds: float, owner: str | None = None) -> int:
    """Tokens in and out within the last `seconds`, of the whole tenant or of one person."""
    return await value(
        connection,
        """
        select coalesce(sum(input_tokens + output_tokens), 0)::bigint from usage
        where tenant = %(tenant)s and at > clock_timestamp() - make_interval(secs => %(seconds)s)
            and (%(owner)s::text is null or owner = %(owner)s)
        """,
        {"tenant": tenant, "owner": owner, "seconds": seconds},
    )


async def grouped(
    connection: Connection, tenant: str, by: By, since: date, until: date, owner: str | None = None
) -> list[Spent]:
    """Tokens of the days from `since` to before `until`, of the tenant or of one person.

    By "day" and model, by "person" (the hundred who used most), or a "row" for each day, model and person. A person's
    name is that of the last sign-in, if there is one.
    """
    return await many(
        connection,
        Spent,
        f"""
        with spent as (
            select {_KEYS[by]}, count(distinct turn_id)::int as turns, {_SUMS} from usage
            where tenant = %(tenant)s and (%(owner)s::text is null or owner = %(owner)s)
                and at >= %(since)s::date::timestamp at time zone 'UTC'
                and at < %(until)s::date::timestamp at time zone 'UTC'
            group by 1, 2, 3
        ), names as (
            select distinct on (subject) subject, name from sessions where tenant = %(tenant)s
            order by subject, expires_at desc
        )
        select spent.*, names.name from spent left join names on names.subject = spent.owner order by {_ORDER[by]}
        """,
        {"tenant": tenant, "owner": owner, "since": since, "until": until},
    )
