"""The transcript: pages without gaps, versions that grow, and texts that PostgreSQL would refuse."""

import asyncio
from uuid import UUID

import pytest

from store import heartbeat, leases, messages, turns
from store.messages import Content
from store.pool import Connection, Pool
from store.turns import Turn
from tests.store import scenes
from tests.store.scenes import OTHER, OWNER, TENANT


async def test_pages_go_back_in_time_without_gaps(connection: Connection) -> None:
    turn = await scenes.running(connection)
    place = turn.conversation_id
    await leases.finish(connection, turn, "succeeded", Content(text="answer 1"))
    for number in range(2, 6):
        await _whole_turn(connection, place, number)
    newest = await messages.page(connection, TENANT, OWNER, place, limit=4)
    earlier = await messages.page(connection, TENANT, OWNER, place, before=newest[0].seq, limit=100)
    assert len(newest) == 4
    assert [message.text for message in earlier + newest] == [
        text for number in range(1, 6) for text in ("hello", f"answer {number}")
    ]
    assert {message.client_turn_id for message in newest} == {"t4", "t5"}


async def test_other_people_see_no_messages(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await messages.save_draft(connection, turn, Content(text="secret"))
    assert await messages.page(connection, TENANT, OTHER, turn.conversation_id) == []
    assert await messages.changed(connection, TENANT, OTHER, turn.id) is None
    assert await messages.changed(connection, "other", OWNER, turn.id) is None


async def test_a_tail_reads_the_parts_only_when_they_changed(connection: Connection) -> None:
    turn = await scenes.running(connection)
    assert await messages.changed(connection, TENANT, OWNER, turn.id) is None
    await messages.save_draft(connection, turn, Content([{"n": 1}], "a", 3))
    first = await messages.changed(connection, TENANT, OWNER, turn.id)
    assert first is not None
    assert (first.version, first.parts, first.state) == (3, [{"n": 1}], "draft")
    assert await messages.changed(connection, TENANT, OWNER, turn.id, first.version) is None
    await leases.finish(connection, turn, "succeeded", Content([{"n": 2}], "ab", 3))
    last = await messages.changed(connection, TENANT, OWNER, turn.id, first.version)
    assert last is not None
    assert (last.version, last.state, last.id) == (4, "final", first.id)


async def test_parts_of_a_waiting_turn_are_amended_unless_somebody_was_faster(connection: Connection) -> None:
    turn, _ = await scenes.waiting(connection)
    draft = await messages.of_turn(connection, turn.id, "assistant")
    assert draft is not None
    done, late = [
        await messages.amend(connection, TENANT, OWNER, turn.id, Content([{"n": number}]), draft.version)
        for number in range(2)
    ]
    assert (done, late) == (True, False)
    amended = await messages.changed(connection, TENANT, OWNER, turn.id, draft.version)
    assert amended is not None
    assert amended.parts == [{"n": 0}]
    assert amended.version > draft.version


async def test_parts_of_a_running_turn_and_of_other_people_are_not_amended(connection: Connection) -> None:
    running = await scenes.running(connection)
    await messages.save_draft(connection, running, Content(text="x"))
    assert not await messages.amend(connection, TENANT, OWNER, running.id, Content(), 0)
    waiting, _ = await scenes.waiting(connection)
    assert not await messages.amend(connection, TENANT, OTHER, waiting.id, Content(), 0)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a\ufffdb"),
        ("👩‍👧 \u202eمرحبا", "👩‍👧 \u202eمرحبا"),
        ("\\u0000 stays", "\\u0000 stays"),
        ("", ""),
    ],
)
async def test_every_text_can_be_stored(connection: Connection, text: str, stored: str) -> None:
    place = await scenes.conversation(connection)
    request = scenes.request(place.id)
    hard = turns.Request(
        TENANT, OWNER, place.id, "t1", request.sha256, Content([{"content": text, "deep": [{text: 1}]}], text)
    )
    await turns.accept(connection, hard)
    kept = (await messages.page(connection, TENANT, OWNER, place.id))[0]
    assert kept.text == stored
    assert kept.parts == [{"content": stored, "deep": [{stored: 1}]}]


async def test_drafts_and_beats_at_once_do_not_lock_each_other_out(pool: Pool, database_url: str) -> None:
    async with pool.connection() as connection:
        turn = await scenes.running(connection)
    with heartbeat.connect(database_url, 5.0) as beating:
        beats = asyncio.to_thread(lambda: [heartbeat.beat(beating, [(turn.id, turn.fence)], 30) for _ in range(20)])
        held, *_ = await asyncio.gather(beats, *(_save(pool, turn, number) for number in range(20)))
    assert held == [{turn.id: False}] * 20


async def test_a_long_conversation_opens_at_its_end_by_index(connection: Connection) -> None:
    turn = await scenes.queued(connection)
    await connection.execute("set enable_seqscan = off")
    rows = await connection.execute(
        "explain select * from messages where conversation_id = %s and seq < 99 order by seq desc limit 50",
        (turn.conversation_id,),
    )
    plan = "\n".join(str(row["QUERY PLAN"]) for row in await rows.fetchall())
    assert "messages_of_conversation" in plan
    assert "Sort" not in plan


async def _whole_turn(connection: Connection, place: UUID, number: int) -> Turn:
    turn = await scenes.claim(connection, await scenes.queued(connection, f"t{number}", place))
    await leases.finish(connection, turn, "succeeded", Content(text=f"answer {number}"))
    return turn


async def _save(pool: Pool, turn: Turn, number: int) -> None:
    async with pool.connection() as connection:
        await messages.save_draft(connection, turn, Content(text=str(number), version=number))
