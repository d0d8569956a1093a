"""What a person decides about a turn: cards, questions, edits, undo; and what happens when they go on without."""

import asyncio

import pytest
from langchain_core.messages import ToolMessage

from agent.turns import Refused
from store import audit
from tests.agent.assembly import ANN, cards, line, words_of
from tests.agent.bench import BOB, principal
from tools.toolset import Role

DELETE_1 = ("delete_thing", {"thing": "d-1"})
DELETE_2 = ("delete_thing", {"thing": "d-2"})
RENAME = ("rename_thing", {"thing": "d-1", "name": "B"})


@pytest.fixture
def things(house):
    house.shelf.put("d-1")
    house.shelf.put("d-2")
    return house.shelf


def answers(sent) -> list[str]:
    return [m.text for m in sent if isinstance(m, ToolMessage)]


async def test_approved_call_runs_exactly_once_and_the_receipt_says_so(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    [card] = cards(parts)
    assert await house.state(ref) == "waiting_approval"
    assert things.effects == []
    assert (await house.decide(card)).state == "approved"
    parts = await house.follow(ref)
    [receipt] = cards(parts, "confirm_resolved")
    assert receipt["metadata"]["approval"]["state"] == "consumed"
    assert receipt["metadata"]["id"] == card["metadata"]["id"]
    assert [(e.args, e.if_match) for e in things.effects] == [({"thing": "d-1"}, '"1"')]


async def test_denied_call_does_not_run_and_the_model_learns_the_reason(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("I will not."))
    await house.decide(cards(parts)[0], "deny", reason="still needed")
    parts = await house.follow(ref)
    assert things.effects == []
    assert "still needed" in answers(house.chat.sent[1])[0]
    approval = cards(parts, "confirm_resolved")[0]["metadata"]["approval"]
    assert (approval["state"], approval["reason"], approval["decided_by"]) == ("denied", "still needed", "Ann")


async def test_two_dangerous_calls_in_one_message_are_decided_apart(house, things):
    ref, parts = await house.tell("delete both", line("", DELETE_1, DELETE_2), line("One is gone."))
    first, second = cards(parts)
    await house.decide(first)
    parts = await house.follow(ref)
    assert [e.args["thing"] for e in things.effects] == ["d-1"]
    assert await house.state(ref) == "waiting_approval"
    await house.decide(second, "deny")
    parts = await house.follow(ref)
    states = [card["metadata"]["approval"]["state"] for card in cards(parts, "confirm_resolved")]
    assert states == ["consumed", "denied"]
    assert words_of(parts) == "One is gone."
    assert len(house.chat.sent) == 2


async def test_a_second_dangerous_call_after_an_approval_asks_again(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("", DELETE_2), line("Both gone."))
    await house.decide(cards(parts)[0])
    parts = await house.follow(ref)
    assert [e.args["thing"] for e in things.effects] == ["d-1"]
    [card] = cards(parts)
    assert card["metadata"]["approval"]["args"] == {"thing": "d-2"}
    await house.decide(card)
    await house.follow(ref)
    assert [e.args["thing"] for e in things.effects] == ["d-1", "d-2"]


async def test_thirty_presses_of_approve_and_deny_have_one_winner(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Done."))
    presses = (house.decide(cards(parts)[0], ("approve", "deny")[n % 2]) for n in range(30))
    outcomes = await asyncio.gather(*presses, return_exceptions=True)
    won = {outcome.state for outcome in outcomes if not isinstance(outcome, Exception)}
    lost = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert {(r.status, r.code) for r in lost} == {(409, "already_decided")}
    await house.follow(ref)
    assert len(things.effects) == (0 if won == {"denied"} else 1)
    assert len(lost) == 15


async def test_changed_thing_leads_to_a_new_card(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    things.put("d-1", "renamed meanwhile", rev=2)
    await house.decide(cards(parts)[0])
    parts = await house.follow(ref)
    assert things.effects == []
    [card] = cards(parts)
    evidence = card["metadata"]["approval"]["card"]["evidence"][0]
    assert evidence["sides"] == ["When you signed", "Now"]
    assert evidence["rows"] == [{"field": "name", "before": "d-1", "after": "renamed meanwhile"}]
    await house.decide(card)
    parts = await house.follow(ref)
    assert len(things.effects) == 1
    assert len(house.chat.sent) == 2


async def test_edited_card_is_signed_as_edited(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    edited = await house.decide(cards(parts)[0], "edit", args={"thing": "d-2"})
    assert (edited.state, edited.version, edited.args) == ("pending", 2, {"thing": "d-2"})
    told = edited.card["evidence"][0]
    assert told["title"] == "You edited version 1"
    assert [(row["before"], row["after"]) for row in told["rows"]] == [("d-1", "d-2")]
    assert edited.card["other"]["ru"]["evidence"][0]["sides"] == ["Было", "Стало"]
    [part] = await house.turns.pending(ANN)
    assert part["metadata"]["approval"]["id"] == edited.id
    [old] = cards(await house.follow(ref), "confirm_resolved")
    assert (old["metadata"]["approval"]["state"], old["metadata"]["approval"]["reason"]) == ("superseded", "edited")
    await house.decide(part)
    await house.follow(ref)
    assert [e.args["thing"] for e in things.effects] == ["d-2"]
    assert "changed the arguments" in answers(house.chat.sent[1])[0]


async def test_other_people_decide_nothing(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("No."))
    bob = principal(BOB)
    for how in ("approve", "deny", "edit"):
        with pytest.raises(Refused) as caught:
            await house.decide(cards(parts)[0], how, who=bob, args={"thing": "d-2"})
        assert caught.value.status == 404
    assert await house.turns.pending(bob) == []
    await house.decide(cards(parts)[0], "deny")
    await house.follow(ref)


async def test_new_message_supersedes_the_card_and_the_history_stays_whole(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1))
    _after, told = await house.tell("never mind", line("Fine."), to=ref.conversation_id)
    assert words_of(told) == "Fine."
    assert await house.state(ref) == "canceled"
    with pytest.raises(Refused) as caught:
        await house.decide(cards(parts)[0])
    assert (caught.value.code, caught.value.winner) == ("already_decided", "superseded")
    page = await house.turns.open(ANN, ref.conversation_id)
    ended = cards(page.messages[1].parts, "confirm_resolved")[0]["metadata"]["approval"]
    assert (ended["state"], ended["reason"]) == ("superseded", "new_words")
    assert "Treat it as denied" in answers(house.chat.sent[1])[0]
    assert things.effects == []


async def test_asking_again_for_an_older_answer_leaves_the_card_that_waits(house, things):
    older, said = await house.tell("hello", line("Hi."))
    place = older.conversation_id
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."), to=place)
    _, again = await house.tell("hello", to=place, turn_id=older.turn_id)
    assert again == said
    assert await house.state(ref) == "waiting_approval"
    await house.decide(cards(parts)[0])
    assert words_of(await house.follow(ref)) == "Gone."
    assert len(things.effects) == 1


async def test_what_the_backend_refuses_is_never_asked(house, things):
    viewer = principal(role=Role.VIEWER)
    _ref, parts = await house.tell("delete", line("", DELETE_1), line("You may not."), who=viewer)
    assert cards(parts) == cards(parts, "confirm_resolved") == []
    assert cards(parts, "tool_error")[0]["metadata"]["error"]["status"] == 403
    assert "may not" in answers(house.chat.sent[1])[0]


async def test_changes_ask_too_when_review_is_on(house, things):
    place = (await house.turns.create(ANN)).id
    await house.tell("rename", line("", RENAME), line("Done."), to=place)
    assert len(things.effects) == 1
    await house.turns.set_review(ANN, place, True)
    ref, parts = await house.tell("rename", line("", RENAME), line("Done."), to=place)
    assert await house.state(ref) == "waiting_approval"
    await house.decide(cards(parts)[0], "deny")
    await house.follow(ref)
    assert len(things.effects) == 1


async def test_always_allowed_tools_do_not_ask_until_that_is_taken_back(house, things):
    place = (await house.turns.create(ANN)).id
    await house.turns.set_review(ANN, place, True)
    await house.turns.allow_always(ANN, "rename_thing")
    assert await house.turns.always_allowed(ANN) == ["rename_thing"]
    await house.tell("rename", line("", RENAME), line("Done."), to=place)
    assert len(things.effects) == 1
    await house.turns.allow_always(ANN, "rename_thing", on=False)
    ref, parts = await house.tell("rename", line("", RENAME), line("Done."), to=place)
    await house.decide(cards(parts)[0])
    await house.follow(ref)
    assert len(things.effects) == 2


@pytest.mark.parametrize("tool", ["delete_thing", "find_things", "nothing"])
async def test_only_write_tools_may_be_allowed_for_good(house, tool):
    with pytest.raises(Refused) as caught:
        await house.turns.allow_always(ANN, tool)
    assert caught.value.code == "not_a_write_tool"


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("tool", ["a\0", "\ud800", "x" * 300])
async def test_name_of_a_tool_that_cannot_be_kept_is_refused(house, tool, on):
    with pytest.raises(Refused) as caught:
        await house.turns.allow_always(ANN, tool, on)
    assert caught.value.status == 400


async def test_review_is_not_switched_while_a_turn_runs(house, things):
    place = (await house.turns.create(ANN)).id
    gate = asyncio.Event()
    ref = await house.say("rename", line("", RENAME, before=gate), line("Done."), to=place)
    await house.chat.asked.wait()
    with pytest.raises(Refused) as caught:
        await house.turns.set_review(ANN, place, True)
    assert (caught.value.status, caught.value.code) == (409, "review_while_running")
    gate.set()
    await house.follow(ref)
    assert len(things.effects) == 1, "the turn goes on by the rule it began with"
    await house.turns.set_review(ANN, place, True)


QUESTION = ("ask_user_question", {"question": "Which one?", "choices": [{"value": "d-1", "label": "The first"}]})


async def test_question_waits_for_its_answer(house):
    ref, parts = await house.tell("delete it", line("", QUESTION), line("Thanks."))
    [asked] = cards(parts, "ask_user")
    assert await house.state(ref) == "waiting_answer"
    assert [p["metadata"]["question"]["id"] for p in await house.turns.pending(ANN)] == [
        asked["metadata"]["question"]["id"]
    ]
    await house.turns.answer(ANN, asked["metadata"]["question"]["id"], "the first")
    parts = await house.follow(ref)
    assert cards(parts, "ask_user")[0]["metadata"]["question"]["answer"] == "the first"
    assert "the first" in answers(house.chat.sent[1])[0]
    assert words_of(parts) == "Thanks."


async def test_question_is_answered_once_by_its_person(house):
    ref, parts = await house.tell("delete it", line("", QUESTION), line("Thanks."))
    question_id = cards(parts, "ask_user")[0]["metadata"]["question"]["id"]
    for who, text, code in ((principal(BOB), "x", "not_found"), (ANN, " ", "empty"), (ANN, "x" * 4001, "bad_text")):
        with pytest.raises(Refused) as caught:
            await house.turns.answer(who, question_id, text)
        assert caught.value.code == code
    await house.turns.answer(ANN, question_id, "one")
    await house.turns.answer(ANN, question_id, "one")
    with pytest.raises(Refused) as caught:
        await house.turns.answer(ANN, question_id, "two")
    assert caught.value.code == "already_answered"
    await house.follow(ref)


async def test_new_message_supersedes_the_question(house):
    ref, _parts = await house.tell("delete it", line("", QUESTION))
    _, told = await house.tell("never mind", line("Fine."), to=ref.conversation_id)
    assert words_of(told) == "Fine."
    page = await house.turns.open(ANN, ref.conversation_id)
    assert cards(page.messages[1].parts, "ask_user")[0]["metadata"]["question"]["state"] == "superseded"


async def test_undo_takes_back_once_what_was_approved(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    await house.decide(cards(parts)[0])
    await house.follow(ref)
    approval_id = cards(parts)[0]["metadata"]["approval"]["id"]
    undone = await house.turns.undo(ANN, approval_id)
    assert undone.result["undone"]["n"] == "Ann"
    assert "d-1" in things.things
    assert (await house.turns.undo(ANN, approval_id)).result["undone"] == undone.result["undone"]
    assert things.calls["undo_change"] == 1
    page = await house.turns.open(ANN, ref.conversation_id)
    shown = cards(page.messages[1].parts, "confirm_resolved")[0]["metadata"]["approval"]
    assert shown["result"]["undone"]["n"] == "Ann"
    async with house.pool.connection() as connection:
        kinds = [link.kind for link in await audit.page(connection, ANN.tenant, audit.Filter())]
    assert kinds[:2] == ["undo_came_back", "undo_sent"]


UNDO = ("undo_change", {"change_id": 1})


async def test_undo_by_the_tool_marks_the_earlier_receipt(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    await house.decide(cards(parts)[0])
    await house.follow(ref)
    place = ref.conversation_id
    again, parts = await house.tell("undo that", line("", UNDO), line("It is back."), to=place)
    await house.follow(again)
    assert "d-1" in things.things
    page = await house.turns.open(ANN, place)
    shown = cards(page.messages[1].parts, "confirm_resolved")[0]["metadata"]["approval"]
    assert shown["result"]["undone"]["n"] == "Ann"
    await house.turns.undo(ANN, shown["id"])
    assert things.calls["undo_change"] == 1
    async with house.pool.connection() as connection:
        [marked] = await audit.page(connection, ANN.tenant, audit.Filter(kind="undone"))
    assert (str(marked.approval_id), marked.data) == (shown["id"], {"tool": "undo_change", "args": UNDO[1]})


NO_MARK = """
create function no_mark() returns trigger language plpgsql as $$ begin raise 'no mark'; end $$;
create trigger no_mark before insert on audit for each row when (new.kind = 'undone') execute function no_mark();
"""


async def test_how_a_call_came_back_and_what_it_took_back_are_recorded_together(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    await house.decide(cards(parts)[0])
    await house.follow(ref)
    async with house.pool.connection() as connection:
        await connection.execute(NO_MARK)
    again, _ = await house.tell("undo that", line("", UNDO), line("It is back."), to=ref.conversation_id)
    await house.follow(again)
    async with house.pool.connection() as connection:
        links = await audit.page(connection, ANN.tenant, audit.Filter())
        [row] = await (await connection.execute("select result ? 'undone' as marked from approvals")).fetchall()
    assert [link.kind for link in links if link.tool == "undo_change"] == ["sent"]
    assert not row["marked"]


async def test_undo_by_the_tool_that_failed_marks_nothing(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    await house.decide(cards(parts)[0])
    await house.follow(ref)
    things.put("d-1", "a new one")
    again, _ = await house.tell("undo that", line("", UNDO), line("It cannot be undone."), to=ref.conversation_id)
    await house.follow(again)
    page = await house.turns.open(ANN, ref.conversation_id)
    [shown] = cards(page.messages[1].parts, "confirm_resolved")
    assert "undone" not in shown["metadata"]["approval"]["result"]


async def test_undo_is_refused_when_something_newer_touched_the_thing(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Gone."))
    await house.decide(cards(parts)[0])
    await house.follow(ref)
    things.put("d-1", "a new one")
    approval_id = cards(parts)[0]["metadata"]["approval"]["id"]
    with pytest.raises(Refused) as caught:
        await house.turns.undo(ANN, approval_id)
    assert (caught.value.status, caught.value.code) == (409, "undo_failed")
    with pytest.raises(Refused) as caught:
        await house.turns.undo(principal(BOB), approval_id)
    assert caught.value.code == "not_found"


async def test_undo_of_what_did_not_run_is_refused(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("No."))
    await house.decide(cards(parts)[0], "deny")
    await house.follow(ref)
    with pytest.raises(Refused) as caught:
        await house.turns.undo(ANN, cards(parts)[0]["metadata"]["approval"]["id"])
    assert caught.value.code == "nothing_to_undo"


async def test_reason_that_cannot_be_kept_is_refused(house, things):
    ref, parts = await house.tell("delete", line("", DELETE_1), line("No."))
    for reason in ("x" * 4001, "a\0", "\ud800"):
        with pytest.raises(Refused) as caught:
            await house.decide(cards(parts)[0], "deny", reason=reason)
        assert caught.value.status == 400
    await house.decide(cards(parts)[0], "deny", reason="x" * 4000)
    await house.follow(ref)


async def test_overdue_card_expires_by_itself_and_the_model_learns_of_it(house, things):
    house.turns._approvals._minutes = 0
    ref, parts = await house.tell("delete", line("", DELETE_1), line("Nobody signed."))
    [card] = cards(parts)
    with pytest.raises(Refused) as caught:
        await house.decide(card)
    assert (caught.value.status, caught.value.code) == (410, "expired")
    parts = await house.follow(ref)
    assert words_of(parts) == "Nobody signed."
    expired = cards(parts, "confirm_resolved")[0]["metadata"]["approval"]
    assert (expired["state"], expired["reason"]) == ("expired", "time")
    assert things.effects == []


async def test_the_reaper_expires_cards_too(house, things):
    house.turns._approvals._minutes = 0
    ref, _ = await house.tell("delete", line("", DELETE_1), line("Nobody signed."))
    await house.turns._worker.reap()
    assert words_of(await house.follow(ref)) == "Nobody signed."
