"""Claims, fences and the reaper: one worker a turn, and none that lost its turn can write."""

import asyncio
from collections import Counter
from uuid import UUID, uuid4

import pytest

from store import approvals, heartbeat, leases, messages, questions, reaper, turns, usage
from store.approvals import Verdict
from store.errors import LostLease
from store.messages import Content
from store.pool import Connection, Pool, open_pool
from store.questions import NewQuestion
from store.turns import Turn
from tests.store import scenes
from tests.store.scenes import OWNER, TENANT

NOTICES = {
    lang: {"role": "assistant", "content": text, "metadata": {"type": "error", "id": "e"}}
    for lang, text in (("en", "Gave up."), ("ru", "Не вышло."))
}


async def test_sixteen_workers_claim_four_hundred_turns_once_each(database_url: str) -> None:
    pool = await open_pool(database_url, min_size=4, max_size=16)
    async with pool.connection() as connection:
        await _queue_many(connection, 400)
    claimed = [turn for mine in await asyncio.gather(*(_work(pool, n) for n in range(16))) for turn in mine]
    async with pool.connection() as connection:
        left = await leases.claim(connection, "late", seconds=30, run_seconds=600)
    await pool.close()
    assert Counter(turn.id for turn in claimed).most_common(1)[0][1] == 1
    assert len(claimed) == 400
    assert left is None


async def test_a_claim_does_not_wait_for_a_turn_that_somebody_holds(pool: Pool, connection: Connection) -> None:
    busy, free = await scenes.queued(connection), await scenes.queued(connection)
    async with pool.connection() as other, other.transaction():
        await other.execute("select 1 from turns where id = %s for share", (busy.id,))
        async with asyncio.timeout(20):
            claimed = await leases.claim(connection, "w", seconds=30, run_seconds=600)
    assert claimed is not None
    assert claimed.id == free.id


async def test_an_expired_lease_is_taken_over_with_a_higher_fence(connection: Connection) -> None:
    turn = await scenes.running(connection)
    assert await leases.claim(connection, "b", seconds=30, run_seconds=600) is None
    await scenes.lose(connection, turn)
    taken = await leases.claim(connection, "b", seconds=30, run_seconds=600)
    assert taken is not None
    assert (taken.fence, taken.attempt, taken.claimed_by) == (turn.fence + 1, turn.attempt + 1, "b")
    assert taken.deadline_at == turn.deadline_at


async def test_every_write_of_a_worker_that_lost_its_turn_is_refused(connection: Connection) -> None:
    old = await scenes.running(connection)
    card = await scenes.pending(connection, old)
    verdict = Verdict("approved", OWNER)
    await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, verdict)
    await scenes.lose(connection, old)
    new = await scenes.claim(connection, old)
    writes = [
        messages.save_draft(connection, old, Content(text="zombie")),
        leases.finish(connection, old, "succeeded", Content(text="zombie")),
        leases.wait(connection, old, "waiting_auth", Content(text="zombie")),
        leases.release(connection, old),
        leases.cancel_requested(connection, old),
        approvals.insert(connection, old, scenes.new_approval(old, "another")),
        approvals.consume(connection, old, card.id),
        approvals.record(connection, old, card.id, {"ok": True}, ok=True),
        approvals.supersede_others(connection, old, []),
        questions.insert(connection, old, NewQuestion(uuid4(), "k", "?", [], True)),
        usage.record(connection, old, usage.Usage("s", "m")),
    ]
    for write in writes:
        with pytest.raises(LostLease):
            await write
    assert await messages.of_turn(connection, old.id, "assistant") is None
    assert (await approvals.consume(connection, new, card.id)).first


async def test_a_beat_extends_what_is_held_and_tells_what_is_lost_or_stopped(
    connection: Connection, database_url: str
) -> None:
    kept, stopped, lost = [await scenes.running(connection, seconds=1) for _ in range(3)]
    await turns.cancel(connection, TENANT, OWNER, stopped.id)
    held = [(turn.id, turn.fence) for turn in (kept, stopped)] + [(lost.id, lost.fence - 1)]
    with heartbeat.connect(database_url, 2.0) as beating:
        answers = heartbeat.beat(beating, held, 60)
    assert answers == {kept.id: False, stopped.id: True}
    now = await scenes.state_of(connection, kept)
    assert now.lease_until is not None
    assert kept.lease_until is not None
    assert (now.lease_until - kept.lease_until).total_seconds() > 50


async def test_a_released_turn_costs_no_attempt(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await leases.release(connection, turn)
    assert (await scenes.claim(connection, turn)).attempt == 1


async def test_finishing_stores_turn_and_message_together(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await messages.save_draft(connection, turn, Content([{"n": 1}], "ha", 1))
    await leases.finish(connection, turn, "succeeded", Content([{"n": 2}], "hallo", 2))
    answer = await messages.of_turn(connection, turn.id, "assistant")
    assert answer is not None
    assert (answer.state, answer.text, answer.parts, answer.version) == ("final", "hallo", [{"n": 2}], 2)
    ended = await scenes.state_of(connection, turn)
    assert (ended.state, ended.lease_until) == ("succeeded", None)
    with pytest.raises(LostLease):
        await leases.finish(connection, turn, "failed", Content())


async def test_stop_and_finish_race_to_one_end(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=4)
    for _ in range(20):
        async with pool.connection() as connection:
            turn = await scenes.running(connection)
        await asyncio.gather(_cancel(pool, turn), _finish(pool, turn))
        async with pool.connection() as connection:
            answer = await messages.of_turn(connection, turn.id, "assistant")
            assert (await scenes.state_of(connection, turn)).state == "succeeded"
            assert answer is not None
            assert answer.text == "done"
    await pool.close()


async def test_a_turn_does_not_wait_for_what_was_decided_on_the_way(connection: Connection) -> None:
    turn = await scenes.running(connection)
    decided, still_open = [await scenes.pending(connection, turn, f"call-{n}") for n in range(2)]
    verdict = Verdict("denied", OWNER, reason="no")
    await approvals.decide(connection, TENANT, OWNER, decided.id, decided.card_sha256, verdict)
    assert not await turns.resume(connection, turn.id)
    state = await leases.wait(connection, turn, "waiting_approval", Content(), [decided.id, still_open.id])
    assert state == "queued"
    turn = await scenes.claim(connection, turn)
    assert await leases.wait(connection, turn, "waiting_approval", Content(), [still_open.id]) == "waiting_approval"


async def test_a_turn_that_is_to_stop_does_not_wait(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await turns.cancel(connection, TENANT, OWNER, turn.id)
    assert await leases.wait(connection, turn, "waiting_auth", Content()) == "queued"
    assert (await scenes.claim(connection, turn)).cancel_requested_at is not None


async def test_decision_and_wait_race_without_a_stuck_turn(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=4)
    for _ in range(40):
        async with pool.connection() as connection:
            turn = await scenes.running(connection)
            card = await scenes.pending(connection, turn)
        await asyncio.gather(_decide_and_resume(pool, card.id, card.card_sha256, turn), _wait(pool, turn, card.id))
        async with pool.connection() as connection:
            assert (await scenes.state_of(connection, turn)).state == "queued"
    await pool.close()


async def test_a_poison_turn_ends_as_failed_with_a_message(connection: Connection) -> None:
    turn = await scenes.queued(connection)
    for _ in range(leases.MAX_ATTEMPTS):
        claimed = await scenes.claim(connection, turn)
        await messages.save_draft(connection, claimed, Content([{"n": 1}], "half", 7))
        card = await scenes.pending(connection, claimed)
        assert not (await reaper.reap(connection, NOTICES)).failed
        await scenes.lose(connection, turn)
    assert await leases.claim(connection, "w", seconds=30, run_seconds=600) is None
    reaped = await reaper.reap(connection, NOTICES)
    assert [one.id for one in reaped.failed] == [turn.id]
    answer = await messages.of_turn(connection, turn.id, "assistant")
    assert answer is not None
    assert (answer.state, answer.text) == ("failed", "half")
    assert answer.parts[-1]["content"] == "Gave up."
    assert answer.parts[-1]["metadata"]["seq"] == answer.version
    voided = await approvals.get(connection, TENANT, OWNER, card.id)
    assert voided is not None
    assert voided.state == "superseded"
    assert (await scenes.queued(connection, "t2", turn.conversation_id)).state == "queued"


async def test_an_overdue_card_expires_and_wakes_its_turn(connection: Connection) -> None:
    turn, card = await scenes.waiting(connection)
    await _make_overdue(connection, card.id)
    reaped = await reaper.reap(connection, NOTICES)
    assert [one.id for one in reaped.expired] == [card.id]
    assert (await scenes.state_of(connection, turn)).state == "queued"
    assert not (await reaper.reap(connection, NOTICES)).expired


async def test_a_card_without_a_turn_is_voided_and_a_turn_without_a_card_is_woken(connection: Connection) -> None:
    ended, orphan = await scenes.waiting(connection)
    await connection.execute("update turns set state = 'succeeded' where id = %s", (ended.id,))
    idle, gone = await scenes.waiting(connection)
    await connection.execute("update approvals set state = 'denied' where id = %s", (gone.id,))
    reaped = await reaper.reap(connection, NOTICES)
    assert [one.id for one in reaped.orphaned] == [orphan.id]
    assert reaped.queued == [idle.id]


async def test_the_database_itself_refuses_a_claim_that_does_not_raise_the_fence(connection: Connection) -> None:
    turn = await scenes.running(connection)
    with pytest.raises(Exception, match="fence"):
        await connection.execute("update turns set fence = fence - 1 where id = %s", (turn.id,))
    with pytest.raises(Exception, match="fence"):
        await connection.execute("update turns set attempt = attempt + 1 where id = %s", (turn.id,))


async def _queue_many(connection: Connection, count: int) -> None:
    for _ in range(count):
        await scenes.queued(connection)


async def _work(pool: Pool, number: int) -> list[Turn]:
    mine = []
    while True:
        async with pool.connection() as connection:
            turn = await leases.claim(connection, f"w{number}", seconds=30, run_seconds=600)
        if turn is None:
            return mine
        mine.append(turn)


async def _cancel(pool: Pool, turn: Turn) -> None:
    async with pool.connection() as connection:
        await turns.cancel(connection, TENANT, OWNER, turn.id)


async def _finish(pool: Pool, turn: Turn) -> None:
    async with pool.connection() as connection:
        await leases.finish(connection, turn, "succeeded", Content(text="done"))


async def _decide_and_resume(pool: Pool, approval_id: UUID, card: bytes, turn: Turn) -> None:
    async with pool.connection() as connection, connection.transaction():
        decided = await approvals.decide(connection, TENANT, OWNER, approval_id, card, Verdict("approved", OWNER))
        assert decided.won
        await turns.resume(connection, turn.id)


async def _wait(pool: Pool, turn: Turn, approval_id: UUID) -> None:
    async with pool.connection() as connection:
        await leases.wait(connection, turn, "waiting_approval", Content(), [approval_id])


async def _make_overdue(connection: Connection, approval_id: UUID) -> None:
    query = "update approvals set expires_at = clock_timestamp() - interval '1 second' where id = %s"
    await connection.execute(query, (approval_id,))
