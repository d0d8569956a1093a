"""A reply in the words of /v1/responses."""

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.flow import Stream, argument_pieces, usage_of, words
from tests.wire.script import Reply


def stream(reply: Reply, body: Mapping[str, Any]) -> Stream:
    """The server-sent events of a reply."""
    events = _Events(body)
    usage = usage_of(reply, body)
    items = _items(reply)
    opening = events.of("response.created", response=events.response("in_progress", []))
    tokens = [token for index, item in enumerate(items) for token in _WRITERS[item["type"]](events, index, item)]
    status = "incomplete" if reply.finish_reason in {"length", "content_filter"} else "completed"
    final = events.response(status, items, usage)
    if status == "incomplete":
        reason = {"length": "max_output_tokens"}.get(reply.finish_reason, reply.finish_reason)
        final["incomplete_details"] = {"reason": reason}
    error = {"code": "server_error", "message": "upstream broke", **reply.error}
    failed = {**events.response("failed", []), "error": {k: error[k] for k in ("code", "message")}}
    return Stream(
        opening=opening,
        tokens=events.joined(tokens),
        ending=events.pending + events.of(f"response.{status}", response=final),
        failure=events.of("response.failed", response=failed),
        usage=usage,
    )


def whole(reply: Reply, body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int] | None]:
    """The answer when the client does not stream, and the usage in it."""
    usage = usage_of(reply, body)
    return _Events(body).response("completed", _items(reply), usage), usage


class _Events:
    """Numbers the events. An event that is no token of its own (`held`) travels with the next token."""

    def __init__(self, body: Mapping[str, Any]):
        self.body = body
        self.id = f"resp_{uuid.uuid4().hex[:12]}"
        self.number = 0
        self.pending = b""

    def of(self, kind: str, **fields: Any) -> bytes:
        self.number += 1
        data = json.dumps({"type": kind, "sequence_number": self.number, **fields}, ensure_ascii=False)
        return f"event: {kind}\ndata: {data}\n\n".encode()

    def joined(self, events: list[tuple[bool, bytes]]) -> list[bytes]:
        tokens = []
        for is_token, data in events:
            self.pending += data
            if is_token:
                tokens.append(self.pending)
                self.pending = b""
        return tokens

    def response(self, status: str, output: list, usage: Mapping[str, int] | None = None) -> dict[str, Any]:
        return {
            "id": self.id, "object": "response", "created_at": 1, "status": status, "error": None,
            "incomplete_details": None, "instructions": None, "model": self.body["model"], "output": output,
            "parallel_tool_calls": True, "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1,
            "max_output_tokens": self.body.get("max_output_tokens"), "metadata": {},
            "usage": _usage(usage) if usage else None,
        }  # fmt: skip


def _items(reply: Reply) -> list[dict[str, Any]]:
    """The finished output items of the reply, in order."""
    items: list[dict[str, Any]] = []
    if reply.reasoning:
        items.append({"type": "reasoning", "id": "rs_1", "summary": [_summary(reply.reasoning)]})
    if reply.text or reply.refusal:
        content = [_text(reply.text)] if reply.text else [{"type": "refusal", "refusal": reply.refusal}]
        items.append({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content})
    for number, call in enumerate(reply.calls):
        call_id = f"call_{uuid.uuid4().hex[:12]}" if call.id is None else call.id
        base = {"type": "function_call", "id": f"fc_{number}", "call_id": call_id, "name": call.name}
        items.append({**base, "arguments": call.raw, "status": "completed"})
    return items


Events = Iterator[tuple[bool, bytes]]


def _reasoning_events(events: _Events, index: int, item: dict[str, Any]) -> Events:
    at = {"item_id": item["id"], "output_index": index, "summary_index": 0}
    whole_text = item["summary"][0]["text"]
    yield False, events.of("response.output_item.added", output_index=index, item={**item, "summary": []})
    yield False, events.of("response.reasoning_summary_part.added", **at, part=_summary(""))
    for word in words(whole_text):
        yield True, events.of("response.reasoning_summary_text.delta", **at, delta=word)
    yield False, events.of("response.reasoning_summary_text.done", **at, text=whole_text)
    yield False, events.of("response.reasoning_summary_part.done", **at, part=item["summary"][0])
    yield False, events.of("response.output_item.done", output_index=index, item=item)


def _message_events(events: _Events, index: int, item: dict[str, Any]) -> Events:
    at = {"item_id": item["id"], "output_index": index, "content_index": 0}
    part = item["content"][0]
    kind = "refusal" if part["type"] == "refusal" else "output_text"
    field = "refusal" if kind == "refusal" else "text"
    more = {} if kind == "refusal" else {"logprobs": []}
    opened = {**item, "status": "in_progress", "content": []}
    yield False, events.of("response.output_item.added", output_index=index, item=opened)
    yield False, events.of("response.content_part.added", **at, part={**part, field: ""})
    for word in words(part[field]):
        yield True, events.of(f"response.{kind}.delta", **at, delta=word, **more)
    yield False, events.of(f"response.{kind}.done", **at, **{field: part[field]}, **more)
    yield False, events.of("response.content_part.done", **at, part=part)
    yield False, events.of("response.output_item.done", output_index=index, item=item)


def _call_events(events: _Events, index: int, item: dict[str, Any]) -> Events:
    at = {"item_id": item["id"], "output_index": index}
    opened = {**item, "arguments": "", "status": "in_progress"}
    yield True, events.of("response.output_item.added", output_index=index, item=opened)
    for piece in argument_pieces(item["arguments"]):
        yield True, events.of("response.function_call_arguments.delta", **at, delta=piece)
    done = {"arguments": item["arguments"], "name": item["name"]}
    yield False, events.of("response.function_call_arguments.done", **at, **done)
    yield False, events.of("response.output_item.done", output_index=index, item=item)


_WRITERS = {"reasoning": _reasoning_events, "message": _message_events, "function_call": _call_events}


def _summary(text: str) -> dict[str, Any]:
    return {"type": "summary_text", "text": text}


def _text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(usage: Mapping[str, int]) -> dict[str, Any]:
    return {
        "input_tokens": usage["input"],
        "output_tokens": usage["output"],
        "total_tokens": usage["input"] + usage["output"],
        "input_tokens_details": {"cached_tokens": usage["cached"]},
        "output_tokens_details": {"reasoning_tokens": usage["reasoning"]},
    }
