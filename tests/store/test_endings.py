"""A card that ends without a decision is on record: why, in the transaction that ended it, in one whole chain."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from store import approvals, audit, conversations, leases, reaper, turns
from store.approvals import Approval, Verdict
from store.audit import Filter, Link
from store.errors import LostLease, NotFound, TurnActive
from store.messages import Content
from store.pool import Connection, Pool, open_pool, transaction
from store.turns import Turn
from store.verify import verify
from tests.store import scenes
from tests.store.scenes import OWNER, TENANT

NOTICES = {lang: {"role": "assistant", "content": "x", "metadata": {"type": "error"}} for lang in ("en", "ru")}
MINE = (TENANT, OWNER)
WORKERS = 16


async def _overdue(connection: Connection) -> None:
    await connection.execute("update approvals set expires_at = clock_timestamp()")


async def _late_decision(connection: Connection, turn: Turn, card: Approval) -> None:
    await _overdue(connection)
    verdict = Verdict("approved", OWNER)
    assert not (await approvals.decide(connection, *MINE, card.id, card.card_sha256, verdict)).won


async def _reaped(connection: Connection, turn: Turn, card: Approval) -> None:
    await _overdue(connection)
    assert [row.id for row in (await reaper.reap(connection, NOTICES)).expired] == [card.id]


async def _orphaned(connection: Connection, turn: Turn, card: Approval) -> None:
    await connection.execute("update turns set state = 'failed', finished_at = clock_timestamp()")
    assert [row.id for row in (await reaper.reap(connection, NOTICES)).orphaned] == [card.id]


async def _given_up(connection: Connection, turn: Turn, card: Approval) -> None:
    query = "update turns set state = 'running', attempt = 9, fence = fence + 1, lease_until = clock_timestamp()"
    await connection.execute(query)
    assert [row.id for row in (await reaper.reap(connection, NOTICES)).failed] == [turn.id]


async def _new_words(connection: Connection, turn: Turn, card: Approval) -> None:
    await turns.supersede(connection, *MINE, turn.id)


async def _stopped(connection: Connection, turn: Turn, card: Approval) -> None:
    await turns.cancel(connection, *MINE, turn.id)


async def _deleted(connection: Connection, turn: Turn, card: Approval) -> None:
    await conversations.delete(connection, *MINE, turn.conversation_id)


async def _unsigned(connection: Connection, turn: Turn, card: Approval) -> None:
    assert (await approvals.void(connection, *MINE, card.id)).state == "expired"


End = Callable[[Connection, Turn, Approval], Awaitable[None]]
ENDS: dict[str, tuple[End, str, str]] = {
    "decided too late": (_late_decision, "expired", "time"),
    "reaped": (_reaped, "expired", "time"),
    "signature gone": (_unsigned, "expired", "signature"),
    "turn had ended": (_orphaned, "superseded", "turn_ended"),
    "turn given up": (_given_up, "superseded", "given_up"),
    "new words": (_new_words, "superseded", "new_words"),
    "stopped": (_stopped, "superseded", "stopped"),
    "conversation deleted": (_deleted, "superseded", "stopped"),
}


@pytest.mark.parametrize("name", ENDS)
async def test_every_end_is_on_record_once_with_its_reason(connection: Connection, name: str) -> None:
    end, state, why = ENDS[name]
    turn, card = await scenes.waiting(connection)
    await end(connection, turn, card)
    await reaper.reap(connection, NOTICES)
    [link] = await _ends(connection)
    assert (link.kind, link.data["why"], link.approval_id, link.turn_id) == (state, why, card.id, turn.id)
    assert (link.owner, link.tool, link.data["card_sha256"]) == (OWNER, card.tool, card.card_sha256.hex())
    assert link.conversation_id == turn.conversation_id
    await _whole(connection)


async def test_a_turn_that_ends_records_open_and_approved_cards_and_no_others(connection: Connection) -> None:
    turn = await scenes.running(connection)
    left, approved, denied = [await scenes.pending(connection, turn, key) for key in ("left", "approved", "denied")]
    for card, verdict in ((approved, Verdict("approved", OWNER)), (denied, Verdict("denied", OWNER))):
        await approvals.decide(connection, *MINE, card.id, card.card_sha256, verdict)
    await leases.finish(connection, turn, "canceled", Content())
    ends = await _ends(connection)
    assert {(link.approval_id, link.data["why"]) for link in ends} == {(left.id, "stopped"), (approved.id, "stopped")}


async def test_what_the_graph_does_not_wait_for_is_withdrawn_on_record(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await scenes.pending(connection, turn, "kept")
    orphan = await scenes.pending(connection, turn, "orphan")
    await approvals.supersede_others(connection, turn, ["kept"])
    assert [(link.approval_id, link.data["why"]) for link in await _ends(connection)] == [(orphan.id, "withdrawn")]


async def test_an_end_that_is_rolled_back_leaves_no_record(connection: Connection) -> None:
    turn, card = await scenes.waiting(connection)
    async with connection.transaction(force_rollback=True):
        await turns.supersede(connection, *MINE, turn.id)
        assert len(await _ends(connection)) == 1
    assert await _ends(connection) == []
    found = await approvals.get(connection, *MINE, card.id)
    assert found is not None
    assert found.state == "pending"


async def test_sixteen_workers_end_cards_in_every_way_without_a_deadlock(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=WORKERS + 1)
    waiting = []
    async with pool.connection() as connection:
        for _ in range(24):
            waiting.append(await scenes.waiting(connection))
        await connection.execute("update approvals set expires_at = clock_timestamp() where random() < 0.3")
    async with asyncio.timeout(60):
        await asyncio.gather(*(_work(pool, waiting, random.Random(seed)) for seed in range(WORKERS)))
    async with pool.connection() as connection:
        await _each_end_has_its_record(connection, [card for _, card in waiting])
        await _whole(connection)
    await pool.close()


async def _work(pool: Pool, waiting: list[tuple[Turn, Approval]], chance: random.Random) -> None:
    """End all the cards in an order of one's own, each by some way."""
    for turn, card in chance.sample(waiting, len(waiting)):
        with suppress(TurnActive, NotFound, LostLease):
            await chance.choice((_go_on, _stop, _decide, _reap, _delete))(pool, turn, card)


async def _go_on(pool: Pool, turn: Turn, card: Approval) -> None:
    """New words, as the chat takes them: the old turn ends and the next begins in one transaction."""
    async with transaction(pool) as connection:
        await turns.supersede(connection, *MINE, turn.id)
        await turns.accept(connection, scenes.request(turn.conversation_id, "t2", "next"))


async def _stop(pool: Pool, turn: Turn, card: Approval) -> None:
    async with transaction(pool) as connection:
        await turns.cancel(connection, *MINE, turn.id)


async def _decide(pool: Pool, turn: Turn, card: Approval) -> None:
    async with transaction(pool) as connection:
        decided = await approvals.decide(connection, *MINE, card.id, card.card_sha256, Verdict("denied", OWNER))
        entry = audit.Entry(TENANT, "decided" if decided.won else "refused", OWNER, OWNER, approval_id=card.id)
        await audit.append(connection, entry)
        await turns.resume(connection, turn.id)


async def _reap(pool: Pool, turn: Turn, card: Approval) -> None:
    async with pool.connection() as connection:
        await reaper.reap(connection, NOTICES)


async def _delete(pool: Pool, turn: Turn, card: Approval) -> None:
    async with pool.connection() as connection:
        await conversations.delete(connection, *MINE, turn.conversation_id)


async def _ends(connection: Connection) -> list[Link]:
    links = await audit.page(connection, TENANT, Filter(), limit=1000)
    return [link for link in links if link.kind in ("expired", "superseded")]


async def _each_end_has_its_record(connection: Connection, cards: list[Approval]) -> None:
    links = await audit.page(connection, TENANT, Filter(), limit=1000)
    for card in cards:
        query = "select state from approvals where id = %s"
        row = await (await connection.execute(query, (card.id,))).fetchone()
        kinds = [link.kind for link in links if link.approval_id == card.id and link.kind != "refused"]
        assert row is not None
        assert kinds == ["decided" if row["state"] == "denied" else row["state"]]


async def _whole(connection: Connection) -> None:
    [report] = await verify(connection)
    assert report.problems == []
