"""Pruning: under the budget, pairs whole, one snapshot a document, the untouchable untouched, mildest first."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from agent.context import NO_ATTACHMENT, STALE, STUB, estimate, prune
from agent.repair import repaired
from tests.agent.histories import assert_paired, full_snapshots, histories

BUDGET = 40_000
MANY = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@MANY
@given(histories())
def test_any_history_fits_whole_and_with_one_snapshot_a_document(history):
    history = repaired(history)
    before = full_snapshots(history)
    pruned = prune(history, BUDGET)
    assert sum(map(estimate, pruned.messages)) == pruned.tokens <= BUDGET
    assert_paired(pruned.messages)
    assert full_snapshots(pruned.messages) == dict.fromkeys(before, 1)


@MANY
@given(histories(), st.integers(2_000, 100_000))
def test_what_may_not_be_touched_is_not(history, budget):
    history = repaired(history)
    kept = prune(history, budget).messages
    human = [m for m in history if isinstance(m, HumanMessage)][-1]
    answers = [m for m in history if isinstance(m, AIMessage)]
    assert kept[0] is history[0]
    assert human in kept
    if answers and history.index(answers[-1]) > history.index(human):
        assert answers[-1] in kept
    assert [m.type for m in kept[:2]] == ["system", "human"]


@MANY
@given(histories())
def test_pruning_is_pure_and_settles(history):
    history = repaired(history)
    copy = [m.model_copy(deep=True) for m in history]
    once = prune(history, BUDGET)
    assert history == copy
    assert prune(once.messages, BUDGET).messages == once.messages


def call(n, doc=None, text="result", thought="", args=None):
    artifact = {"snapshot": {"doc": doc, "revision": n}} if doc else None
    kwargs = {"reasoning_content": thought} if thought else {}
    calls = [{"name": "read_document", "args": args or {"document": doc or "x"}, "id": f"c{n}"}]
    return [
        AIMessage("", tool_calls=calls, additional_kwargs=kwargs),
        ToolMessage(text, tool_call_id=f"c{n}", name="read_document", artifact=artifact),
    ]


SYSTEM = SystemMessage("rules")


def contents(messages):
    return [m.content for m in messages if isinstance(m, ToolMessage)]


def test_tier_0_keeps_only_the_newest_snapshot_however_short_the_history():
    history = [SYSTEM, HumanMessage("hi"), *call(1, "a", "old a"), *call(2, "b", "only b"), *call(3, "a", "new a")]
    pruned = prune(history, BUDGET)
    assert contents(pruned.messages) == [STALE, "only b", "new a"]
    assert pruned.tier == 0


def test_reasoning_of_earlier_turns_never_goes_along():
    history = [
        SYSTEM,
        HumanMessage("one"),
        *call(1, thought="old"),
        AIMessage("a"),
        HumanMessage("two"),
        *call(2, thought="new"),
    ]
    thoughts = [m.additional_kwargs.get("reasoning_content") for m in prune(history, BUDGET).messages if m.type == "ai"]
    assert thoughts == [None, None, "new"]


def test_tier_1_strips_reasoning_of_this_turn_but_the_last():
    history = [SYSTEM, HumanMessage("one"), *call(1, thought="x" * 8_000), *call(2, thought="y" * 8_000)]
    pruned = prune(history, 3_000)
    assert [bool(m.additional_kwargs) for m in pruned.messages if m.type == "ai"] == [False, True]
    assert contents(pruned.messages) == ["result", "result"]
    assert pruned.tier == 1


def test_tier_2_stubs_the_oldest_pairs_on_both_sides():
    history = [
        SYSTEM,
        HumanMessage("one"),
        *call(1, text="x" * 8_000, args={"q": "y" * 400}),
        *call(2, text="z" * 8_000),
    ]
    pruned = prune(history, 3_000)
    assert contents(pruned.messages) == [STUB, "z" * 8_000]
    assert pruned.messages[2].tool_calls[0]["args"] == {}
    assert pruned.tier == 2


def test_tier_3_drops_the_oldest_turns_but_not_what_holds_a_document():
    first = [HumanMessage("read a " * 200), *call(1, "a", "document a"), AIMessage("I read it.")]
    second = [HumanMessage("w" * 8_000), AIMessage("v" * 8_000)]
    pruned = prune([SYSTEM, *first, *second, HumanMessage("now")], 400)
    assert [m.type for m in pruned.messages] == ["system", "human", "ai", "tool", "human"]
    assert contents(pruned.messages) == ["document a"]
    assert pruned.tier == 3


def test_attachments_of_earlier_messages_become_a_hint():
    image = {"type": "image", "base64": "A" * 400_000, "mime_type": "image/png"}
    history = [SYSTEM, HumanMessage([{"type": "text", "text": "see"}, image]), AIMessage("seen"), HumanMessage("now")]
    pruned = prune(history, 1_000)
    assert pruned.messages[1].content == f"see\n{NO_ATTACHMENT}"


def test_binary_is_counted_and_not_decoded():
    image = {"type": "image", "base64": "A" * 400_000, "mime_type": "image/png"}
    assert 100_000 <= estimate(HumanMessage([image])) < 100_100


def test_one_huge_result_of_the_running_step_is_cut_with_a_marker():
    pruned = prune([SYSTEM, HumanMessage("one"), *call(1, text="я" * 1_000_000)], BUDGET)
    assert pruned.tokens <= BUDGET
    assert "[truncated, " in contents(pruned.messages)[0]
    assert pruned.tokens > BUDGET * 0.9


@pytest.mark.parametrize(("text", "tokens"), [("word " * 100, 126), ("слово " * 100, 276), ("", 1)])
def test_an_estimate_leans_to_the_safe_side(text, tokens):
    assert estimate(HumanMessage(text)) == tokens + 8
