"""Whatever a history went through, every provider takes it, and what was whole stays as it was."""

from hypothesis import HealthCheck, given, settings
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from agent.models.provider import Provider
from agent.repair import LOST, STOPPED, repaired
from agent.window import update, windowed
from tests.agent.histories import assert_paired, full_snapshots, histories, wrecks
from tests.wire.strict import check_chat, check_responses

MANY = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
CHATS = {api: Provider("m", api).chat() for api in ("chat", "responses")}


@MANY
@given(wrecks())
def test_any_wreck_becomes_a_history_that_strict_providers_take(messages):
    whole = repaired([SystemMessage("rules"), *messages])
    assert_paired(whole)
    assert whole[-1].id == "last"
    check_chat(CHATS["chat"]._get_request_payload(whole) | {"model": "m"})
    check_responses(CHATS["responses"]._get_request_payload(whole) | {"model": "m"})


@MANY
@given(wrecks())
def test_repairing_twice_changes_nothing_more(messages):
    once = repaired(messages)
    assert repaired(once) == once


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(histories())
def test_a_whole_history_is_returned_as_it_is(history):
    if history[-1].type == "human":
        assert all(a is b for a, b in zip(repaired(history), history, strict=True))


def calling(*ids, text=""):
    return AIMessage(text, tool_calls=[{"name": "t", "args": {}, "id": i} for i in ids])


def result(i, text="r"):
    return ToolMessage(text, tool_call_id=i, name="t")


def test_a_lost_result_is_said_to_be_lost_and_an_orphan_goes():
    whole = repaired([HumanMessage("a"), result("zz"), calling("1", "2"), result("2"), HumanMessage("b")])
    assert [(m.type, m.text) for m in whole] == [
        ("human", "a"),
        ("ai", ""),
        ("tool", LOST),
        ("tool", "r"),
        ("human", "b"),
    ]


def test_results_go_right_behind_their_call():
    whole = repaired([HumanMessage("a"), calling("1"), HumanMessage("b"), result("1")])
    assert [m.type for m in whole] == ["human", "ai", "tool", "human"]


def test_a_call_id_used_again_gets_one_of_its_own():
    whole = repaired([HumanMessage("a"), calling("1"), result("1", "x"), calling("1"), result("1", "y")])
    assert [(m.tool_call_id, m.text) for m in whole if m.type == "tool"] == [("1", "x"), ("1_2", "y")]
    assert [m.tool_calls[0]["id"] for m in whole if m.type == "ai"] == ["1", "1_2"]


def test_a_stopped_answer_says_so():
    silent = AIMessage("", response_metadata={"finish": "canceled"})
    assert repaired([HumanMessage("a"), silent, HumanMessage("b")])[1].text == STOPPED


def test_the_window_keeps_the_newest_turns_and_the_documents_of_older_ones():
    messages = []
    for n in range(20):
        shot = {"snapshot": {"doc": f"d{n % 2}", "revision": n}} if n < 4 else None
        messages += [HumanMessage(f"q{n}", id=f"h{n}"), calling(f"c{n}")]
        messages.append(ToolMessage(f"r{n}", tool_call_id=f"c{n}", name="read_document", artifact=shot))
        messages.append(AIMessage(f"a{n}", id=f"a{n}"))
    kept = windowed(messages, turns=5, tokens=100_000)
    assert [m.text for m in kept if m.type == "human"] == ["q2", "q3", *(f"q{n}" for n in range(14, 20))]
    assert full_snapshots(kept) == {"d0": 1, "d1": 1}
    assert_paired(kept)


def test_the_window_is_bounded_in_tokens_but_never_drops_the_running_turn():
    messages = [
        m for n in range(9) for m in (HumanMessage("x" * 4_000, id=f"h{n}"), AIMessage("y" * 4_000, id=f"a{n}"))
    ]
    assert len(windowed(messages, turns=10, tokens=7_000)) == 6
    assert len(windowed(messages, turns=10, tokens=10)) == 2


def test_a_history_within_its_window_needs_no_update():
    messages = [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")]
    assert update(messages, turns=10, tokens=1_000) == []
