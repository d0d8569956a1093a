"""Stop, at every moment: what was said stays, what is on its way is told, nothing comes late."""

import asyncio

import pytest
from langchain_core.messages import ToolMessage

from tests.agent.assembly import ANN, cards, line, until, words_of

DELETE = ("delete_thing", {"thing": "d-1"})
RENAME = ("rename_thing", {"thing": "d-1", "name": "B"})


async def stopped(house, ref, turn_id=None) -> list:
    """Stop the turn and follow it to its end."""
    await house.turns.cancel(ANN, ref.conversation_id, turn_id)
    async with asyncio.timeout(2):
        parts = await house.follow(ref)
    assert await house.state(ref) == "canceled"
    return parts


async def goes_on(house, ref) -> None:
    """The conversation still works, with a history that a strict provider takes."""
    house.chat.lines.clear()
    _, parts = await house.tell("go on", line("Sure."), to=ref.conversation_id)
    assert words_of(parts) == "Sure."


async def test_before_the_first_token(house):
    ref = await house.say("talk", line("One two", before=asyncio.Event()))
    await house.chat.asked.wait()
    parts = await stopped(house, ref)
    assert words_of(parts) == ""
    await goes_on(house, ref)


async def test_in_the_middle_of_the_answer_the_words_so_far_stay(house):
    ref = await house.say("talk", line("One two", middle=asyncio.Event()))
    await house.chat.spoke.wait()
    parts = await stopped(house, ref)
    assert words_of(parts) == "One"
    page = await house.turns.open(ANN, ref.conversation_id)
    assert (page.messages[1].state, page.messages[1].text) == ("canceled", "One")
    assert all(part["metadata"]["status"] == "done" for part in page.messages[1].parts)
    await goes_on(house, ref)
    assert "One" in [m.text for m in house.chat.sent[1]]


async def test_nothing_comes_after_the_end(house):
    hold = asyncio.Event()
    ref = await house.say("talk", line("One two three", middle=hold))
    await house.chat.spoke.wait()
    parts = await stopped(house, ref)
    hold.set()
    await asyncio.sleep(0.1)
    assert await house.follow(ref) == parts


@pytest.mark.parametrize("call", [RENAME, DELETE], ids=["write", "approved"])
async def test_during_a_call_its_outcome_is_awaited_recorded_and_told(house, call):
    house.shelf.put("d-1")
    ref, parts = await house.tell("find", line("", ("find_things", {})), line("ok"))
    house.shelf.gate = asyncio.Event()
    house.shelf.entered.clear()
    ref = await house.say("change", line("", call), line("never said"), to=ref.conversation_id)
    if call is DELETE:
        await house.decide(cards(await house.follow(ref))[0])
    await house.shelf.entered.wait()
    await house.turns.cancel(ANN, ref.conversation_id)
    await asyncio.sleep(0.2)
    assert await house.state(ref) == "running"
    house.shelf.gate.set()
    parts = await house.follow(ref)
    assert await house.state(ref) == "canceled"
    assert len(house.shelf.effects) == 1
    assert cards(parts, "tool_end")[-1]["metadata"]["summary"] == "done"
    await goes_on(house, ref)
    told = [m.text for m in house.chat.sent[-1] if isinstance(m, ToolMessage)]
    assert told[-1].endswith("done")


async def test_calls_that_have_not_begun_are_not_made(house):
    house.shelf.put("d-1")
    hold = asyncio.Event()
    ref = await house.say("change", line("Now", RENAME, middle=hold))
    await house.chat.spoke.wait()
    await stopped(house, ref)
    assert house.shelf.effects == []
    await goes_on(house, ref)


async def test_while_a_card_waits(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete", line("", DELETE))
    parts = await stopped(house, ref)
    ended = cards(parts, "confirm_resolved")[0]["metadata"]["approval"]
    assert (ended["state"], ended["reason"]) == ("superseded", "stopped")
    assert await house.turns.pending(ANN) == []
    await goes_on(house, ref)
    assert house.shelf.effects == []


async def test_while_a_sibling_waits_for_its_card(house):
    house.shelf.put("d-1")
    house.shelf.put("d-2")
    two = (DELETE, ("delete_thing", {"thing": "d-2"}))
    ref, parts = await house.tell("delete", line("", *two))
    house.shelf.gate = asyncio.Event()
    house.shelf.entered.clear()
    await house.decide(cards(parts)[0])
    await house.shelf.entered.wait()
    await house.turns.cancel(ANN, ref.conversation_id)
    house.shelf.gate.set()
    parts = await house.follow(ref)
    assert await house.state(ref) == "canceled"
    states = [card["metadata"]["approval"]["state"] for card in cards(parts, "confirm_resolved")]
    assert states == ["consumed", "superseded"]
    await goes_on(house, ref)
    assert len(house.shelf.effects) == 1


async def test_twice_and_after_the_end(house):
    ref, _parts = await house.tell("talk", line("One two"))
    for turn_id in (None, ref.turn_id):
        await house.turns.cancel(ANN, ref.conversation_id, turn_id)
    assert await house.state(ref) == "succeeded"
    house.chat.spoke.clear()
    ref = await house.say("talk", line("One two", middle=asyncio.Event()), to=ref.conversation_id)
    await house.chat.spoke.wait()
    await asyncio.gather(*(house.turns.cancel(ANN, ref.conversation_id) for _ in range(5)))
    assert words_of(await stopped(house, ref)) == "One"


async def test_a_turn_that_nobody_has_claimed_ends_at_once(house):
    await house.turns.drain(0.1)
    ref = await house.say("talk")
    await house.turns.cancel(ANN, ref.conversation_id, ref.turn_id)
    assert await house.state(ref) == "canceled"


async def test_deleting_a_conversation_stops_its_turn(house):
    ref = await house.say("talk", line("One two", middle=asyncio.Event()))
    await house.chat.spoke.wait()
    await house.turns.delete(ANN, ref.conversation_id)
    await until(lambda: not house.turns._worker.drivers)
    assert await house.turns.conversations(ANN) == []


async def test_a_stop_that_has_to_wait_keeps_what_was_written_meanwhile(house):
    """What a stop writes is made of what it finds once the turn is its own, not of what it saw before."""
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete", line("Looking.", DELETE))
    assert cards(parts)
    meanwhile = """update messages set parts = jsonb_set(parts, '{0,content}', '"Looked."'), version = version + 1
        where role = 'assistant'"""
    async with house.pool.connection() as connection, connection.transaction():
        await connection.execute("select 1 from turns for no key update")
        stopping = asyncio.create_task(house.turns.cancel(ANN, ref.conversation_id))
        await asyncio.sleep(0.3)
        await connection.execute(meanwhile)
    await stopping
    assert words_of(await house.follow(ref)) == "Looked."


async def test_new_words_that_have_to_wait_keep_what_was_written_meanwhile(house):
    house.shelf.put("d-1")
    ref, _ = await house.tell("delete", line("Looking.", DELETE))
    meanwhile = """update messages set parts = jsonb_set(parts, '{0,content}', '"Looked."'), version = version + 1
        where role = 'assistant'"""
    house.chat.lines.append(line("Fine."))
    async with house.pool.connection() as connection, connection.transaction():
        await connection.execute("select 1 from turns for no key update")
        going_on = asyncio.create_task(house.turns.accept(ANN, ref.conversation_id, "never mind", "t2"))
        await asyncio.sleep(0.3)
        await connection.execute(meanwhile)
    await house.follow(await going_on)
    assert words_of(await house.follow(ref)) == "Looked."
