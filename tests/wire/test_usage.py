"""The usage rows of the database are what the provider reported, through an approval, a retry and a stop."""

import asyncio
import uuid

import pytest

from agent.models.provider import Provider
from store.pool import open_pool
from tests.agent.assembly import ANN, House, cards
from tests.agent.kit import reply

DELETE = ("delete_thing", {"thing": "d-1"})
NUMBERS = {"input": 100, "cached": 64, "output": 20, "reasoning": 8}


@pytest.fixture
async def house(database_url, wire, api):
    pool = await open_pool(database_url, max_size=10)
    chat = Provider("scripted", api, base_url=wire.url).chat()
    made = House(pool, database_url, chat=chat)  # type: ignore[arg-type]
    await made.turns.start()
    yield made
    await made.turns.drain(0.2)
    await chat.aclose()
    faults = await made.faults()
    await pool.close()
    assert faults == []


async def rows(house, turn_id: str) -> list[dict]:
    """The usage rows of a turn, oldest first."""
    query = """
        select u.input_tokens as input, u.cached_tokens as cached, u.output_tokens as output,
            u.reasoning_tokens as reasoning, u.estimated
        from usage u join turns t on t.id = u.turn_id where t.client_turn_id = %s order by u.id
    """
    async with house.pool.connection() as connection:
        return await (await connection.execute(query, (turn_id,))).fetchall()


async def start(house, text: str):
    return await house.turns.accept(ANN, None, text, uuid.uuid4().hex)


async def test_a_turn_that_went_on_after_a_signature(house, wire):
    wire.push(reply("", DELETE, usage=NUMBERS), reply("Done.", usage={"input": 130, "output": 7}))
    house.shelf.put("d-1")
    ref = await start(house, "delete d-1")
    [card] = cards(await house.follow(ref))
    assert [row["input"] for row in await rows(house, ref.turn_id)] == [100]
    await house.decide(card)
    parts = await house.follow(ref)
    told = await rows(house, ref.turn_id)
    assert [{**usage, "estimated": False} for usage in wire.usage] == told
    [shown] = cards(parts, "usage")
    sums = {name: sum(row[name] for row in told) for name in NUMBERS}
    assert {name: shown["metadata"][name] for name in NUMBERS} == sums


async def test_a_turn_that_was_stopped_counts_what_was_sent_by_estimate(house, wire):
    wire.push(reply("", ("find_things", {}), usage=NUMBERS), {"text": "One two three", "stall_after": 2})
    ref = await start(house, "find")
    async for parts in house.turns.tail(ANN, ref.conversation_id, ref.turn_id):
        if any("One" in part["content"] for part in parts):
            await house.turns.cancel(ANN, ref.conversation_id)
    assert await house.state(ref) == "canceled"
    reported, guessed = await rows(house, ref.turn_id)
    assert reported == {**NUMBERS, "estimated": False} == {**wire.usage[0], "estimated": False}
    assert guessed["estimated"]
    assert guessed["input"] > 100
    assert guessed["output"] >= 1
    assert len(wire.usage) == 1


async def test_a_turn_that_was_tried_again_counts_both_tries(house, wire):
    wire.push({"text": "One two", "cut_after": 1}, reply("Whole.", usage=NUMBERS))
    ref = await start(house, "hello")
    await house.follow(ref)
    assert await house.state(ref) == "failed"
    await house.turns.accept(ANN, ref.conversation_id, "hello", ref.turn_id)
    async with asyncio.timeout(10):
        await house.follow(ref)
    broken, whole = await rows(house, ref.turn_id)
    assert broken["estimated"]
    assert whole == {**wire.usage[0], "estimated": False}
