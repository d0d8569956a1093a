"""The model as LangChain sees it: streaming, chunks, usage, finish reason, binding, and any text at all."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from agent.demo import DemoChatModel
from agent.models.finish import finished
from tests.agent.demo.phrasings import PHRASINGS
from tests.agent.demo.schemas import NAMES, SPECS, checked
from tests.agent.demo.world import TODAY, answer

TOOLS = [spec.tool for spec in SPECS.values()]


def model(**kwargs: Any) -> DemoChatModel:
    return DemoChatModel(tokens_per_second=0, today=lambda: TODAY, **kwargs)


async def test_words_stream_in_small_pieces_at_the_given_pace() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    demo = DemoChatModel(tokens_per_second=50, sleep=sleep, today=lambda: TODAY)
    chunks = [chunk async for chunk in demo.astream([HumanMessage("hello")])]
    pieces = [chunk.text for chunk in chunks if chunk.text]
    assert len(pieces) > 5
    assert max(map(len, pieces)) <= 16
    assert waits == [0.02] * len(pieces)


async def test_no_pause_when_the_pace_is_zero() -> None:
    async def sleep(seconds: float) -> None:
        raise AssertionError("must not sleep")

    demo = DemoChatModel(tokens_per_second=0, sleep=sleep)
    assert (await demo.ainvoke("hello")).text


def test_the_blocking_stream_keeps_the_pace_too() -> None:
    waits: list[float] = []
    demo = DemoChatModel(tokens_per_second=100, pause=waits.append)
    text = "".join(chunk.text for chunk in demo.stream("привет"))
    assert "демо-модель" in text
    assert set(waits) == {0.01}


async def test_calls_stream_as_chunks_and_add_up() -> None:
    bound = model().bind_tools(TOOLS)
    chunks = [c async for c in bound.astream("delete dashboards Sales Overview and Retail Pulse")]
    assert all(isinstance(c, AIMessageChunk) for c in chunks)
    assert max(len(c.tool_call_chunks) for c in chunks) == 1  # type: ignore[attr-defined]
    whole: Any = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert [c["args"] for c in whole.tool_calls] == [{"text": "Sales Overview"}, {"text": "Retail Pulse"}]
    assert len({c["id"] for c in whole.tool_calls}) == 2
    assert not whole.invalid_tool_calls
    assert whole.response_metadata["finish_reason"] == "tool_calls"
    assert whole.usage_metadata["output_tokens"] > 0
    assert whole.chunk_position == "last"


def test_text_ends_with_stop_and_usage() -> None:
    message = model().invoke([SystemMessage("You help."), HumanMessage("привет")])
    assert isinstance(message, AIMessage)
    assert message.response_metadata["finish_reason"] == "stop"
    assert message.response_metadata["model_name"] == "demo"
    usage = message.usage_metadata
    assert usage is not None
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert usage["input_tokens"] > 0


def test_no_tools_no_calls() -> None:
    demo = model()
    assert not demo.invoke("delete dashboard 88").tool_calls
    last = demo.bind_tools(TOOLS, tool_choice="none").invoke("delete dashboard 88")
    assert not last.tool_calls
    assert "was not done" in last.text


@pytest.mark.parametrize(("text", "finish"), [("hello", "stop"), ("delete dashboard 88", "tool_calls")])
async def test_the_strict_end_of_a_stream_is_met(text: str, finish: str) -> None:
    chunks: list[Any] = [c async for c in model().bind_tools(TOOLS).astream(text)]
    message = finished(chunks, "ai_1")
    assert message.response_metadata["finish"] == finish
    assert not message.invalid_tool_calls


def test_call_ids_are_never_repeated() -> None:
    bound = model().bind_tools(TOOLS)
    ids = {bound.invoke("list the environments").tool_calls[0]["id"] for _ in range(20)}
    assert len(ids) == 20


def test_the_day_is_injected() -> None:
    demo = DemoChatModel(tokens_per_second=0, today=lambda: date(2030, 1, 2)).bind_tools(TOOLS)
    call = demo.invoke("покажи вчерашние резервные копии").tool_calls[0]
    assert call["args"] == {"since": "2030-01-01", "until": "2030-01-01"}


def test_text_in_content_blocks_is_read() -> None:
    message = HumanMessage([{"type": "text", "text": "list the environments"}])
    assert model().bind_tools(TOOLS).invoke([message]).tool_calls[0]["name"] == "list_environments"


def test_a_tool_of_any_document_is_reached_by_its_name() -> None:
    def tool(name: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        parameters = {"type": "object", "properties": properties, "required": required}
        return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}

    pets = [
        tool("list_pets", {"limit": {"type": "integer"}}, []),
        tool("delete_pet", {"pet_id": {"type": "integer"}}, ["pet_id"]),
    ]
    bound = model().bind_tools(pets)
    assert bound.invoke("show me the pets").tool_calls[0]["name"] == "list_pets"
    call = bound.invoke("delete pet 7").tool_calls[0]
    assert (call["name"], call["args"]) == ("delete_pet", {"pet_id": 7})


WORDS = sorted({w for rows in PHRASINGS.values() for text, _ in rows for w in text.split()})
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=14).map(" ".join),
)
ANSWERS = st.one_of(
    st.none(),
    st.text(max_size=60),
    st.sampled_from(
        ["[]", "{}", "null", '{"items": 3}', '{"items": [{"id": 1}], "total": "x"}', "Error 403 x: no", '"a"']
    ),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["items", "id", "name", "content", "charts", "change_id", "done", "commits", "text"]),
                inner,
            ),
        ),
        max_leaves=8,
    ).map(json.dumps),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), replies=st.lists(ANSWERS, max_size=6), data=st.data())
def test_any_text_and_any_answer_end_well_with_calls_that_fit(
    texts: list[str], replies: list[str | None], data: st.DataObject
) -> None:
    offered = data.draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=12))
    bound = model().bind_tools([SPECS[name].tool for name in offered])
    messages: list[BaseMessage] = []
    left = list(replies)
    for text in texts:
        messages.append(HumanMessage(text))
        for _ in range(20):
            message = bound.invoke(messages)
            messages.append(message)
            assert not message.invalid_tool_calls
            assert bool(message.text) != bool(message.tool_calls)
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                assert call["name"] in offered
                checked(call["name"], call["args"])
                told = left.pop() if left else None
                content = _usual(call["name"], call["args"]) if told is None else told
                messages.append(ToolMessage(content, tool_call_id=call["id"] or ""))
        else:
            pytest.fail("the model did not come to an end")


def _usual(tool: str, args: dict[str, Any]) -> str:
    return "prod" if tool == "ask_user_question" else answer(tool, args)
