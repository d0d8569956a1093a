"""Fewer, larger events: token deltas that arrived together become one before the SDK parses and wraps each.

Nearly all of a token's cost is the SDK's and LangChain's work per event, so merging happens on the bytes of the
response. Events that are not plain deltas pass unchanged and in order.
"""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2

from agent.models.pace import Pace

_CHAT_TEXT = ("content", "reasoning_content", "reasoning", "refusal")
_PLACE = ("type", "item_id", "output_index", "content_index", "summary_index")


def merging_hook(every: float) -> Any:
    """A response hook for the SDK's HTTP client; `every` is in seconds."""

    async def merge(response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "")
        if kind.startswith("text/event-stream") and "content-encoding" not in response.headers:
            response.stream = MergedStream(response.stream, every)  # type: ignore[arg-type]

    return merge


class MergedStream(httpx2.AsyncByteStream):
    """The response's bytes with neighbouring deltas merged. A second reader goes on where the first stopped."""

    def __init__(self, stream: httpx2.AsyncByteStream, every: float):
        self._stream = stream
        self._every = every
        self._pace: Pace[bytes] | None = None
        self._rest = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._pace = self._pace or Pace(aiter(self._stream), self._every)
        while parts := await self._pace.take():
            *events, self._rest = (self._rest + b"".join(parts)).replace(b"\r\n", b"\n").split(b"\n\n")
            if events:
                yield b"".join(merged(events))
        rest, self._rest = self._rest, b""
        if rest:
            yield rest

    async def aclose(self) -> None:
        """Close the connection or give it back."""
        if self._pace:
            await self._pace.aclose()
        await self._stream.aclose()


class _Delta:
    """One event that only adds text, where it adds it (`place`), and the object that holds the text."""

    __slots__ = ("event", "field", "head", "holder", "place")

    def __init__(self, head: bytes, event: dict[str, Any], place: tuple, holder: dict[str, Any], field: str):
        self.head, self.event, self.place, self.holder, self.field = head, event, place, holder, field

    @classmethod
    def of(cls, raw: bytes) -> "_Delta | None":
        """The delta in an event, or None when it says anything else as well."""
        head, marker, data = raw.rpartition(b"data: ")
        if not marker or b"\n" in data or b"data:" in head or data.startswith(b"["):
            return None
        try:
            event = json.loads(data)
        except ValueError:
            return None
        if not isinstance(event, dict):
            return None
        if isinstance(event.get("delta"), str) and str(event.get("type", "")).endswith(".delta"):
            return cls(head, event, tuple(event.get(key) for key in _PLACE), event, "delta")
        return _chat_delta(head, event)


def merged(events: list[bytes]) -> Iterator[bytes]:
    """The events, ending in a blank line each, with runs of deltas for the same place joined."""
    run: list[tuple[bytes, _Delta]] = []
    for event in events:
        delta = _Delta.of(event) if len(events) > 1 else None
        if run and (delta is None or delta.place != run[0][1].place):
            yield _joined(run)
            run = []
        if delta is None:
            yield event + b"\n\n"
        else:
            run.append((event, delta))
    if run:
        yield _joined(run)


def _joined(run: list[tuple[bytes, _Delta]]) -> bytes:
    event, first = run[0]
    if len(run) == 1:
        return event + b"\n\n"
    first.holder[first.field] = "".join(delta.holder[delta.field] for _, delta in run)
    return first.head + b"data: " + json.dumps(first.event).encode() + b"\n\n"


def _chat_delta(head: bytes, event: dict[str, Any]) -> _Delta | None:
    choices = event.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or event.get("usage") or event.get("error"):
        return None
    choice = choices[0]
    delta = choice.get("delta")
    if not isinstance(delta, dict) or choice.get("finish_reason") or choice.get("logprobs"):
        return None
    said = {key: value for key, value in delta.items() if key != "role" and value is not None}
    if len(said) != 1:
        return None
    key, value = said.popitem()
    if key in _CHAT_TEXT and isinstance(value, str):
        return _Delta(head, event, (key, choice.get("index")), delta, key)
    return _argument_delta(head, event, value) if key == "tool_calls" else None


def _argument_delta(head: bytes, event: dict[str, Any], calls: Any) -> _Delta | None:
    """A piece of one call's arguments: no id, no name, nothing but text."""
    if not isinstance(calls, list) or len(calls) != 1 or calls[0].get("id"):
        return None
    function = calls[0].get("function") or {}
    if function.get("name") or not isinstance(function.get("arguments"), str):
        return None
    return _Delta(head, event, ("tool_calls", calls[0].get("index")), function, "arguments")
