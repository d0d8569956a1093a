"""What must hold after everything that can happen, as far as the database can tell. Tests ask after every test.

I1 an accepted message is there once    I2 a succeeded turn has one final answer, which ends with the model's words
I3 an approval has at most one effect, and one exactly when it was consumed with success
I4 no effect without an approval of the same arguments and person    I5 no turn runs long after its lease
I6 no open approval of an ended turn    I7 every tool call in a checkpoint has its one result
I8 a checkpoint holds the succeeded turns in order, the last one included    I9 the fence grew with every claim
I10 no secret is stored anywhere
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString
from uuid import UUID

from psycopg import sql

from store import histories
from store.pool import Connection

_RULES: dict[str, LiteralString] = {
    "I1 turn {id} has no user message": """
        select id from turns t where not exists (select 1 from messages where turn_id = t.id and role = 'user')
    """,
    "I2 succeeded turn {id} has no final answer": """
        select id from turns t where state = 'succeeded' and not exists
            (select 1 from messages where turn_id = t.id and role = 'assistant' and state = 'final')
    """,
    "I2 turn {id} has an answer that does not fit its state": """
        select t.id from turns t join messages m on m.turn_id = t.id and m.role = 'assistant'
        where m.state <> case t.state when 'succeeded' then 'final' when 'failed' then 'failed'
            when 'canceled' then 'canceled' else 'draft' end
    """,
    "I6 approval {id} is open although its turn has ended": """
        select a.id from approvals a join turns t on t.id = a.turn_id
        where a.state in ('pending', 'approved') and t.state in ('succeeded', 'failed', 'canceled')
    """,
    "I6 question {id} is open although its turn has ended": """
        select q.id from questions q join turns t on t.id = q.turn_id
        where q.state = 'pending' and t.state in ('succeeded', 'failed', 'canceled')
    """,
    "I6 turn {id} has ended and left a sealed token": """
        select t.id from turns t join turn_credentials k on k.turn_id = t.id
        where t.state in ('succeeded', 'failed', 'canceled')
    """,
    "I6 turn {id} waits for an approval although none is pending": """
        select id from turns t where state = 'waiting_approval' and not exists
            (select 1 from approvals where turn_id = t.id and state = 'pending')
    """,
    "I9 turn {id} was claimed more often than its fence says": "select id from turns where fence < attempt",
}


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that the backend did under an approval; `args_jcs` are the bytes that it was sent."""

    approval_id: UUID
    owner: str
    args_jcs: bytes


async def violations(
    connection: Connection,
    effects: Sequence[Effect] | None = None,
    canaries: Sequence[str] = (),
    lease_seconds: float = 30.0,
) -> list[str]:
    """Everything that is wrong, one line each, each beginning with the invariant's number.

    I3 and I4 need all `effects` of the backend's `danger` calls, I10 the secrets that must not be stored.
    """
    found = [line for rule, query in _RULES.items() for line in await _broken(connection, rule, query)]
    found += await _overdue(connection, lease_seconds)
    found += await histories.violations(connection)
    found += await _effects(connection, effects) if effects is not None else []
    return found + [line for canary in canaries for line in await _leaks(connection, canary)]


async def _broken(connection: Connection, rule: str, query: LiteralString) -> list[str]:
    rows = await connection.execute(query)
    return [rule.format(**row) for row in await rows.fetchall()]


async def _overdue(connection: Connection, lease_seconds: float) -> list[str]:
    rows = await connection.execute(
        """
        select id from turns
        where state = 'running' and lease_until < clock_timestamp() - make_interval(secs => %s)
        """,
        (lease_seconds,),
    )
    return [f"I5 turn {row['id']} runs on although its lease is long over" for row in await rows.fetchall()]


async def _effects(connection: Connection, effects: Sequence[Effect]) -> list[str]:
    rows = await connection.execute("select id, owner, args_jcs, state, result from approvals")
    known = {row["id"]: row for row in await rows.fetchall()}
    times = Counter(effect.approval_id for effect in effects)
    found = [f"I3 approval {key} had {count} effects" for key, count in times.items() if count > 1]
    for key, row in known.items():
        if row["state"] == "consumed" and row["result"] and not times[key]:
            found.append(f"I3 approval {key} succeeded without an effect")
    for effect in effects:
        row = known.get(effect.approval_id)
        fits = row and (row["owner"], row["args_jcs"]) == (effect.owner, effect.args_jcs)
        if not (row and fits and row["state"] in ("consumed", "failed")):
            found.append(f"I4 an effect of approval {effect.approval_id} was not countersigned")
    return found


async def _leaks(connection: Connection, canary: str) -> list[str]:
    tables = await connection.execute("select tablename from pg_tables where schemaname = current_schema()")
    found = []
    for table in [row["tablename"] for row in await tables.fetchall()]:
        query = sql.SQL("select 1 from {} t where strpos(t::text, %s) > 0 or strpos(t::text, %s) > 0 limit 1")
        rows = await connection.execute(query.format(sql.Identifier(table)), (canary, canary.encode().hex()))
        if await rows.fetchone():
            found.append(f"I10 a secret is stored in {table}")
    return found
