"""`/chat` as programs call it: identity, actions, refusals, stopping and leaving."""

import asyncio
import json
from types import SimpleNamespace

import gradio as gr
import pytest

from tests.ui.fake_turns import FakeTurns, Gate
from tests.ui.house import Tokens
from ui.endpoint import Call, Endpoint
from ui.stops import Stops
from ui.visitors import Visitors

JWT = "eyJ.anna.x"


class Caller:
    """One program."""

    def __init__(self, headers=None):
        self.turns = FakeTurns()
        self.stops = Stops()
        self.endpoint = Endpoint(self.turns, Visitors(None, Tokens(), secure=False), self.stops)
        self.request = SimpleNamespace(headers=headers or {}, cookies={}, query_params={}, session_hash="tab1")

    def mine(self, parts):
        """The turn's own parts, without the note of a new conversation."""
        return [part for part in parts if part["metadata"].get("code") != "conversation"]

    def stream(self, message="", conversation="", action="", jwt=JWT, turn="", decision=None):
        text = decision if isinstance(decision, str) else json.dumps(decision) if decision else ""
        return self.endpoint.run(Call(message, conversation, action, turn, text, self.request), jwt)

    async def say(self, *args, **more):
        return [self.mine(parts) async for parts in self.stream(*args, **more)]


def types(parts):
    return [part["metadata"]["type"] for part in parts]


async def test_a_message_streams_whole_lists_of_fresh_dicts():
    caller = Caller()
    updates = [parts async for parts in caller.stream("hello")]
    assert updates[-1][0]["metadata"]["code"] == "conversation"
    assert updates[-1][0]["content"] in caller.turns.conversations_
    assert updates[-1][1]["content"] == "Hello. I looked at **nothing** and changed nothing."
    assert updates[-1][1] is not updates[-2][1]


async def test_a_program_without_a_token_learns_what_to_do():
    with pytest.raises(gr.Error) as refusal:
        await Caller().say("hello", jwt="")
    assert refusal.value.title == "401 unauthenticated"
    assert "user_jwt" in refusal.value.message


async def test_the_token_may_come_in_the_header():
    caller = Caller(headers={"x-user-jwt": JWT})
    assert types((await caller.say("hello", jwt=""))[-1]) == ["stream_token"]


async def test_a_forged_token_is_refused():
    with pytest.raises(gr.Error, match="access token"):
        await Caller().say("hello", jwt="eyJ.mallory.x")


async def test_the_stream_ends_at_a_request_and_goes_on_after_the_decision():
    caller = Caller()
    first = (await caller.say("delete sales", turn="t1"))[-1]
    assert types(first)[-1] == "confirm_required"
    conversation = next(iter(caller.turns.conversations_))
    approval = first[-1]["metadata"]["approval"]
    decision = {"approval_id": approval["id"], "card_sha256": approval["card_sha256"]}
    last = (await caller.say(conversation=conversation, action="confirm", turn="t1", decision=decision))[-1]
    assert last[1]["metadata"]["approval"]["state"] == "consumed"
    assert types(last)[-1] == "stream_token"
    assert caller.turns.effects == ["sales"]
    with pytest.raises(gr.Error, match="already decided") as refusal:
        await caller.say(conversation=conversation, action="deny", decision=decision)
    assert refusal.value.title == "409 already_decided"


async def test_deny_needs_no_args_and_keeps_the_reason():
    caller = Caller()
    approval = (await caller.say("delete sales", turn="t1"))[-1][-1]["metadata"]["approval"]
    conversation = next(iter(caller.turns.conversations_))
    decision = {"approval_id": approval["id"], "card_sha256": approval["card_sha256"], "reason": "not today"}
    last = (await caller.say(conversation=conversation, action="deny", decision=decision))[-1]
    assert last[1]["metadata"]["approval"]["reason"] == "not today"
    assert caller.turns.effects == []


async def test_a_question_is_answered():
    caller = Caller()
    question = (await caller.say("which", turn="t1"))[-1][-1]["metadata"]["question"]
    conversation = next(iter(caller.turns.conversations_))
    decision = {"question_id": question["id"], "text": "net"}
    last = (await caller.say(conversation=conversation, action="answer", decision=decision))[-1]
    assert last[0]["metadata"]["question"]["answer"] == "net"


@pytest.mark.parametrize("decision", ["", "no json", "[]", '{"approval_id": 1}', '{"approval_id": "x"}'])
async def test_a_decision_that_makes_no_sense_is_explained(decision):
    with pytest.raises(gr.Error, match="decision must be a JSON object"):
        await Caller().say(action="confirm", decision=decision)


async def test_an_unknown_action_is_explained():
    with pytest.raises(gr.Error, match="action must be one of"):
        await Caller().say(action="delete_everything")


async def test_the_same_turn_again_gives_the_stored_answer():
    caller = Caller()
    first = (await caller.say("hello", turn="t1"))[-1]
    conversation = next(iter(caller.turns.conversations_))
    assert (await caller.say("hello", conversation=conversation, turn="t1"))[-1] == first
    assert (await caller.say(conversation=conversation, action="attach"))[-1] == first


async def test_who_comes_back_gets_only_what_is_new_and_the_place_of_the_rest():
    caller = Caller()
    first = (await caller.say("delete sales", turn="t1"))[-1]
    conversation = next(iter(caller.turns.conversations_))
    after = {"after": first[0]["metadata"]["seq"]}
    known, *rest = (await caller.say(conversation=conversation, action="attach", turn="t1", decision=after))[-1]
    assert rest == first[1:]
    place = {name: first[0]["metadata"][name] for name in ("id", "seq", "status")}
    assert known == {"role": "assistant", "content": "", "metadata": {"type": "seen", **place}}
    again = (await caller.say("delete sales", conversation=conversation, turn="t1", decision=after))[-1]
    assert types(again) == ["seen", *types(rest)]


@pytest.mark.parametrize("after", [{"after": -1}, {"after": "7"}, {"after": True}, {"seq": 7}, "[7]"])
async def test_a_cursor_that_makes_no_sense_is_explained(after):
    with pytest.raises(gr.Error, match="decision must be") as refusal:
        await Caller().say("hello", decision=after)
    assert refusal.value.title == "400 bad_request"


async def test_retry_sends_the_same_words_once_more():
    caller = Caller()
    assert types((await caller.say("fail", turn="t1"))[-1]) == ["error"]
    conversation = next(iter(caller.turns.conversations_))
    assert types((await caller.say(conversation=conversation, action="retry", turn="t1"))[-1]) == ["stream_token"]
    with pytest.raises(gr.Error, match="turn_id must name a turn"):
        await caller.say(conversation=conversation, action="retry", turn="t9")


async def test_leaving_lets_the_turn_run_and_only_a_stop_ends_it():
    caller = Caller()
    stream = caller.stream("slow", turn="t1")
    await anext(stream)
    await stream.aclose()
    turn = next(iter(caller.turns.conversations_.values())).turns[0]
    assert turn.state == "running"

    async def listen():
        async for _ in caller.stream(conversation=turn.conversation.id, action="attach", turn="t1"):
            pass

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0.05)
    listener.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listener
    assert turn.state == "running"
    listener = asyncio.create_task(listen())
    await asyncio.sleep(0.05)
    await caller.stops.stop("another tab")
    assert turn.state == "running"
    await caller.stops.stop("tab1")
    await listener
    assert turn.state == "canceled"


async def test_a_stop_that_comes_before_the_turn_is_accepted_counts():
    caller = Caller()
    caller.turns.gate = gate = Gate()
    streaming = asyncio.create_task(caller.say("slow", turn="t1"))
    await gate.reached.wait()
    stopping = asyncio.create_task(caller.stops.stop("tab1"))
    streaming.cancel()
    gate.open.set()
    await stopping
    [turn] = next(iter(caller.turns.conversations_.values())).turns
    assert turn.state == "canceled"


async def test_the_cancel_action_ends_the_turn_and_returns_what_was_said():
    caller = Caller()
    stream = caller.stream("slow", turn="t1")
    await anext(stream)
    await stream.aclose()
    conversation = next(iter(caller.turns.conversations_))
    last = (await caller.say(conversation=conversation, action="cancel", turn="t1"))[-1]
    assert types(last) == ["stream_token"]
