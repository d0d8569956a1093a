"""Row-level security: a query that forgot whose rows it wants finds the person's own, and for nobody none."""

import uuid
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from store import conversations
from store.person import NOBODY, PERSON_ROLE, Actor, person
from store.pool import Connection, Pool, lent, open_pool, transaction
from store.role import RIGHTS
from tests.store.scenes import OTHER, OWNER, TENANT

ANN, BOB = person(TENANT, OWNER), person(TENANT, OTHER)
ELSEWHERE = person("another tenant", OWNER)
ADMIN, OTHER_ADMIN = person(TENANT, None), person("another tenant", None)
# Which tables hold nobody's rows but are open to queries for people, and which are closed to them.
SHARED = {"rate_limits"}
CLOSED = {"checkpoints", "checkpoint_blobs", "checkpoint_writes"}
MARKS = ("owner", "subject", "conversation_id", "turn_id", "message_id", "thread_id")
OWNED = sorted(set(RIGHTS) - SHARED - {"audit_heads"})
READ_BY_ADMINS = {"conversations", "turns", "messages", "questions", "attachments", "turn_credentials", "feedback",
                  "usage", "audit", "sessions"}  # fmt: skip
SEED: tuple[LiteralString, ...] = (
    "insert into conversations (id, tenant, owner) values (%(place)s, %(tenant)s, %(owner)s)",
    "insert into turns (id, conversation_id, client_turn_id, request_sha256) values (%(turn)s, %(place)s, 't', '')",
    """insert into messages (id, conversation_id, turn_id, role)
       values (%(message)s, %(place)s, %(turn)s, 'assistant')""",
    """insert into approvals (id, tenant, owner, conversation_id, turn_id, call_key, tool, effect, tool_sha256,
           args_jcs, card, card_sha256, nonce, kid, sig, expires_at)
       values (%(turn)s, %(tenant)s, %(owner)s, %(place)s, %(turn)s, 'k', 'x', 'danger', '', '', '{}', '', '', '', '',
           clock_timestamp())""",
    """insert into questions (id, conversation_id, turn_id, call_key, question)
       values (%(turn)s, %(place)s, %(turn)s, 'k', 'which?')""",
    """insert into attachments (id, conversation_id, turn_id, name, size, data, text)
       values (%(turn)s, %(place)s, %(turn)s, 'f', 0, '', '')""",
    "insert into turn_credentials (turn_id, sealed, expires_at) values (%(turn)s, '', clock_timestamp())",
    """insert into sessions (handle_sha256, tenant, subject, name, role, mode, sealed, token_expires, expires_at)
       values (convert_to(%(owner)s, 'UTF8'), %(tenant)s, %(owner)s, '', '', '', '', clock_timestamp(),
           clock_timestamp())""",
    "insert into always_allowed (tenant, owner, tool) values (%(tenant)s, %(owner)s, 'x')",
    """insert into usage (tenant, owner, conversation_id, turn_id, step_key, model)
       values (%(tenant)s, %(owner)s, %(place)s, %(turn)s, 's', 'm')""",
    "insert into feedback (message_id, owner, value) values (%(message)s, %(owner)s, 1)",
    """insert into audit (tenant, seq, at, kind, actor, owner, prev_hash, hash)
       values (%(tenant)s, (select count(*) from audit), clock_timestamp(), 'k', '', %(owner)s, '', '')""",
    "insert into audit_heads (tenant, seq, hash) values (%(tenant)s, 0, '') on conflict do nothing",
)


def ids(owner: str) -> dict[str, Any]:
    """The same ids for the same person."""
    keys = {key: uuid.uuid5(uuid.NAMESPACE_URL, f"{key} of {owner}") for key in ("place", "turn", "message")}
    return {**keys, "tenant": TENANT, "owner": owner}


def seed(connection: psycopg.Connection, owner: str) -> None:
    """One row in every table, of one person."""
    for statement in SEED:
        connection.execute(statement, ids(owner))


@pytest.fixture
async def filled(database_url: str, pool: Pool) -> Pool:
    """A pool on a database in which Ann and Bob have a row in every table."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        seed(connection, OWNER)
        seed(connection, OTHER)
    return pool


async def count(pool: Pool, actor: Actor, table: str) -> int:
    """How many rows a query without any condition finds."""
    async with lent(pool, actor) as connection:
        rows = await connection.execute(sql.SQL("select count(*) as n from {}").format(sql.Identifier(table)))
        row = await rows.fetchone()
    assert row is not None
    return row["n"]


async def total(connection: Connection, table: str) -> int:
    """How many rows there are."""
    rows = await connection.execute(sql.SQL("select count(*) as n from {}").format(sql.Identifier(table)))
    return (await rows.fetchall())[0]["n"]


@pytest.mark.parametrize("table", OWNED)
async def test_a_query_that_forgot_its_owner_finds_the_persons_rows_alone(filled: Pool, table: str) -> None:
    async with filled.connection() as connection:
        assert await total(connection, table) == 2
    assert [await count(filled, actor, table) for actor in (ANN, BOB, ELSEWHERE, NOBODY)] == [1, 1, 0, 0]


@pytest.mark.parametrize("table", OWNED)
async def test_an_admin_reads_their_tenant_and_no_other(filled: Pool, table: str) -> None:
    assert await count(filled, ADMIN, table) == (2 if table in READ_BY_ADMINS else 0)
    assert await count(filled, OTHER_ADMIN, table) == 0


@pytest.mark.parametrize("actor", [ANN, NOBODY, ELSEWHERE], ids=["ann", "nobody", "elsewhere"])
@pytest.mark.parametrize("table", OWNED)
async def test_a_change_that_forgot_its_owner_meets_nobody_elses_rows(filled: Pool, table: str, actor: Actor) -> None:
    own = int(actor is ANN)
    assert await changed(filled, actor, table, "update {table} set {mark} = {mark}") in (own, None)
    assert await changed(filled, actor, table, "delete from {table}") in (own, None)


async def changed(pool: Pool, actor: Actor, table: str, statement: LiteralString) -> int | None:
    """How many rows a statement would change; None where its kind is refused altogether."""
    async with lent(pool, actor) as connection, connection.transaction(force_rollback=True):
        marks = await connection.execute(
            "select attname from pg_attribute where attrelid = %s::regclass and attname = any(%s)", (table, list(MARKS))
        )
        mark = (await marks.fetchall())[0]["attname"]
        query = sql.SQL(statement).format(table=sql.Identifier(table), mark=sql.Identifier(mark))
        try:
            return (await connection.execute(query)).rowcount
        except psycopg.errors.InsufficientPrivilege:
            return None


@pytest.mark.parametrize("statement", [s for s in SEED if "audit_heads" not in s], ids=lambda s: s.split()[2])
async def test_nobody_writes_a_row_in_somebody_elses_name(filled: Pool, statement: LiteralString) -> None:
    async with lent(filled, BOB) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(statement, {**ids(OWNER), "turn": uuid.uuid4(), "message": uuid.uuid4()})


async def test_the_head_of_a_chain_is_the_tenants(filled: Pool) -> None:
    assert [await count(filled, actor, "audit_heads") for actor in (ANN, BOB, ELSEWHERE, NOBODY)] == [1, 1, 0, 0]


async def test_sealed_tokens_of_sessions_are_closed_to_queries_for_people(filled: Pool) -> None:
    async with lent(filled, ANN) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute("select sealed from sessions")


@pytest.mark.parametrize("table", sorted(CLOSED))
async def test_checkpoints_are_closed_to_queries_for_people(pool: Pool, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await count(pool, ANN, table)


async def test_who_a_connection_was_lent_for_before_is_forgotten(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=1)
    async with lent(pool, ANN) as connection:
        backend = connection.info.backend_pid
        await conversations.create(connection, TENANT, OWNER)
    seen = [await count(pool, actor, "conversations") for actor in (BOB, ADMIN, NOBODY, ANN, BOB)]
    with pytest.raises(LookupError):
        await _fail_as_ann(pool)
    seen.append(await count(pool, BOB, "conversations"))
    async with pool.connection() as connection:
        assert (connection.info.backend_pid, await total(connection, "conversations")) == (backend, 1)
    await pool.close()
    assert seen == [0, 1, 0, 1, 0, 0]


async def _fail_as_ann(pool: Pool) -> None:
    async with lent(pool, ANN) as connection, connection.transaction():
        await conversations.create(connection, TENANT, OWNER)
        raise LookupError


async def test_a_transaction_is_for_whoever_began_it(pool: Pool) -> None:
    async with transaction(pool) as mine, lent(pool, BOB) as theirs:
        await conversations.create(mine, TENANT, OTHER)
        assert await total(theirs, "conversations") == 0
        assert await total(mine, "conversations") == 1
    assert await count(pool, BOB, "conversations") == 1


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
async def test_a_name_that_no_row_can_hold_is_nobody(text: str) -> None:
    assert person(TENANT, text) == person(text, OWNER) == NOBODY


async def test_every_table_with_an_owner_has_a_policy_or_is_closed(connection: Connection) -> None:
    assert await unguarded(connection, owned=True) == CLOSED
    assert await reachable_without_policy(connection) == SHARED


async def test_a_new_table_without_a_policy_is_found(connection: Connection) -> None:
    await connection.execute("create table notes (owner text)")
    assert await unguarded(connection, owned=True) == CLOSED | {"notes"}
    await connection.execute(sql.SQL("grant insert on notes to {}").format(sql.Identifier(PERSON_ROLE)))
    assert await reachable_without_policy(connection) == SHARED | {"notes"}


async def unguarded(connection: Connection, *, owned: bool) -> set[str]:
    """Tables without a policy that is in force; of those that somebody's rows are in, or of all."""
    rows = await connection.execute(
        """
        select c.relname from pg_class c
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
            and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))
            and (not %s or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = any(%s)))
        """,
        (owned, list(MARKS)),
    )
    return {row["relname"] for row in await rows.fetchall()}


async def reachable_without_policy(connection: Connection) -> set[str]:
    """Tables without a policy in which queries for people may do anything at all."""
    found = await unguarded(connection, owned=False)
    rows = await connection.execute(
        """
        select t from unnest(%s::text[]) t where has_table_privilege(%s, t, 'select, insert, update, delete, truncate')
            or has_any_column_privilege(%s, t, 'select, insert, update')
        """,
        (list(found), PERSON_ROLE, PERSON_ROLE),
    )
    return {row["t"] for row in await rows.fetchall()}
