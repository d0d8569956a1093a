"""Generated histories, sound and broken, and what every request to a model must fulfil."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from agent.calls import mark
from agent.context import STALE, STUB

DOCS = ("d1", "d2", "d3", "d4", "d5")


@st.composite
def histories(draw: st.DrawFn, turns: int = 8, longest: int = 30_000) -> list[BaseMessage]:
    """Whole turns of a conversation about five documents, the last one perhaps in the middle of its calls."""
    messages: list[BaseMessage] = [SystemMessage("You are an agent.")]
    count = draw(st.integers(1, turns))
    for turn in range(count):
        messages.append(HumanMessage(_text(draw, 2_000), id=f"h{turn}"))
        for step in range(draw(st.integers(0, 4))):
            messages += _round(draw, f"{turn}.{step}", longest)
        if turn < count - 1 or draw(st.booleans()):
            messages.append(AIMessage(_text(draw, 2_000), id=f"a{turn}"))
    return messages


def _round(draw: st.DrawFn, name: str, longest: int) -> list[BaseMessage]:
    calls, results = [], []
    for n in range(draw(st.integers(1, 3))):
        call_id = f"c{name}.{n}"
        doc = draw(st.sampled_from((None, None, *DOCS)))
        tool = "read_document" if doc else "find_things"
        calls.append({"name": tool, "args": {"query": _text(draw, 200)}, "id": call_id})
        artifact = {"data": True, **({"snapshot": {"doc": doc, "revision": 1}} if doc else {})}
        results.append(ToolMessage(_text(draw, longest), tool_call_id=call_id, name=tool, artifact=artifact))
    thought = {"reasoning_content": _text(draw, 3_000)} if draw(st.booleans()) else {}
    kept = {**thought, "routes": {call["id"]: "execute" for call in calls}}
    return [AIMessage("", tool_calls=calls, additional_kwargs=kept, id=f"r{name}"), *results]


def _text(draw: st.DrawFn, longest: int) -> str:
    return draw(st.sampled_from(("x", "я", "word ", "漢", "a\n"))) * draw(st.integers(1, max(longest // 5, 1)))


@st.composite
def wrecks(draw: st.DrawFn) -> list[BaseMessage]:
    """Messages in any order, with repeated ids, lost results, results for nothing, broken calls, empty texts."""
    ids = st.sampled_from(("call_A", "call_B", "", "call_C"))
    names = st.sampled_from(("find_things", "drop table;", "", "x" * 80))
    texts = st.sampled_from(("", "  ", "text", "half \ud800 of it"))
    messages: list[BaseMessage] = []
    for n in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(("human", "ai", "ai", "tool", "tool", "system")))
        if kind == "human":
            messages.append(HumanMessage(draw(texts), id=f"m{n}"))
        elif kind == "system":
            messages.append(SystemMessage("rules"))
        elif kind == "tool":
            messages.append(ToolMessage(draw(texts), tool_call_id=draw(ids), name="find_things"))
        else:
            calls = {i: draw(names) for i in draw(st.lists(ids, max_size=2, unique=True))}
            good = [{"name": name, "args": {}, "id": i} for i, name in calls.items() if i != "call_C"]
            bad = [
                {"name": name, "args": "{", "id": i, "error": "", "type": "invalid_tool_call"}
                for i, name in calls.items()
                if i == "call_C"
            ]
            messages.append(AIMessage(draw(texts), tool_calls=good, invalid_tool_calls=bad, id=f"m{n}"))
    return [*messages, HumanMessage("the latest", id="last")]


def assert_paired(messages: Sequence[BaseMessage]) -> None:
    """Every call has one result right behind its message, under an id that no other call has; no other results."""
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in waiting
            waiting.remove(message.tool_call_id)
            continue
        assert not waiting
        if isinstance(message, AIMessage):
            assert not message.invalid_tool_calls
            waiting = [call["id"] or "" for call in message.tool_calls]
            assert all(waiting)
            assert not seen.intersection(waiting)
            assert len(set(waiting)) == len(waiting)
            seen.update(waiting)
    assert not waiting


def full_snapshots(messages: Sequence[BaseMessage]) -> Counter[str]:
    """How many results still hold a document, by document."""
    shots = ((m, mark(m, "snapshot")) for m in messages if isinstance(m, ToolMessage))
    return Counter(shot["doc"] for m, shot in shots if shot and m.content not in {STALE, STUB})
