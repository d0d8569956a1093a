"""How a turn ends: stopped, cut off, and what of it stays in the state."""

import asyncio

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from agent.guards import Limits
from agent.steps import Notice
from tests.agent.kit import QUICK, approved, reply
from tests.agent.test_graph import results, session
from tools.toolset import ToolResult


@pytest.fixture
def saver():
    return InMemorySaver()


async def test_stop_keeps_what_was_said_and_ends_the_turn_whole(saver):
    s, chat = session(saver, reply("One two three", stall_after=2), reply("Later."))
    run = asyncio.create_task(s.say("tell me"))
    await s.spoke.wait()
    s.stop.set()
    assert await run == []
    state = await s.graph.aget_state(s.config)
    assert not state.tasks
    assert state.values["messages"][-1].text == "One two"
    s.stop.clear()
    await s.say("go on")
    assert [m.type for m in chat.sent[1]] == ["system", "human", "ai", "human"]


async def test_stop_awaits_a_running_call_and_makes_no_more(saver):
    s, chat = session(saver, reply("", ("rename_thing", {"id": 1})), reply("never said"))
    s.bench.hold = asyncio.Event()
    run = asyncio.create_task(s.say("rename"))
    await s.bench.running.wait()
    s.stop.set()
    s.bench.hold.set()
    assert await run == []
    assert s.bench.ran == [("rename_thing", {"id": 1})]
    assert len(chat.sent) == 1
    assert results(await s.messages()) == ["rename_thing done"]


async def test_stop_while_a_card_waits_closes_the_call(saver):
    s, _ = session(saver, reply("", ("delete_thing", {"id": 1})))
    await s.say("delete 1")
    s.stop.set()
    await s.decide(call_0=approved())
    assert s.bench.ran == []
    last = (await s.messages())[-1]
    assert isinstance(last, AIMessage)
    assert last.response_metadata["finish"] == "canceled"


async def test_the_state_keeps_a_window_of_whole_turns(saver):
    limits = Limits(window_turns=3, merge=0.0)
    turns = [r for n in range(8) for r in (reply("", ("find_things", {"query": str(n)})), reply(f"Answer {n}."))]
    s, _ = session(saver, *turns, limits=limits)
    for n in range(8):
        await s.say(f"question {n}")
    messages = await s.messages()
    assert messages[0].text == "question 4"
    assert len(messages) == 4 * 4


async def test_nothing_secret_is_stored(saver):
    s, _ = session(saver, reply("", ("find_things", {})), reply("Done."))
    await s.say("find")
    async for found in saver.alist(s.config):
        assert "jwt" not in repr(found)


async def test_an_answer_cut_at_the_output_limit_is_told(saver):
    s, _ = session(saver, reply("A long stor", finish="length"))
    await s.say("tell me a story")
    assert [n.code for n in s.told(Notice)] == ["model_length"]


async def test_calls_of_a_reply_that_was_cut_off_do_not_run(saver):
    s, chat = session(saver, reply("", ("find_things", {}), finish="length"), reply("Shorter."))
    await s.say("find")
    assert s.bench.ran == []
    assert "cut off at the output limit" in chat.sent[1][-1].text


async def test_a_long_result_is_cut_and_hidden_characters_go(saver):
    s, chat = session(saver, reply("", ("find_things", {})), reply("Long."))
    s.bench.answers["find_things"] = [ToolResult(ok=True, text="a\u202eb" + "x" * 1_000_000)]
    await s.say("find")
    text = chat.sent[1][-1].text
    assert text.startswith("abx")
    assert len(text) < QUICK.result_chars + 100
