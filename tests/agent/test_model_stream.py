"""The parts of a model request: strict endings, thinking told apart, events merged, batches in time."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk

from agent.models.errors import IncompleteStream, ModelRefused
from agent.models.finish import ArgumentTextError, arguments, finished
from agent.models.pace import Pace
from agent.models.sse import merged
from agent.models.usage import usage_of
from agent.models.words import Words, whole_text
from agent.steps import Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_whole_arguments_are_what_they_say(value):
    assert arguments(json.dumps(value)) == value
    assert arguments(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(st.dictionaries(st.text(max_size=5), JSON, min_size=1, max_size=4), st.data())
def test_a_beginning_of_arguments_is_never_taken_for_all_of_them(value, data):
    raw = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(1, len(raw) - 1))
    with pytest.raises(ArgumentTextError):
        arguments(raw[:cut])


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ("{a: true}", {"a": True}),
        ('{"a": True, "b": None}', {"a": True, "b": None}),
        ('```json\n{"a": [1, 2,]}\n```', {"a": [1, 2]}),
        ("{'path': '/a-b/*.csv', 'share': -0.5,}", {"path": "/a-b/*.csv", "share": -0.5}),
        (f'{{"a": [{2**63 - 1}, {-(2**63)}, 1e30]}}', {"a": [2**63 - 1, -(2**63), 1e30]}),
        ("", {}),
        ("  ", {}),
    ],
)
def test_syntax_slips_of_a_whole_object_are_repaired(raw, value):
    assert arguments(raw) == value


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": 1, "a": 2}',
        "{'a': 1, 'a': 2}",
        '{"a": {"b": 1, "b": 2}}',
        '{"a": 1} {"a": 2}',
        '{"a": 1} and more',
        "[1]",
        "null",
        '"text"',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": [-1e999]}',
        f'{{"a": {2**63}}}',
        f'{{"a": [{-(2**63) - 1},]}}',
        '{"a": *.csv}',
        '{"a": -}',
        '{"a": >5}',
        '{"a": ~1}',
        '{"a": 50%}',
        '{"a": 01, "b": ' + "[" * 3_000 + "]" * 3_000 + "}",
        '{"a": 1]',
        '{"a": "x}',
        "delete everything",
        "[" * 100_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"a": "' + "x" * 300_000 + '"}',
    ],
)
def test_anything_else_is_refused(raw):
    with pytest.raises(ArgumentTextError):
        arguments(raw)


def chunk(text="", call=None, **meta):
    calls = [tool_call_chunk(**call)] if call else []
    return AIMessageChunk(text, tool_call_chunks=calls, response_metadata=meta)


def test_a_stream_without_a_finish_is_no_message():
    with pytest.raises(IncompleteStream):
        finished([chunk("The answer is")], "k")
    with pytest.raises(IncompleteStream):
        finished([], "k")


@pytest.mark.parametrize("status", ["failed", "cancelled", "in_progress", "queued"])
def test_a_response_that_did_not_complete_is_no_message(status):
    with pytest.raises(IncompleteStream):
        finished([chunk("The answer is", status=status)], "k")


def test_a_finish_that_is_told_twice_counts_once():
    message = finished([chunk("a", finish_reason="stop"), chunk("", finish_reason="stop")], "k")
    assert (message.text, message.id, message.response_metadata["finish"]) == ("a", "k", "stop")


def test_a_call_that_came_in_pieces_is_whole():
    pieces = [
        chunk(call={"name": "t", "args": "", "id": "c1", "index": 0}),
        chunk(call={"name": None, "args": '{"id"', "id": None, "index": 0}),
        chunk(call={"name": None, "args": ": 1}", "id": None, "index": 0}),
        chunk(finish_reason="tool_calls"),
    ]
    (call,) = finished(pieces, "k").tool_calls
    assert (call["name"], call["args"], call["id"]) == ("t", {"id": 1}, "c1")


def test_a_refusal_is_no_answer():
    told = AIMessageChunk("", additional_kwargs={"refusal": "No."})
    with pytest.raises(ModelRefused) as refused:
        finished([told, chunk(finish_reason="stop")], "k")
    assert refused.value.words == "No."


def read(pieces):
    words = Words()
    out = [piece for text in pieces for piece in words.feed(text)] + list(words.end())
    return tuple("".join(text for thinking, text in out if thinking is kind) for kind in (True, False))


THOUGHT = "<think>\nHm, 1 < 2.</think>\n\nThe answer is <b>2</b>."


@given(st.lists(st.integers(0, len(THOUGHT)), max_size=8))
def test_thinking_is_told_apart_wherever_the_stream_is_cut(cuts):
    places = sorted({0, len(THOUGHT), *cuts})
    pieces = [THOUGHT[a:b] for a, b in zip(places, places[1:], strict=False)]
    thought, said = read(pieces)
    assert thought.strip() == "Hm, 1 < 2."
    assert said.lstrip("\n") == "The answer is <b>2</b>."


def test_a_tag_within_the_answer_is_text():
    assert read(["Write <think> and </think> yourself."]) == ("", "Write <think> and </think> yourself.")
    assert read(["<thi", "s is not a tag>"]) == ("", "<this is not a tag>")


def test_halves_of_a_character_in_two_chunks_become_one():
    assert read(["a\ud83d", "\ude00b"]) == ("", "a😀b")
    assert read(["a\ud83d"]) == ("", "a\ufffd")


def test_text_that_no_database_takes_is_mended():
    assert whole_text("a\0b") == "ab"
    assert whole_text("я\ud800\0") == "я\ufffd"


def event(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish, **more}
    return b"data: " + json.dumps({"id": "x", "choices": [choice], "usage": None}).encode()


def opened(raw):
    return [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: {")]


def test_deltas_that_came_together_become_one_event():
    raw = b"".join(merged([event({"content": w}) for w in ("a", " я", " \ud83d", "\ude00")]))
    (one,) = opened(raw)
    assert whole_text(one["choices"][0]["delta"]["content"]) == "a я 😀"


def test_what_is_no_plain_delta_stays_in_its_place():
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "t", "arguments": ""}}]}
    piece = {"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}
    other = {"tool_calls": [{"index": 1, "function": {"arguments": "}"}}]}
    events = [
        event({"role": "assistant", "content": ""}),
        event({"content": "a"}),
        event({"content": "b"}, logprobs={"content": []}),
        event(call),
        event(piece),
        event(piece),
        event(other),
        event({}, "stop"),
        b": a comment",
        b"data: [DONE]",
    ]
    raw = b"".join(merged(events))
    deltas = [e["choices"][0]["delta"] for e in opened(raw)]
    assert [d.get("content") for d in deltas[:2]] == ["a", "b"]
    assert deltas[2] == call
    assert deltas[3]["tool_calls"][0]["function"]["arguments"] == "{{"
    assert deltas[4] == other
    assert raw.endswith(b": a comment\n\ndata: [DONE]\n\n")


def test_events_of_the_responses_api_merge_by_their_place():
    def delta(kind, text, item="m"):
        data = {"type": f"response.{kind}.delta", "item_id": item, "output_index": 0, "delta": text}
        return f"event: response.{kind}.delta\ndata: {json.dumps(data)}".encode()

    events = [delta("output_text", "a"), delta("output_text", "b"), delta("function_call_arguments", "{", "f")]
    raw = b"".join(merged(events))
    assert [e["delta"] for e in opened(raw)] == ["ab", "{"]
    assert raw.startswith(b"event: response.output_text.delta\n")


async def test_a_batch_holds_what_has_arrived():
    gate = asyncio.Event()

    async def source():
        yield 1
        await gate.wait()
        for n in range(2, 100):
            yield n

    pace = Pace(source(), every=10.0)
    assert await pace.take() == [1]
    gate.set()
    assert await pace.take() == list(range(2, 100))
    assert await pace.take() == []
    await pace.aclose()


async def test_what_a_source_raises_comes_after_what_it_gave():
    async def source():
        yield 1
        raise LookupError

    pace = Pace(source(), every=0.0)
    assert await pace.take() == [1]
    with pytest.raises(LookupError):
        await pace.take()
    await pace.aclose()


async def test_a_halted_stream_ends_and_its_source_cleans_up():
    closed = asyncio.Event()

    async def source():
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            closed.set()

    pace = Pace(source(), every=0.0)
    assert await pace.take() == [1]
    pace.halt()
    assert await pace.take() == []
    await pace.aclose()
    assert closed.is_set()


def test_usage_that_counts_nothing_is_none():
    message = finished([chunk("a", finish_reason="stop")], "k")
    assert usage_of(message) is None
    message.usage_metadata = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    assert usage_of(message) is None
    message.usage_metadata = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    assert usage_of(message) == Usage(3, 0, 0, 2)
