"""A reply in the words of /v1/chat/completions."""

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.flow import Stream, argument_pieces, usage_of, words
from tests.wire.script import Reply

DONE = b"data: [DONE]\n\n"


def stream(reply: Reply, body: Mapping[str, Any]) -> Stream:
    """The server-sent events of a reply."""
    head = {"id": f"chatcmpl-{uuid.uuid4().hex[:12]}", "object": "chat.completion.chunk", "created": 1}
    head |= {"model": body["model"]}

    def event(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    ending = event({}, reply.finish_reason)
    usage = usage_of(reply, body)
    if usage and (body.get("stream_options") or {}).get("include_usage"):
        ending += _data({**head, "choices": [], "usage": _usage(usage)})
    return Stream(
        opening=event({"role": "assistant", "content": ""}),
        tokens=[event(delta) for delta in _deltas(reply)],
        ending=ending + DONE,
        failure=_data({"error": {"message": "upstream broke", "code": 500, **reply.error}}),
        usage=usage,
    )


def whole(reply: Reply, body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int] | None]:
    """The answer when the client does not stream, and the usage in it."""
    calls = [_call(call.name, call.id, call.raw) for call in reply.calls]
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": reply.refusal or None}
    message |= {"tool_calls": calls} if calls else {}
    message |= {reply.reasoning_as: reply.reasoning} if reply.reasoning else {}
    usage = usage_of(reply, body)
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    head = {"id": f"chatcmpl-{uuid.uuid4().hex[:12]}", "object": "chat.completion", "created": 1}
    return {**head, "model": body["model"], "choices": [choice], "usage": _usage(usage) if usage else None}, usage


def _deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    for word in words(reply.reasoning):
        yield {reply.reasoning_as: word}
    for word in reply.pieces():
        yield {"content": word}
    for word in words(reply.refusal):
        yield {"refusal": word}
    for index, call in enumerate(reply.calls):
        yield {"tool_calls": [{"index": index, **_call(call.name, call.id, "")}]}
        for piece in argument_pieces(call.raw):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _call(name: str, call_id: str | None, arguments: str) -> dict[str, Any]:
    call_id = f"call_{uuid.uuid4().hex[:12]}" if call_id is None else call_id
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _usage(usage: Mapping[str, int]) -> dict[str, Any]:
    return {
        "prompt_tokens": usage["input"],
        "completion_tokens": usage["output"],
        "total_tokens": usage["input"] + usage["output"],
        "prompt_tokens_details": {"cached_tokens": usage["cached"]},
        "completion_tokens_details": {"reasoning_tokens": usage["reasoning"]},
    }


def _data(value: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
