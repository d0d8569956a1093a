"""What a person has: conversations and their pages."""

import asyncio

import pytest

from agent.turns import Refused
from tests.agent.assembly import ANN, cards, line
from tests.agent.bench import BOB, principal


async def test_conversations_are_listed_last_used_first_page_by_page(house):
    made = [await house.turns.create(ANN, title=f"talk {n}") for n in range(5)]
    await house.tell("hello", line("Hi."), to=made[1].id)
    first = await house.turns.conversations(ANN, limit=2)
    rest = await house.turns.conversations(ANN, after=first[-1].id)
    assert [row.title for row in (*first, *rest)] == ["talk 1", "talk 4", "talk 3", "talk 2", "talk 0"]
    assert await house.turns.conversations(principal(BOB)) == []


async def test_conversations_are_found_by_title_and_words_in_both_languages(house):
    await house.tell("покажи дашборды", line("Вот дашборды по продажам."))
    await house.tell("hello", line("Deleted the reports."))
    assert [row.title for row in await house.turns.conversations(ANN, "дашборд")] == ["Покажи дашборды"]
    assert [row.title for row in await house.turns.conversations(ANN, "продажи")] == ["Покажи дашборды"]
    assert [row.title for row in await house.turns.conversations(ANN, "report")] == ["Hello"]


async def test_long_conversation_is_read_page_by_page(house):
    ref, _ = await house.tell("one", line("1."))
    for n in range(3):
        await house.tell(f"more {n}", line(f"{n}."), to=ref.conversation_id)
    newest = await house.turns.open(ANN, ref.conversation_id, limit=3)
    assert [m.text for m in newest.messages] == ["1.", "more 2", "2."]
    before = await house.turns.open(ANN, ref.conversation_id, before=newest.earlier, limit=3)
    oldest = await house.turns.open(ANN, ref.conversation_id, before=before.earlier, limit=3)
    assert [m.text for m in (*oldest.messages, *before.messages)] == ["one", "1.", "more 0", "0.", "more 1"]
    assert oldest.earlier is None


async def test_the_tokens_of_a_conversation_are_summed_over_its_turns_and_replaced_answers(house):
    ref, _ = await house.tell("one", line("", ("find_things", {})), line("1."))
    await house.tell("elsewhere", line("2."))
    house.chat.lines.append(line("3."))
    await house.follow(await house.turns.rerun(ANN, ref.conversation_id, ref.turn_id, "again"))
    spent = await house.turns.spent(ANN, ref.conversation_id)
    assert (spent.usage.input, spent.usage.output, spent.cost) == (30, 15, None)
    nothing = await house.turns.spent(principal(BOB), ref.conversation_id)
    assert nothing.usage.input == 0


async def test_title_of_the_person_stays(house):
    place = (await house.turns.create(ANN)).id
    await house.turns.rename(ANN, place, "  Mine ")
    await house.tell("hello", line("Hi."), to=place)
    assert (await house.turns.open(ANN, place)).title == "Mine"


@pytest.mark.parametrize("title", ["x" * 201, "a\0", "\ud800"], ids=["long", "NUL", "surrogate"])
async def test_unfit_titles_are_refused(house, title):
    place = (await house.turns.create(ANN)).id
    with pytest.raises(Refused) as caught:
        await house.turns.rename(ANN, place, title)
    assert caught.value.status == 400


async def test_deleted_conversation_is_gone(house):
    ref, parts = await house.tell("hello", line("Hi."))
    await house.turns.delete(ANN, ref.conversation_id)
    for attempt in (
        house.turns.open(ANN, ref.conversation_id),
        house.turns.delete(ANN, ref.conversation_id),
        house.turns.accept(ANN, ref.conversation_id, "hello", "t2"),
    ):
        with pytest.raises(Refused) as caught:
            await attempt
        assert caught.value.code == "not_found"
    assert parts


async def test_deleting_takes_open_cards_along(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete", line("", ("delete_thing", {"thing": "d-1"})))
    await house.turns.delete(ANN, ref.conversation_id)
    assert await house.turns.pending(ANN) == []
    with pytest.raises(Refused):
        await house.decide(cards(parts)[0])
    assert house.shelf.effects == []


async def test_review_cannot_be_switched_while_a_turn_goes_on(house):
    hold = asyncio.Event()
    ref = await house.say("talk", line("One two", middle=hold))
    await house.chat.spoke.wait()
    with pytest.raises(Refused) as caught:
        await house.turns.set_review(ANN, ref.conversation_id, True)
    assert caught.value.code == "review_while_running"
    assert not (await house.turns.open(ANN, ref.conversation_id)).review_changes
    hold.set()
    await house.follow(ref)
    await house.turns.set_review(ANN, ref.conversation_id, True)
    assert (await house.turns.open(ANN, ref.conversation_id)).review_changes


async def test_pending_lists_what_waits_over_all_conversations(house):
    house.shelf.put("d-1")
    delete = line("", ("delete_thing", {"thing": "d-1"}))
    first, _ = await house.tell("delete", delete)
    second, _ = await house.tell("delete", line("", ("delete_thing", {"thing": "d-1"})))
    waiting = await house.turns.pending(ANN)
    assert [part["conversation_id"] for part in waiting] == [first.conversation_id, second.conversation_id]
    assert [row.waiting for row in await house.turns.conversations(ANN)] == [True, True]
    house.chat.lines += [line("No."), line("No.")]
    for part, ref in zip(waiting, (first, second), strict=True):
        await house.decide(part, "deny")
        await house.follow(ref)
    assert await house.turns.pending(ANN) == []
