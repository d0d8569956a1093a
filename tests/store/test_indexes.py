"""What the database itself forbids, whatever the code does."""

from uuid import uuid4

import pytest
from psycopg.errors import UniqueViolation

from store.pool import Connection
from tests.store import scenes


async def test_a_conversation_has_one_active_turn(connection: Connection) -> None:
    turn = await scenes.queued(connection)
    query = "insert into turns (id, conversation_id, client_turn_id, request_sha256) values (%s, %s, 'other', '')"
    with pytest.raises(UniqueViolation, match="turns_one_active"):
        await connection.execute(query, (uuid4(), turn.conversation_id))


async def test_a_client_turn_id_is_used_once_in_a_conversation(connection: Connection) -> None:
    turn = await scenes.queued(connection)
    query = """
        insert into turns (id, conversation_id, client_turn_id, request_sha256, state) values (%s, %s, %s, '', 'failed')
    """
    with pytest.raises(UniqueViolation, match="client_turn_id"):
        await connection.execute(query, (uuid4(), turn.conversation_id, turn.client_turn_id))


async def test_a_call_has_one_open_approval(connection: Connection) -> None:
    turn = await scenes.running(connection)
    row = await scenes.pending(connection, turn)
    query = """
        insert into approvals (id, tenant, owner, conversation_id, turn_id, call_key, version, tool, effect,
            tool_sha256, args_jcs, card, card_sha256, nonce, kid, sig, expires_at)
        select gen_random_uuid(), tenant, owner, conversation_id, turn_id, call_key, 2, tool, effect,
            tool_sha256, args_jcs, card, card_sha256, nonce, kid, sig, expires_at from approvals where id = %s
    """
    with pytest.raises(UniqueViolation, match="approvals_one_open"):
        await connection.execute(query, (row.id,))


async def test_the_tokens_of_a_conversation_are_found_by_its_index(connection: Connection) -> None:
    await connection.execute("""
        insert into usage (tenant, owner, conversation_id, turn_id, step_key, model)
        select 't', 'o', md5((n % 500)::text)::uuid, gen_random_uuid(), 's', 'm' from generate_series(1, 5000) n
    """)
    await connection.execute("analyze usage")
    query = "explain select sum(input_tokens) from usage where tenant = 't' and owner = 'o' and conversation_id = %s"
    plan = await (await connection.execute(query, (uuid4(),))).fetchall()
    assert any("usage_of_conversation" in str(row) for row in plan)
