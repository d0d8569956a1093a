"""The main job over the API, by both real clients: ask, read, countersign, deny, answer, stop."""

import uuid

import pytest

from tests.clients.chats import of, words
from tests.clients.drivers import ClientError


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Which dashboards are in stage?", "dashboards found"), ("Какие дашборды есть в stage?", "Нашлось")],
)
async def test_a_question_is_answered_with_a_tool_card(enter, question, answer):
    parts = await (await enter()).say(question)
    (card,) = of("tool_end", parts)
    assert card["metadata"]["tool"] == "search_dashboards"
    assert card["metadata"]["args"]["environment"] == "stage"
    assert answer in words(parts)
    assert of("usage", parts)[0]["metadata"]["output"] > 0


async def test_a_card_is_in_the_language_of_the_message_where_no_other_was_asked_for(enter, boards):
    board, name = next(boards)
    (card,) = of("confirm_required", await (await enter()).say(f"удали дашборд {board}"))
    assert card["content"].startswith(f"Удалить дашборд «{name}» ({board})")
    assert card["metadata"]["approval"]["card"]["lang"] == "ru"


async def test_nothing_has_changed_before_the_decision(enter, product, boards):
    board, name = next(boards)
    parts = await (await enter()).say(f"delete dashboard {board}")
    (card,) = of("confirm_required", parts)
    assert card["metadata"]["approval"]["args"] == {"dashboard_id": board}
    assert name in card["content"]
    assert board in product.boards()


async def test_a_denial_changes_nothing_and_its_reason_is_kept(enter, product, boards):
    board, _ = next(boards)
    chat = await enter()
    (card,) = of("confirm_required", await chat.say(f"delete dashboard {board}"))
    await chat.decide("deny", card, reason="finance needs it")
    parts = await chat.say(action="attach")
    (resolved,) = of("confirm_resolved", parts)
    assert resolved["metadata"]["approval"]["state"] == "denied"
    assert resolved["metadata"]["approval"]["reason"] == "finance needs it"
    assert "finance needs it" in words(parts)
    assert board in product.boards()


async def test_an_approval_deletes_exactly_what_was_shown(enter, product, boards):
    board, _ = next(boards)
    chat = await enter()
    (card,) = of("confirm_required", await chat.say(f"удали дашборд {board}"))
    before = product.boards()
    parts = await chat.decide("confirm", card)
    assert of("confirm_resolved", parts)[0]["metadata"]["approval"]["decided_by"] == "Anna Petrova"
    assert before.keys() - product.boards().keys() == {board}


async def test_two_calls_of_one_message_have_outcomes_of_their_own(enter, product, boards):
    (kept, _), (gone, _) = next(boards), next(boards)
    chat = await enter()
    cards = of("confirm_required", await chat.say(f"delete dashboards {kept} and {gone}"))
    assert [card["metadata"]["approval"]["args"]["dashboard_id"] for card in cards] == [kept, gone]
    await chat.decide("confirm", cards[1])
    parts = await chat.decide("deny", cards[0])
    states = [card["metadata"]["approval"]["state"] for card in of("confirm_resolved", parts)]
    assert states == ["denied", "consumed"]
    assert kept in product.boards()
    assert gone not in product.boards()


async def test_a_second_dangerous_call_asks_again(enter, product, boards):
    (first, _), (second, _) = next(boards), next(boards)
    chat = await enter()
    (card,) = of("confirm_required", await chat.say(f"delete dashboard {first}"))
    await chat.decide("confirm", card)
    (other,) = of("confirm_required", await chat.say(f"delete dashboard {second}"))
    assert other["metadata"]["approval"]["id"] != card["metadata"]["approval"]["id"]
    assert second in product.boards()


async def test_a_viewer_gets_no_card_and_the_backend_refuses(enter, product, boards):
    board, _ = next(boards)
    parts = await (await enter("vera")).say(f"delete dashboard {board}")
    assert of("confirm_required", parts) == []
    assert words(parts)
    refusal = product.backend("DELETE", f"/dashboards/{board}", "vera", headers={"Idempotency-Key": uuid.uuid4().hex})
    assert refusal.status_code == 403
    assert board in product.boards()


async def test_a_question_of_the_agent_takes_an_answer(enter, boards):
    board, name = next(boards)
    chat = await enter()
    (question,) = of("ask_user", await chat.say("delete dashboard"))
    parts = await chat.answer(question, str(board))
    assert of("ask_user", parts)[0]["metadata"]["question"]["answer"] == str(board)
    assert name in of("confirm_required", parts)[0]["content"]


async def test_the_same_turn_id_gives_the_stored_reply(enter):
    turn_id = uuid.uuid4().hex
    first, again = await enter(), await enter()
    said = await first.say("Which dashboards are in stage?", turn_id=turn_id)
    assert await again.say("Which dashboards are in stage?", turn_id=turn_id) == said


async def test_a_turn_id_belongs_to_one_message(enter):
    turn_id = uuid.uuid4().hex
    chat = await enter()
    await chat.say("list all users", turn_id=turn_id)
    with pytest.raises(ClientError, match="already belongs to another message"):
        await chat.say("list all tasks", turn_id=turn_id)
