"""One winner for every card, one execution for every approval, and nothing for other people."""

import asyncio
import random
from uuid import UUID

import pytest

from store import approvals, leases, turns
from store.approvals import Approval, Decided, Verdict
from store.errors import NotApproved, NotFound
from store.messages import Content
from store.pool import Connection, Pool, open_pool
from tests.store import scenes
from tests.store.scenes import OTHER, OWNER, TENANT

YES, NO = Verdict("approved", OWNER, "Ann"), Verdict("denied", OWNER, "Ann", "not today")


async def test_thirty_deciders_have_one_winner_whom_all_are_told(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=30)
    async with pool.connection() as connection:
        _, card = await scenes.waiting(connection)
    verdicts = [YES, NO] * 15
    random.shuffle(verdicts)
    outcomes = await asyncio.gather(*(_decide(pool, card, verdict) for verdict in verdicts))
    await pool.close()
    winners = [outcome.approval for outcome in outcomes if outcome.won]
    assert len(winners) == 1
    assert {outcome.approval.state for outcome in outcomes} == {winners[0].state}


async def test_approve_and_deny_at_once_give_one_decision_each_time(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=4)
    for _ in range(20):
        async with pool.connection() as connection:
            turn, card = await scenes.waiting(connection)
        yes, no = await asyncio.gather(_decide(pool, card, YES), _decide(pool, card, NO))
        assert yes.won != no.won
        async with pool.connection() as connection:
            stored = await _stored(connection, card)
            assert stored.state == ("approved" if yes.won else "denied")
            assert (await scenes.state_of(connection, turn)).state == "queued"
    await pool.close()


async def test_a_decision_is_kept_with_who_and_why(connection: Connection) -> None:
    _, card = await scenes.waiting(connection)
    decided = await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, NO)
    assert decided.won
    denied = decided.approval
    assert (denied.state, denied.reason, denied.decided_by, denied.decided_by_name) == (
        "denied",
        "not today",
        OWNER,
        "Ann",
    )
    assert denied.decided_at is not None


async def test_a_card_that_was_not_seen_cannot_be_decided(connection: Connection) -> None:
    _, card = await scenes.waiting(connection)
    decided = await approvals.decide(connection, TENANT, OWNER, card.id, b"another card", YES)
    assert not decided.won
    assert (await _stored(connection, card)).state == "pending"


@pytest.mark.parametrize(("tenant", "owner"), [(TENANT, OTHER), ("other", OWNER)])
async def test_other_people_find_no_card(connection: Connection, tenant: str, owner: str) -> None:
    _, card = await scenes.waiting(connection)
    with pytest.raises(NotFound):
        await approvals.decide(connection, tenant, owner, card.id, card.card_sha256, YES)
    with pytest.raises(NotFound):
        await approvals.edit(connection, tenant, owner, card.id, card.card_sha256, _next(card))
    assert await approvals.get(connection, tenant, owner, card.id) is None
    assert await approvals.of_turns(connection, tenant, owner, [card.turn_id]) == []
    assert await approvals.pending_of_owner(connection, tenant, owner) == []
    assert (await _stored(connection, card)).state == "pending"


async def test_an_overdue_card_cannot_be_approved_and_says_so(connection: Connection) -> None:
    _, card = await scenes.waiting(connection)
    query = "update approvals set expires_at = clock_timestamp() where id = %s"
    await connection.execute(query, (card.id,))
    decided = await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, YES)
    assert not decided.won
    assert decided.approval.state == "expired"


async def test_expiry_goes_by_the_clock_and_not_by_the_start_of_the_transaction(connection: Connection) -> None:
    _, card = await scenes.waiting(connection)
    async with connection.transaction():
        await connection.execute("select 1")
        query = "update approvals set expires_at = clock_timestamp() where id = %s"
        await connection.execute(query, (card.id,))
        decided = await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, YES)
    assert not decided.won


async def test_an_edit_is_the_next_version_of_the_same_call(connection: Connection) -> None:
    _, card = await scenes.waiting(connection)
    edited = await approvals.edit(connection, TENANT, OWNER, card.id, card.card_sha256, _next(card))
    assert edited.won
    assert (edited.approval.version, edited.approval.state) == (2, "pending")
    assert (await _stored(connection, card)).state == "superseded"
    newest = await approvals.of_call(connection, card.turn_id, card.call_key)
    assert newest is not None
    assert newest.id == edited.approval.id


async def test_an_edit_cannot_change_the_tool_or_skip_a_version(connection: Connection) -> None:
    turn, card = await scenes.waiting(connection)
    for change in ({"tool": "grant_role", "version": 2}, {"version": 3}, {"call_key": "another", "version": 2}):
        new = scenes.new_approval(turn, **{"call_key": card.call_key, **change})
        assert not (await approvals.edit(connection, TENANT, OWNER, card.id, card.card_sha256, new)).won
    assert len(await approvals.of_turn(connection, turn.id)) == 1
    assert (await _stored(connection, card)).state == "pending"


async def test_an_edit_and_an_approval_at_once_have_one_winner(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=4)
    for _ in range(20):
        async with pool.connection() as connection:
            _, card = await scenes.waiting(connection)
        edited, approved = await asyncio.gather(_edit(pool, card), _decide(pool, card, YES))
        assert edited.won != approved.won
    await pool.close()


async def test_an_approval_is_consumed_first_exactly_once(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=10)
    async with pool.connection() as connection:
        turn, card = await scenes.waiting(connection)
    await _decide(pool, card, YES)
    async with pool.connection() as connection:
        turn = await scenes.claim(connection, turn)
    taken = await asyncio.gather(*(_consume(pool, turn, card) for _ in range(10)))
    await pool.close()
    assert sum(one.first for one in taken) == 1
    assert {one.approval.state for one in taken} == {"consumed"}


@pytest.mark.parametrize("state", ["pending", "denied", "expired", "superseded"])
async def test_only_an_approved_call_is_consumed(connection: Connection, state: str) -> None:
    turn = await scenes.running(connection)
    card = await scenes.pending(connection, turn)
    await connection.execute("update approvals set state = %s where id = %s", (state, card.id))
    with pytest.raises(NotApproved) as refused:
        await approvals.consume(connection, turn, card.id)
    assert refused.value.state == state


async def test_an_approval_of_another_turn_is_not_consumed(connection: Connection) -> None:
    mine = await scenes.running(connection)
    theirs = await scenes.running(connection)
    card = await scenes.pending(connection, theirs)
    await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, YES)
    with pytest.raises(NotFound):
        await approvals.consume(connection, mine, card.id)
    assert (await _stored(connection, card)).state == "approved"


async def test_the_first_result_of_a_call_stands(connection: Connection) -> None:
    turn = await scenes.running(connection)
    card = await scenes.pending(connection, turn)
    await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, YES)
    await approvals.consume(connection, turn, card.id)
    await approvals.record(connection, turn, card.id, {"status": 403}, ok=False)
    await approvals.record(connection, turn, card.id, {"status": 200}, ok=True)
    again = await approvals.consume(connection, turn, card.id)
    assert (again.first, again.approval.state, again.approval.result) == (False, "failed", {"status": 403})


async def test_a_call_that_asks_again_finds_its_card(connection: Connection) -> None:
    turn = await scenes.running(connection)
    first = await scenes.pending(connection, turn)
    again = await scenes.pending(connection, turn)
    other = await scenes.pending(connection, turn, "ai-1:call-2")
    assert again.id == first.id
    assert other.id != first.id


async def test_cards_that_the_graph_does_not_wait_for_are_voided(connection: Connection) -> None:
    turn = await scenes.running(connection)
    kept, orphan = [await scenes.pending(connection, turn, key) for key in ("kept", "orphan")]
    await approvals.supersede_others(connection, turn, ["kept"])
    assert (await _stored(connection, kept)).state == "pending"
    assert (await _stored(connection, orphan)).state == "superseded"


async def test_pending_cards_are_listed_and_counted_over_conversations(connection: Connection) -> None:
    (first, one), (_, two) = await scenes.waiting(connection), await scenes.waiting(connection)
    listed = await approvals.pending_of_owner(connection, TENANT, OWNER)
    assert [card.id for card in listed] == [one.id, two.id]
    assert await approvals.count_pending(connection, TENANT, OWNER, first.conversation_id) == (1, 2)


async def test_a_card_left_open_by_an_ended_turn_is_void(connection: Connection) -> None:
    turn = await scenes.running(connection)
    card = await scenes.pending(connection, turn)
    await leases.finish(connection, turn, "failed", Content(), {"code": "x"})
    assert (await _stored(connection, card)).state == "superseded"


async def _stored(connection: Connection, card: Approval) -> Approval:
    found = await approvals.get(connection, TENANT, OWNER, card.id)
    assert found is not None
    return found


async def _decide(pool: Pool, card: Approval, verdict: Verdict) -> Decided:
    async with pool.connection() as connection, connection.transaction():
        decided = await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, verdict)
        await turns.resume(connection, card.turn_id)
    return decided


async def _edit(pool: Pool, card: Approval) -> Decided:
    async with pool.connection() as connection:
        return await approvals.edit(connection, TENANT, OWNER, card.id, card.card_sha256, _next(card))


async def _consume(pool: Pool, turn: turns.Turn, card: Approval) -> approvals.Consumed:
    async with pool.connection() as connection:
        return await approvals.consume(connection, turn, card.id)


def _next(card: Approval) -> approvals.NewApproval:
    fields = {name: getattr(card, name) for name in approvals.NewApproval.__slots__}
    changed = {"id": UUID(int=card.id.int ^ 1), "version": card.version + 1, "args_jcs": b'{"id":"d-2"}'}
    return approvals.NewApproval(**{**fields, **changed})
