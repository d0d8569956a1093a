"""The strict end of a streamed reply: only what arrived whole becomes a message or a call.

LangChain parses streamed arguments leniently, which turns `{"id": 1` into a call, and takes a connection that closes
early for the end of an answer. Neither may happen when a call can delete something.
"""

import json
import math
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from json_repair import repair_json
from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall, ToolCall
from langchain_core.messages.ai import add_ai_message_chunks

from agent.models.errors import ContentFiltered, IncompleteStream, ModelRefused
from agent.models.words import Words, said, whole_text

MAX_ARGUMENTS = 200_000
MAX_DEPTH = 64
LEAST_INTEGER, MOST_INTEGER = -(2**63), 2**63 - 1
_LENGTH = {"length", "max_tokens", "max_output_tokens"}
_FILTERED = {"content_filter", "safety", "SAFETY"}
_MARKS = re.compile(r"[\s\"'“”`,:{}\[\]\\]+")


class ArgumentTextError(ValueError):
    """The arguments of a call are not one whole JSON object; the text tells the model what is wrong."""


def finished(chunks: Sequence[AIMessageChunk], key: str) -> AIMessage:
    """The message of a stream that really ended; `response_metadata["finish"]` is stop, tool_calls or length.

    Raises `IncompleteStream`, `ContentFiltered` or `ModelRefused`.
    """
    finish = _finish_of(chunks)
    whole = add_ai_message_chunks(AIMessageChunk(content=""), *chunks)
    if refusal := _refusal_of(whole):
        raise ModelRefused(whole_text(refusal))
    good, bad = _calls(whole, truncated=finish == "length")
    return AIMessage(
        content=_content(whole, clean=not bad),
        additional_kwargs=_thinking(whole),
        response_metadata={"finish": "tool_calls" if (good or bad) and finish == "stop" else finish},
        tool_calls=good,
        invalid_tool_calls=bad,
        usage_metadata=whole.usage_metadata,
        id=key,
    )


def _finish_of(chunks: Iterable[AIMessageChunk]) -> str:
    """How the provider says the stream ended."""
    told = [chunk.response_metadata for chunk in chunks if chunk.response_metadata]
    reason = next((m["finish_reason"] for m in reversed(told) if m.get("finish_reason")), None)
    final = next((m for m in reversed(told) if m.get("status")), {})
    reason = reason or (final.get("incomplete_details") or {}).get("reason") or final.get("status")
    if not reason or reason in {"in_progress", "failed", "cancelled", "queued", "error"}:
        raise IncompleteStream(f"the stream ended with {reason!r}")
    if reason in _FILTERED:
        raise ContentFiltered(reason)
    return "length" if reason in _LENGTH else "stop"


def _refusal_of(message: AIMessageChunk) -> str:
    blocks = message.content if isinstance(message.content, list) else []
    told = [b.get("refusal", "") for b in blocks if isinstance(b, dict) and b.get("type") == "refusal"]
    return "".join(told) or message.additional_kwargs.get("refusal") or ""


def _content(message: AIMessageChunk, *, clean: bool) -> str | list:
    """The text; with reasoning items that the same provider wants back in this turn, its own blocks."""
    blocks = message.content
    if clean and isinstance(blocks, list) and any(_kind(b) == "reasoning" for b in blocks):
        return [block for block in blocks if _kind(block) != "refusal"]
    words = Words()
    parts = [text for thinking, text in said(message) if not thinking]
    pieces = [*words.feed("".join(parts)), *words.end()]
    return "".join(text for thinking, text in pieces if not thinking)


def _kind(block: Any) -> str | None:
    return block.get("type") if isinstance(block, dict) else None


def _thinking(message: AIMessageChunk) -> dict[str, Any]:
    """`reasoning_content` for the providers that want it back within a turn."""
    thought = message.additional_kwargs.get("reasoning_content")
    return {"reasoning_content": whole_text(thought)} if thought else {}


def _calls(message: AIMessageChunk, *, truncated: bool) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    good: list[ToolCall] = []
    bad: list[InvalidToolCall] = []
    for name, call_id, raw in _raw_calls(message):
        try:
            if truncated:
                raise ArgumentTextError("the reply was cut off at the output limit; nothing of it ran")
            good.append(ToolCall(name=name, args=arguments(raw), id=call_id, type="tool_call"))
        except ArgumentTextError as error:
            told = {"name": name, "args": whole_text(raw[:2000]), "id": call_id, "error": str(error)}
            bad.append(InvalidToolCall(type="invalid_tool_call", **told))  # type: ignore[typeddict-item]
    return good, bad


def _raw_calls(message: AIMessageChunk) -> Iterator[tuple[str, str, str]]:
    """(name, id, argument text) of each call; missing and repeated ids are made unique."""
    seen: set[str] = set()
    for chunk in message.tool_call_chunks:
        call_id = whole_text(chunk.get("id") or "")
        if not call_id or call_id in seen:
            call_id = f"{call_id or 'call'}_{uuid.uuid4().hex[:8]}"
        seen.add(call_id)
        yield whole_text(chunk.get("name") or "").strip(), call_id, chunk.get("args") or ""


def arguments(raw: str) -> dict[str, Any]:
    """The one JSON object in an argument text; an empty text is no arguments. Raises `ArgumentTextError`."""
    if not raw.strip():
        return {}
    if len(raw) > MAX_ARGUMENTS:
        raise ArgumentTextError(f"the arguments are longer than {MAX_ARGUMENTS} characters")
    try:
        value = json.loads(raw, object_pairs_hook=_unique, parse_constant=_no_constant)
    except ArgumentTextError:
        raise
    except RecursionError:
        raise ArgumentTextError("the arguments are nested too deeply") from None
    except ValueError as error:
        value = _repaired(raw, error)
    if not isinstance(value, dict):
        raise ArgumentTextError("the arguments are not a JSON object")
    _check(value, MAX_DEPTH)
    return value


def _check(value: Any, levels: int) -> None:
    """Raises `ArgumentTextError` for valid JSON that cannot be kept: too deep, beyond 64 bits, infinite (`1e999`)."""
    if not levels:
        raise ArgumentTextError(f"the arguments are nested more than {MAX_DEPTH} levels deep")
    large = isinstance(value, int) and not LEAST_INTEGER <= value <= MOST_INTEGER
    if large or (isinstance(value, float) and not math.isfinite(value)):
        raise ArgumentTextError("a number is too large; give it as text if the tool takes text")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        _check(item, levels - 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ArgumentTextError("the arguments name a key twice")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ArgumentTextError(f"{name} is not JSON")


def _repaired(raw: str, error: ValueError) -> Any:
    """The value of a text that is whole but not quite JSON: a trailing comma, a bare key, a Python literal.

    A text that merely stops is never completed, and a repair that lost or moved a character of a key or a value
    does not count. The repairer gives up on deep nesting with a plain `ValueError`.
    """
    text = re.sub(r"^```\w*\s*|\s*```$", "", raw.strip())
    with suppress(ValueError, RecursionError):
        value = repair_json(text, return_objects=True, skip_json_loads=True) if _balanced(text) else None
        told = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if isinstance(value, dict) and _said(told) == _said(text):
            return value
    raise ArgumentTextError(f"the arguments are not valid JSON: {error}") from None


def _balanced(text: str) -> bool:
    """Whether the text is one object whose last closing bracket is its last character."""
    waiting: list[str] = []
    quoted = escaped = False
    for position, char in enumerate(text):
        if quoted:
            quoted, escaped = char != '"' or escaped, char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            waiting.append("}" if char == "{" else "]")
        elif char in "}]" and (not waiting or waiting.pop() != char):
            return False
        if not waiting:
            return text.startswith("{") and position == len(text) - 1
    return False


def _said(text: str) -> str:
    """What a text says, without the marks by which JSON is written."""
    return _MARKS.sub("", text).lower().replace("none", "null")
