"""Accepting, stopping and retrying turns: one active turn a conversation, one turn an id."""

import asyncio
from uuid import uuid4

import pytest

from store import approvals, credentials, leases, messages, questions, turns
from store.errors import NotFound, TurnActive, TurnIdReused
from store.messages import Content
from store.pool import Connection, Pool, open_pool
from tests.store import scenes
from tests.store.scenes import OTHER, OWNER, TENANT


async def test_the_same_request_again_finds_the_same_turn(connection: Connection) -> None:
    place = await scenes.conversation(connection)
    first = await turns.accept(connection, scenes.request(place.id))
    again = await turns.accept(connection, scenes.request(place.id))
    assert first.queued
    assert not again.queued
    assert again.turn.id == first.turn.id
    assert len(await messages.page(connection, TENANT, OWNER, place.id)) == 1


async def test_a_turn_id_with_another_message_is_refused_in_every_state(connection: Connection) -> None:
    turn = await scenes.running(connection)
    other = scenes.request(turn.conversation_id, text="something else")
    with pytest.raises(TurnIdReused):
        await turns.accept(connection, other)
    await leases.finish(connection, turn, "succeeded", Content())
    with pytest.raises(TurnIdReused):
        await turns.accept(connection, other)


async def test_a_second_turn_is_refused_until_the_first_ends(connection: Connection) -> None:
    turn = await scenes.running(connection)
    second = scenes.request(turn.conversation_id, "t2")
    with pytest.raises(TurnActive) as refused:
        await turns.accept(connection, second)
    assert (refused.value.turn_id, refused.value.state) == (turn.id, "running")
    await leases.finish(connection, turn, "succeeded", Content())
    assert (await turns.accept(connection, second)).queued


async def test_racing_requests_with_the_same_id_make_one_turn(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=20)
    async with pool.connection() as connection:
        place = await scenes.conversation(connection)
    accepted = await asyncio.gather(*(_accept(pool, scenes.request(place.id)) for _ in range(20)))
    await pool.close()
    assert len({one.turn.id for one in accepted}) == 1
    assert sum(one.queued for one in accepted) == 1


async def test_racing_requests_with_different_ids_make_one_turn(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=20)
    async with pool.connection() as connection:
        place = await scenes.conversation(connection)
    requests = [scenes.request(place.id, f"t{number}") for number in range(20)]
    outcomes = await asyncio.gather(*(_accept(pool, each) for each in requests), return_exceptions=True)
    await pool.close()
    assert sum(isinstance(outcome, turns.Accepted) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, TurnActive) for outcome in outcomes) == 19


async def test_other_peoples_and_deleted_conversations_are_not_found(connection: Connection) -> None:
    place = await scenes.conversation(connection)
    with pytest.raises(NotFound):
        await turns.accept(connection, scenes.request(place.id, owner=OTHER))
    with pytest.raises(NotFound):
        await turns.accept(connection, scenes.request(uuid4()))
    turn = (await turns.accept(connection, scenes.request(place.id))).turn
    assert await turns.get(connection, TENANT, OTHER, turn.id) is None
    assert await turns.get(connection, "other-tenant", OWNER, turn.id) is None
    assert await turns.active(connection, TENANT, OTHER, place.id) is None
    with pytest.raises(NotFound):
        await turns.cancel(connection, TENANT, OTHER, turn.id)


async def test_a_failed_turn_may_be_sent_again_under_its_id(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await leases.finish(connection, turn, "failed", Content([{"a": 1}], "half", 4), {"code": "model_down"})
    again = await turns.accept(connection, scenes.request(turn.conversation_id))
    assert again.queued
    assert (again.turn.id, again.turn.state, again.turn.error) == (turn.id, "queued", None)
    answer = await messages.of_turn(connection, turn.id, "assistant")
    assert answer is not None
    assert (answer.state, answer.text) == ("draft", "half")
    assert answer.version > 4
    assert (await scenes.claim(connection, turn)).fence > turn.fence


async def test_a_failed_turn_stays_as_it_ended_once_the_conversation_went_on(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await leases.finish(connection, turn, "failed", Content())
    await scenes.queued(connection, "t2", turn.conversation_id)
    again = await turns.accept(connection, scenes.request(turn.conversation_id))
    assert (again.queued, again.turn.id, again.turn.state) == (False, turn.id, "failed")


async def test_stopping_a_queued_turn_ends_it_at_once(connection: Connection) -> None:
    turn = await scenes.queued(connection)
    stopped = await turns.cancel(connection, TENANT, OWNER, turn.id)
    assert stopped.state == "canceled"
    assert stopped.finished_at is not None
    answer = await messages.of_turn(connection, turn.id, "assistant")
    assert answer is not None
    assert answer.state == "canceled"
    assert await leases.claim(connection, "w", seconds=30, run_seconds=600) is None


async def test_stopping_a_running_turn_asks_its_worker(connection: Connection) -> None:
    turn = await scenes.running(connection)
    assert not await leases.cancel_requested(connection, turn)
    asked = await turns.cancel(connection, TENANT, OWNER, turn.id)
    twice = await turns.cancel(connection, TENANT, OWNER, turn.id)
    assert asked.state == "running"
    assert asked.cancel_requested_at == twice.cancel_requested_at is not None
    assert await leases.cancel_requested(connection, turn)
    await leases.finish(connection, turn, "canceled", Content(text="so far"))
    assert (await turns.cancel(connection, TENANT, OWNER, turn.id)).state == "canceled"


async def test_stopping_an_ended_turn_changes_nothing(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await leases.finish(connection, turn, "succeeded", Content(text="done", version=3))
    before = await scenes.state_of(connection, turn)
    assert await turns.cancel(connection, TENANT, OWNER, turn.id) == before


async def test_stopping_a_waiting_turn_voids_its_card_and_question_and_token(connection: Connection) -> None:
    turn, card = await scenes.waiting(connection)
    await credentials.put(connection, turn.id, b"sealed", 60)
    stopped = await turns.cancel(connection, TENANT, OWNER, turn.id, Content([{"cut": True}], "cut", 9))
    assert stopped.state == "canceled"
    voided = await approvals.get(connection, TENANT, OWNER, card.id)
    assert voided is not None
    assert voided.state == "superseded"
    assert await credentials.get(connection, turn.id) is None
    answer = await messages.of_turn(connection, turn.id, "assistant")
    assert answer is not None
    assert (answer.state, answer.text, answer.parts) == ("canceled", "cut", [{"cut": True}])


async def test_a_new_message_supersedes_a_waiting_turn_in_one_transaction(connection: Connection) -> None:
    turn, card = await scenes.waiting(connection)
    second = scenes.request(turn.conversation_id, "t2")
    async with connection.transaction():
        await turns.supersede(connection, TENANT, OWNER, turn.id)
        accepted = await turns.accept(connection, second)
    assert accepted.queued
    voided = await approvals.get(connection, TENANT, OWNER, card.id)
    assert voided is not None
    assert voided.state == "superseded"


async def test_a_running_turn_is_not_superseded(connection: Connection) -> None:
    turn = await scenes.running(connection)
    with pytest.raises(TurnActive):
        await turns.supersede(connection, TENANT, OWNER, turn.id)


async def test_resuming_starts_attempts_and_deadline_anew(connection: Connection) -> None:
    turn, _ = await scenes.waiting(connection)
    assert await turns.resume(connection, turn.id)
    assert not await turns.resume(connection, turn.id)
    again = await scenes.claim(connection, turn)
    assert (again.attempt, again.fence) == (1, turn.fence + 1)


async def test_running_turns_of_a_person_are_counted_over_conversations(connection: Connection) -> None:
    await scenes.running(connection)
    await scenes.queued(connection)
    await scenes.waiting(connection)
    assert await turns.count_running(connection, TENANT, OWNER) == 2
    assert await turns.count_running(connection, TENANT, OTHER) == 0


async def test_a_question_is_dropped_with_its_turn(connection: Connection) -> None:
    turn = await scenes.running(connection)
    asked = await questions.insert(
        connection, turn, questions.NewQuestion(uuid4(), "k", "Which one?", [{"id": "a"}], False)
    )
    await leases.wait(connection, turn, "waiting_answer", Content(), [asked.id])
    await turns.cancel(connection, TENANT, OWNER, turn.id)
    dropped = await questions.get(connection, TENANT, OWNER, asked.id)
    assert dropped is not None
    assert dropped.state == "superseded"


async def _accept(pool: Pool, request: turns.Request) -> turns.Accepted:
    async with pool.connection() as connection:
        return await turns.accept(connection, request)
