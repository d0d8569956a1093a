"""A message is answered again, as it was or in other words: the old end goes out of sight and out of the history."""

import asyncio
import uuid

import pytest

from agent.refused import Refused
from tests.agent.assembly import ANN, cards, line, words_of
from tests.agent.bench import principal

BOB = principal("Bob")


async def told(house, place) -> list[str]:
    return [message.text for message in (await house.turns.open(ANN, place)).messages]


async def rerun(house, ref, *lines, message=None, new=None, who=ANN):
    house.chat.lines += lines
    again = await house.turns.rerun(who, ref.conversation_id, ref.turn_id, new or uuid.uuid4().hex, message)
    return again, await house.follow(again)


async def sent(house) -> list[str]:
    """The words of the last request, without the instructions."""
    return [str(m.text) for m in house.chat.sent[-1] if m.type != "system"]


async def test_an_answer_is_made_anew_and_the_old_one_is_kept_out_of_sight(house):
    first, _ = await house.tell("one", line("First."))
    place = first.conversation_id
    second, _ = await house.tell("two", line("", ("find_things", {})), line("Second."), to=place)
    again, parts = await rerun(house, second, line("Better."))
    assert words_of(parts) == "Better."
    assert await told(house, place) == ["one", "First.", "two", "Better."]
    assert await sent(house) == ["one", "First.", "two"]
    async with house.pool.connection() as connection:
        rows = await (await connection.execute("select text from messages order by seq")).fetchall()
    assert [row["text"] for row in rows] == ["one", "First.", "two", "Second.", "two", "Better."]
    assert again.turn_id != second.turn_id


async def test_other_words_replace_a_message_and_all_that_came_after_it(house):
    first, _ = await house.tell("one", line("First."))
    place = first.conversation_id
    await house.tell("two", line("Second."), to=place)
    await rerun(house, first, line("Uno."), message="eins")
    assert await told(house, place) == ["eins", "Uno."]
    assert await sent(house) == ["eins"]
    await house.tell("next", line("Sure."), to=place)
    assert await sent(house) == ["eins", "Uno.", "next"]
    assert [c.id for c in await house.turns.conversations(ANN, "Second")] == []
    assert [c.id for c in await house.turns.conversations(ANN, "eins")] == [place]


async def test_other_words_for_the_first_message_title_the_conversation_anew(house):
    first, _ = await house.tell("show dashboards", line("None."))
    place = first.conversation_id
    second, _ = await house.tell("show dashboards", line("Still none."), to=place)
    await rerun(house, second, line("Two."), message="list tasks")
    assert (await house.turns.open(ANN, place)).title == "Show dashboards"
    again, _ = await rerun(house, first, line("One."), message="show datasets")
    assert (await house.turns.open(ANN, place)).title == "Show datasets"
    await house.turns.rename(ANN, place, "Mine")
    await rerun(house, again, line("Some."), message="show people")
    assert (await house.turns.open(ANN, place)).title == "Mine"


async def test_a_message_before_the_window_is_answered_again_with_what_came_before_it(house):
    first, _ = await house.tell("m0", line("a0."))
    refs = [first]
    for n in range(1, 14):
        refs.append((await house.tell(f"m{n}", line(f"a{n}."), to=first.conversation_id))[0])
    await rerun(house, refs[2], line("again."))
    assert await sent(house) == ["m0", "a0.", "m1", "a1.", "m2"]


async def test_a_request_that_waits_is_void_when_its_message_is_answered_again(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete it", line("", ("delete_thing", {"thing": "d-1"})))
    [card] = cards(parts)
    await rerun(house, ref, line("I will not."))
    with pytest.raises(Refused):
        await house.decide(card)
    assert house.shelf.effects == []
    assert await told(house, ref.conversation_id) == ["delete it", "I will not."]


async def test_while_an_answer_is_written_nothing_is_answered_again(house):
    first, _ = await house.tell("one", line("First."))
    hold = asyncio.Event()
    running = await house.say("two", line("Second. Third.", middle=hold), to=first.conversation_id)
    await house.chat.spoke.wait()
    with pytest.raises(Refused) as caught:
        await rerun(house, first)
    assert (caught.value.status, caught.value.code) == (409, "run_active")
    hold.set()
    await house.follow(running)


async def test_the_same_new_id_answers_once_and_what_was_replaced_is_gone_for_good(house):
    ref, _ = await house.tell("one", line("First."))
    await rerun(house, ref, line("Anew."), new="n1")
    again = await house.turns.rerun(ANN, ref.conversation_id, ref.turn_id, "n1")
    assert again.replayed
    with pytest.raises(Refused) as caught:
        await rerun(house, ref, new="n2")
    assert caught.value.code == "not_found"
    assert await told(house, ref.conversation_id) == ["one", "Anew."]


async def test_other_people_and_empty_words_answer_nothing_again(house):
    ref, _ = await house.tell("one", line("First."))
    for who, message, code in ((BOB, None, "not_found"), (ANN, "  ", "empty"), (ANN, "\0", "control_characters")):
        with pytest.raises(Refused) as caught:
            await rerun(house, ref, message=message, who=who)
        assert caught.value.code == code
    assert await told(house, ref.conversation_id) == ["one", "First."]
