"""The way of a turn: accepted once, driven to its end, told to whoever asks."""

import asyncio
import time
import uuid

import pytest

from agent.models.errors import BadRequest
from agent.turns import Attachment, Refused
from store import usage
from tests.agent.assembly import ANN, cards, line, words_of
from tests.agent.bench import BOB, principal

BOB_HIMSELF = principal(BOB)


async def test_a_turn_runs_and_its_answer_stays(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("find", line("", ("find_things", {"query": "d"})), line("There is one."))
    assert words_of(parts) == "There is one."
    assert [p["metadata"]["type"] for p in parts] == ["tool_end", "stream_token", "usage"]
    assert await house.state(ref) == "succeeded"
    page = await house.turns.open(ANN, ref.conversation_id)
    assert [(m.role, m.state, m.text) for m in page.messages] == [
        ("user", "final", "find"),
        ("assistant", "final", "There is one."),
    ]
    assert page.messages[1].parts == parts
    assert (page.title, page.active_turn) == ("Find", None)


async def test_the_same_turn_id_tells_the_stored_answer_and_calls_nothing(house):
    ref, parts = await house.tell("hello", line("Hi."), turn_id="t1")
    again, told = await house.tell("hello", to=ref.conversation_id, turn_id="t1")
    assert (again.replayed, again.state, told) == (True, "succeeded", parts)
    assert len(house.chat.sent) == 1


async def test_the_same_turn_id_without_a_conversation_finds_the_same_conversation(house):
    first, _ = await house.tell("hello", line("Hi."), turn_id="t1")
    again, _ = await house.tell("hello", turn_id="t1")
    assert again.conversation_id == first.conversation_id
    other = await house.say("hello", line("Hi Bob."), who=BOB_HIMSELF, turn_id="t1")
    assert other.conversation_id != first.conversation_id
    await house.follow(other, BOB_HIMSELF)


async def test_the_same_turn_id_attaches_to_a_running_turn(house):
    hold = asyncio.Event()
    ref = await house.say("hello", line("One two.", middle=hold), turn_id="t1")
    await house.chat.spoke.wait()
    again = await house.say("hello", to=ref.conversation_id, turn_id="t1")
    assert (again.replayed, again.state) == (True, "running")
    following = asyncio.gather(house.follow(ref), house.follow(again))
    hold.set()
    first, second = await following
    assert words_of(first) == words_of(second) == "One two."
    assert len(house.chat.sent) == 1


async def test_other_words_under_the_same_turn_id_are_refused(house):
    ref, _ = await house.tell("hello", line("Hi."), turn_id="t1")
    with pytest.raises(Refused) as caught:
        await house.say("goodbye", to=ref.conversation_id, turn_id="t1")
    assert (caught.value.status, caught.value.code) == (422, "turn_id_reused")


async def test_thirty_posts_of_one_message_make_one_turn(house):
    place = (await house.turns.create(ANN)).id
    house.chat.lines.append(line("Hi."))
    refs = await asyncio.gather(*(house.turns.accept(ANN, place, "hello", "t1") for _ in range(30)))
    assert sum(not ref.replayed for ref in refs) == 1
    assert words_of(await house.follow(refs[0])) == "Hi."
    assert len((await house.turns.open(ANN, place)).messages) == 2


async def test_of_two_messages_at_once_one_is_refused(house):
    place = (await house.turns.create(ANN)).id
    hold = asyncio.Event()
    house.chat.lines.append(line("Hi.", before=hold))
    posts = (house.turns.accept(ANN, place, f"hello {n}", f"t{n}") for n in range(10))
    outcomes = await asyncio.gather(*posts, return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert [r.code for r in refused] == ["run_active"] * 9
    hold.set()
    [taken] = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
    await house.follow(taken)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("x" * 100_001, "too_long"),
        ("ы" * 50_001, "too_long"),
        ("a\0b", "control_characters"),
        ("half \ud83d", "broken_characters"),
    ],
    ids=["empty", "blank", "long", "long in bytes", "NUL", "surrogate"],
)
@pytest.mark.parametrize("lang", ["en", "ru"])
async def test_unfit_messages_are_refused_with_a_clear_sentence(house, message, code, lang):
    with pytest.raises(Refused) as caught:
        await house.turns.accept(ANN, None, message, "t1", lang)
    assert caught.value.code == code
    assert any("а" <= letter <= "я" for letter in caught.value.text) == (lang == "ru")
    assert await house.turns.conversations(ANN) == []


@pytest.mark.parametrize(
    "message", ["👩‍💻🏽", "‏שלום עולם", "e\u0301\u0323", "x" * 100_000, "a\x01\x1b[31m", "<script>&amp;"]
)
async def test_odd_messages_are_taken_as_they_are(house, message):
    ref, parts = await house.tell(message, line("Hi."))
    assert words_of(parts) == "Hi."
    assert (await house.turns.open(ANN, ref.conversation_id)).messages[0].text == message
    assert house.chat.sent[0][-1].content == message


@pytest.mark.parametrize("turn_id", ["", "x" * 256, "a\nb", "a\0"])
async def test_unfit_turn_ids_are_refused(house, turn_id):
    with pytest.raises(Refused) as caught:
        await house.turns.accept(ANN, None, "hello", turn_id)
    assert caught.value.code == "bad_turn_id"


async def test_other_people_find_nothing(house):
    hold = asyncio.Event()
    ref = await house.say("hello", line("Hi there.", middle=hold), turn_id="t1")
    await house.chat.spoke.wait()
    thief, place = BOB_HIMSELF, ref.conversation_id
    attempts = (
        house.turns.accept(thief, place, "hello", "t1"),
        house.turns.open(thief, place),
        anext(house.turns.tail(thief, place, "t1")),
        house.turns.cancel(thief, place),
        house.turns.cancel(thief, place, "t1"),
        house.turns.rename(thief, place, "mine"),
        house.turns.delete(thief, place),
        house.turns.set_review(thief, place, True),
    )
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert [getattr(outcome, "code", outcome) for outcome in outcomes] == ["not_found"] * len(attempts)
    assert await house.turns.conversations(thief) == []
    hold.set()
    assert words_of(await house.follow(ref)) == "Hi there."


@pytest.mark.parametrize("place", ["0b8e1c2a-5d0f-4c57-9c38-6f2f3f0f7a11", "x", "../1", "0"])
async def test_conversations_that_do_not_exist_are_not_found(house, place):
    for attempt in (house.turns.accept(ANN, place, "hello", "t1"), house.turns.open(ANN, place)):
        with pytest.raises(Refused) as caught:
            await attempt
        assert caught.value.status == 404


async def test_the_next_turn_knows_the_one_before(house):
    ref, _ = await house.tell("one", line("First."))
    await house.tell("two", line("Second."), to=ref.conversation_id)
    assert [m.text for m in house.chat.sent[1][1:]] == ["one", "First.", "two"]


async def test_attachments_reach_the_model_behind_the_message(house):
    house.chat.lines.append(line("Read."))
    ref = await house.turns.accept(ANN, None, "read this", "t1", attachments=[Attachment("a.txt", "inside")])
    await house.follow(ref)
    assert [block["text"] for block in house.chat.sent[0][-1].content] == ["read this", "[a.txt]\ninside"]
    page = await house.turns.open(ANN, ref.conversation_id)
    assert page.messages[0].parts[1]["metadata"] == {"type": "attachment", "name": "a.txt"}


async def test_a_failed_turn_says_so_and_can_be_tried_again(house):
    place = (await house.turns.create(ANN)).id
    ref, parts = await house.tell("hello", line("Half", fails=RuntimeError("boom")), to=place, turn_id="t1")
    [error] = cards(parts, "error")
    assert error["metadata"]["retry"]
    assert "boom" not in str(parts)
    assert await house.state(ref) == "failed"
    again, parts = await house.tell("hello", line("Whole."), to=place, turn_id="t1")
    assert not again.replayed
    assert words_of(parts) == "Whole."
    assert cards(parts, "error") == []
    assert await house.state(ref) == "succeeded"


async def test_a_failed_turn_stays_failed_once_the_conversation_went_on(house):
    place = (await house.turns.create(ANN)).id
    await house.tell("one", line(fails=BadRequest("no")), to=place, turn_id="t1")
    _, parts = await house.tell("two", line("Second."), to=place, turn_id="t2")
    assert words_of(parts) == "Second."
    again = await house.say("one", to=place, turn_id="t1")
    assert (again.replayed, again.state) == (True, "failed")


async def test_a_retry_goes_on_after_what_was_done(house):
    house.shelf.put("d-1")
    place = (await house.turns.create(ANN)).id
    call = ("rename_thing", {"thing": "d-1", "name": "B"})
    await house.tell("rename", line("", call), line(fails=BadRequest("no")), to=place, turn_id="t1")
    await house.tell("rename", line("Renamed."), to=place, turn_id="t1")
    assert len(house.shelf.effects) == 1
    assert house.chat.sent[2][-1].text == "rename_thing d-1: done"


async def test_tokens_of_every_request_are_counted_once(house):
    ref, parts = await house.tell("find", line("", ("find_things", {})), line("Done."))
    async with house.pool.connection() as connection:
        [total] = await usage.of_conversation(connection, ANN.tenant, ANN.subject, uuid.UUID(ref.conversation_id))
    assert (total.requests, total.input_tokens, total.output_tokens) == (2, 20, 10)
    [shown] = cards(parts, "usage")
    assert (shown["metadata"]["input"], shown["metadata"]["output"]) == (20, 10)


async def test_too_many_messages_in_a_minute_are_refused(database_url, pool, house):
    house.turns._turns_per_minute = 2
    for _ in range(2):
        await house.tell("hello", line("Hi."))
    with pytest.raises(Refused) as caught:
        await house.say("hello")
    assert (caught.value.status, caught.value.code) == (429, "too_many_turns")
    assert 0 < caught.value.retry_after <= 61
    assert len(await house.turns.conversations(ANN)) == 2


async def test_tail_sends_at_most_fifteen_lists_a_second(house):
    hold = asyncio.Event()
    ref = await house.say("talk", line(" ".join(["word"] * 3000), middle=hold))
    await house.chat.spoke.wait()
    hold.set()
    began = time.monotonic()
    frames = [parts async for parts in house.turns.tail(ANN, ref.conversation_id, ref.turn_id)]
    assert len(frames) <= 15 * (time.monotonic() - began) + 3
    assert words_of(frames[-1]) == " ".join(["word"] * 3000)


async def test_tail_after_what_was_seen_waits_for_news(house):
    hold = asyncio.Event()
    ref = await house.say("talk", line("One two", middle=hold))
    frames = house.turns.tail(ANN, ref.conversation_id, ref.turn_id)
    first = await anext(frames)
    while "One" not in words_of(first):
        first = await anext(frames)
    await frames.aclose()
    seen = max(part["metadata"]["seq"] for part in first)
    resumed = house.turns.tail(ANN, ref.conversation_id, ref.turn_id, after=seen)
    nothing_yet = asyncio.ensure_future(anext(resumed))
    await asyncio.sleep(0.3)
    assert not nothing_yet.done()
    hold.set()
    rest = [await nothing_yet, *[parts async for parts in resumed]]
    assert words_of(rest[-1]) == "One two"


async def test_closing_the_stream_does_not_stop_the_turn(house):
    hold = asyncio.Event()
    ref = await house.say("talk", line("One two", middle=hold))
    frames = house.turns.tail(ANN, ref.conversation_id, ref.turn_id)
    await house.chat.spoke.wait()
    await anext(frames)
    await frames.aclose()
    hold.set()
    assert words_of(await house.follow(ref)) == "One two"
