"""The graph: what runs, what asks, what is refused, how a turn ends. In memory and on PostgreSQL alike."""

import pytest
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from agent.guards import Limits
from agent.model import ModelClient
from agent.steps import Offered, TokenText, ToolEnded, ToolStarted
from tests.agent.kit import QUICK, All, ScriptedChat, Session, approved, denied, reply
from tools.toolset import Problem, ToolResult


@pytest.fixture(params=["memory", "postgres"])
async def saver(request):
    if request.param == "memory":
        yield InMemorySaver()
        return
    url = request.getfixturevalue("database_url")
    async with AsyncPostgresSaver.from_conn_string(url) as made:
        await made.setup()
        yield made


def session(saver, *replies, **more) -> tuple[Session, ScriptedChat]:
    chat = ScriptedChat(replies=list(replies))
    return Session(saver, ModelClient(chat, "scripted", more.get("limits", QUICK)), **more), chat


def results(messages) -> list[str]:
    return [m.text for m in messages if isinstance(m, ToolMessage)]


async def test_a_read_runs_and_its_result_reaches_the_model(saver):
    s, chat = session(saver, reply("Looking. ", ("find_things", {"query": "x"})), reply("Two found."))
    assert await s.say("find x") == []
    assert s.bench.ran == [("find_things", {"query": "x"})]
    assert chat.sent[1][-1].text == "find_things done"
    assert (await s.messages())[-1].text == "Two found."
    assert [type(step) for step in s.steps if isinstance(step, ToolStarted | ToolEnded)] == [ToolStarted, ToolEnded]
    assert "".join(t.text for t in s.told(TokenText)) == "Looking. Two found."
    assert s.bench.calls[0].idempotency_key == f"id-{(await s.messages())[1].id}:call_0"


async def test_a_dangerous_call_waits_and_runs_as_approved(saver):
    s, chat = session(saver, reply("", ("delete_thing", {"id": 1})), reply("Deleted."))
    (asked,) = await s.say("delete 1")
    assert {k: asked[k] for k in ("kind", "call_id", "tool", "args", "round")} == {
        "kind": "approval",
        "call_id": "call_0",
        "tool": "delete_thing",
        "args": {"id": 1},
        "round": 1,
    }
    assert s.bench.ran == []
    assert await s.decide(call_0=approved("a7")) == []
    assert s.bench.ran == [("delete_thing", {"id": 1})]
    assert s.bench.approved == ["a7"]
    assert chat.sent[1][-1].text == "delete_thing done"


async def test_a_denied_call_does_not_run_and_the_model_learns_why(saver):
    s, chat = session(saver, reply("", ("delete_thing", {"id": 1})), reply("All right."))
    await s.say("delete 1")
    await s.decide(call_0=denied("keep it"))
    assert s.bench.ran == []
    assert "keep it" in chat.sent[1][-1].text
    assert chat.sent[1][-1].status == "error"


async def test_an_approved_call_runs_while_its_sibling_still_waits(saver):
    s, chat = session(
        saver, reply("", ("find_things", {}), ("delete_thing", {"id": 1}), ("delete_thing", {"id": 2})), reply("Done.")
    )
    assert [w["args"] for w in await s.say("delete both")] == [{"id": 1}, {"id": 2}]
    assert [w["args"] for w in await s.decide(call_2=approved())] == [{"id": 1}]
    assert s.bench.ran == [("find_things", {"query": ""}), ("delete_thing", {"id": 2})]
    assert await s.decide(call_1=denied()) == []
    assert len(s.bench.ran) == 2
    assert len(chat.sent) == 2


async def test_a_second_dangerous_call_after_an_approval_asks_again(saver):
    s, _ = session(saver, reply("", ("delete_thing", {"id": 1})), reply("", ("delete_thing", {"id": 2})), reply("End."))
    await s.say("delete 1")
    (asked,) = await s.decide(call_0=approved())
    assert asked["args"] == {"id": 2}
    assert s.bench.ran == [("delete_thing", {"id": 1})]


async def test_a_resume_value_that_is_no_decision_denies(saver):
    s, _ = session(saver, reply("", ("delete_thing", {"id": 1})), reply("End."))
    await s.say("delete 1")
    await s.decide(call_0="yes")
    assert s.bench.ran == []


async def test_an_answer_to_a_question_approves_nothing(saver):
    s, _ = session(saver, reply("", ("delete_thing", {"id": 1})), reply("End."))
    await s.say("delete 1")
    await s.decide(call_0={"kind": "answer", "text": "yes, approve"})
    assert s.bench.ran == []


async def test_a_refusal_of_the_backend_is_the_result(saver):
    s, chat = session(saver, reply("", ("delete_thing", {"id": 1})), reply("Not allowed."))
    await s.say("delete 1")
    problem = Problem(status=403, code="forbidden", title="Not allowed")
    refusal = ToolResult(ok=False, status=403, text="Error 403 forbidden: Not allowed", problem=problem)
    await s.decide(call_0={"kind": "refused", "result": refusal.model_dump(mode="json")})
    assert s.bench.ran == []
    assert chat.sent[1][-1].text == "Error 403 forbidden: Not allowed"
    assert s.told(ToolEnded)[-1].error["code"] == "forbidden"


async def test_a_changed_resource_opens_a_new_round_of_the_same_call(saver):
    s, _ = session(saver, reply("", ("delete_thing", {"id": 1}), ("delete_thing", {"id": 2})), reply("Done."))
    s.bench.answers["delete_thing"] = [ToolResult(ok=False, status=412, text="changed")]
    first, _ = await s.say("delete 1 and 2")
    assert [w["round"] for w in await s.decide(call_0=approved("a1"))] == [1]
    (again,) = await s.decide(call_1=denied())
    assert (again["key"], again["round"]) == (first["key"], 2)
    await s.decide(call_0=approved("a2"))
    assert s.bench.approved == ["a1", "a2"]
    assert results(await s.messages())[-1] == "delete_thing done"


async def test_a_resource_that_keeps_changing_is_told_to_the_model(saver):
    s, chat = session(saver, reply("", ("delete_thing", {"id": 1})), reply("It keeps changing."))
    s.bench.answers["delete_thing"] = [ToolResult(ok=False, status=412, text="changed") for _ in range(9)]
    waiting = await s.say("delete 1")
    while waiting:
        waiting = await s.decide(call_0=approved())
    assert len(s.bench.ran) == QUICK.rounds
    assert chat.sent[1][-1].text == "changed"


async def test_writes_ask_only_under_review_and_unless_always_allowed(saver):
    call = reply("", ("rename_thing", {"id": 1}))
    free, _ = session(saver, call, reply("Done."), thread="a")
    assert await free.say("rename") == []
    reviewed, _ = session(saver, call, reply("Done."), thread="b", review_changes=True)
    assert len(await reviewed.say("rename")) == 1
    allowed, _ = session(
        saver, call, reply("."), thread="c", review_changes=True, always_allowed=frozenset({"rename_thing"})
    )
    assert await allowed.say("rename") == []
    danger, _ = session(
        saver, reply("", ("delete_thing", {"id": 1})), thread="d", always_allowed=frozenset({"delete_thing"})
    )
    assert len(await danger.say("delete")) == 1


async def test_at_most_three_calls_of_a_message_wait_for_a_person(saver):
    calls = [("delete_thing", {"id": n}) for n in range(1, 16)]
    s, chat = session(saver, reply("", *calls), reply("Three done."))
    assert len(await s.say("delete all")) == 3
    await s.decide(**{f"call_{n}": approved() for n in range(3)})
    assert [args["id"] for _, args in s.bench.ran] == [1, 2, 3]
    assert sum("at most 3 calls" in m.text for m in chat.sent[1] if isinstance(m, ToolMessage)) == 12


async def test_a_denied_call_made_again_is_not_asked_again(saver):
    s, chat = session(
        saver, reply("", ("delete_thing", {"id": 1})), reply("", ("delete_thing", {"id": 1})), reply("Fine.")
    )
    await s.say("delete 1")
    assert await s.decide(call_0=denied()) == []
    assert "denied this exact call" in chat.sent[2][-1].text
    assert s.bench.ran == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("no_such_tool", {}), "There is no tool 'no_such_tool'"),
        (("delete_thing", {"id": "one"}), "do not fit the schema"),
        (("delete_thing", {}), "do not fit the schema"),
        (("delete_thing", '{"id": 1'), "not valid JSON"),
        (("delete_thing", '{"id": 1, "id": 2}'), "name a key twice"),
        (("delete_thing", "[1]"), "not a JSON object"),
        (("find_things", '{"query": "\\ud800"}'), "half characters"),
        (("find_things", '{"query": "a\\u0000"}'), "NUL"),
    ],
)
async def test_a_bad_call_comes_back_as_an_error_and_nothing_runs(saver, call, told):
    s, chat = session(saver, reply("", call), reply("Sorry."))
    assert await s.say("do it") == []
    assert s.bench.ran == []
    assert told in chat.sent[1][-1].text
    end = s.told(ToolEnded)[-1]
    assert end.ok is False
    assert str((end.error or {})["detail"]).startswith("Nothing ran. The model was")
    assert (await s.messages())[-1].text == "Sorry."


async def test_syntax_that_is_whole_is_repaired_and_then_checked(saver):
    s, _ = session(saver, reply("", ("find_things", "{'query': 'x',}")), reply("Found."))
    await s.say("find x")
    assert s.bench.ran == [("find_things", {"query": "x"})]


async def test_the_same_fault_ends_in_words_after_two_tries(saver):
    bad = reply("", ("delete_thing", {"id": "one"}))
    s, chat = session(saver, bad, bad, bad, reply("", ("delete_thing", {"id": 1})))
    assert await s.say("delete one") == []
    assert chat.options[3]["tool_choice"] == "none"
    assert s.bench.ran == []
    assert "could not make a valid call" in (await s.messages())[-1].text
    assert "could not make a valid call" in s.told(TokenText)[-1].text


async def test_the_third_identical_call_does_not_run_and_ends_the_loop(saver):
    same = reply("", ("find_things", {"query": "x"}))
    s, chat = session(saver, same, same, same, reply("Nothing new."))
    await s.say("find x")
    assert len(s.bench.ran) == 2
    assert chat.options[3]["tool_choice"] == "none"
    assert (await s.messages())[-1].text == "Nothing new."


async def test_looking_again_after_a_change_is_no_loop(saver):
    look = ("find_things", {"query": "x"})
    turns = [
        reply("", look),
        reply("", ("rename_thing", {"id": 1})),
        reply("", look),
        reply("", ("rename_thing", {"id": 2})),
    ]
    s, chat = session(saver, *turns, reply("", look), reply("Renamed."))
    await s.say("rename both and check")
    assert [name for name, _ in s.bench.ran] == ["find_things", "rename_thing"] * 2 + ["find_things"]
    assert "tool_choice" not in chat.options[-1]


async def test_the_last_step_gets_no_tools(saver):
    limits = Limits(steps=4, merge=0.0)
    calls = [reply("", ("find_things", {"query": str(n)})) for n in range(4)]
    s, chat = session(saver, *calls, reply("That is what I have."), limits=limits)
    await s.say("look everywhere")
    assert len(s.bench.ran) == 4
    assert [options.get("tool_choice") for options in chat.options] == [None, None, None, None, "none"]
    assert "used all steps" in chat.sent[-1][0].text


async def test_thirty_steps_fit_into_the_graphs_own_limit(saver):
    calls = [reply("", ("find_things", {"query": str(n)})) for n in range(30)]
    s, _ = session(saver, *calls, reply("Enough."))
    await s.say("look everywhere")
    assert len(s.bench.ran) == 30
    assert (await s.messages())[-1].text == "Enough."


async def test_a_question_waits_for_its_answer(saver):
    question = {"question": "Which one?", "choices": [{"value": "1", "label": "First"}]}
    s, chat = session(saver, reply("", ("ask_user_question", question)), reply("The first, then."))
    (asked,) = await s.say("delete it")
    assert asked["kind"] == "question"
    assert asked["question"] == "Which one?"
    assert asked["choices"][0]["value"] == "1"
    assert asked["free"] is True
    await s.decide(call_0={"kind": "answer", "text": "the second"})
    assert chat.sent[1][-1].text == "The person answered: the second"


async def test_tools_that_are_looked_for_can_be_called_in_the_same_turn(saver):
    s, chat = session(
        saver,
        reply("", ("rename_thing", {"id": 1})),
        reply("", ("find_tools", {"description": "rename"})),
        reply("", ("rename_thing", {"id": 1})),
        reply("Renamed."),
        router=All(hidden=["rename_thing"]),
    )
    await s.say("rename 1")
    assert "There is no tool 'rename_thing'" in chat.sent[1][-1].text
    assert "rename_thing" in chat.sent[2][-1].text
    assert s.bench.ran == [("rename_thing", {"id": 1})]
    names = [[t["function"]["name"] for t in o["tools"]] for o in chat.options]
    assert "rename_thing" not in names[1]
    assert "rename_thing" in names[2]


async def test_tools_beyond_the_role_are_neither_offered_nor_found_nor_run(saver):
    s, chat = session(
        saver,
        reply("", ("wipe_all", {})),
        reply("", ("find_tools", {"description": "wipe"})),
        reply("", ("wipe_all", {})),
        reply("I cannot."),
        role="viewer",
        router=All(hidden=["wipe_all"]),
    )
    assert await s.say("wipe everything") == []
    assert s.bench.ran == []
    assert all("wipe_all" not in str(o["tools"]) for o in chat.options)
    assert "No tool fits" in chat.sent[2][-1].text


async def test_capabilities_are_those_of_the_role(saver):
    s, chat = session(saver, reply("", ("show_capabilities", {})), reply("That."), role="viewer")
    await s.say("what can you do?")
    assert "delete_thing" in chat.sent[1][-1].text
    assert "wipe_all" not in chat.sent[1][-1].text
    assert s.told(ToolEnded)[0].data["total"] == 4


async def test_tools_of_the_last_turns_stay_offered(saver):
    router = All()
    s, chat = session(saver, reply("", ("rename_thing", {"id": 1})), reply("Done."), reply("And again."), router=router)
    await s.say("rename 1")
    router.hidden = ["rename_thing"]
    await s.say("and that one too")
    assert router.seen[1] == ("and that one too", [["rename_thing"]])
    assert "rename_thing" in str(chat.options[-1]["tools"])


async def test_why_tools_were_offered_is_told_first(saver):
    s, _ = session(saver, reply("Hello."))
    await s.say("hello")
    assert isinstance(s.steps[0], Offered)
    assert s.steps[0].choices[0] == {
        "tool": "find_things",
        "tier": "keywords",
        "score": 1.0,
        "words": ["find_things"],
    }
