"""History that every provider accepts, whatever happened to the run that wrote it.

Strict providers refuse a call without a result, a result without a call, a repeated call id, arguments that are not
JSON, an empty text, two messages of the person in a row, and a history that does not begin with the person.
"""

import re
from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from agent.models.words import whole_text

LOST = "No result: this call was interrupted. Its outcome is unknown; look up the current state before you repeat it."
SILENT = "(no answer)"
STOPPED = "(stopped by the person)"
EMPTY = "(empty)"


def repaired(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The same history with every call answered once, right behind it, under an id of its own.

    Pure; messages that need no change are returned as they are. A system message in front stays there.
    """
    results = _results(messages)
    seen: set[str] = set()
    out: list[BaseMessage] = []
    for at, message in enumerate(messages):
        if isinstance(message, SystemMessage):
            out += [message] if not out else []
        elif isinstance(message, HumanMessage):
            out += _between(out)
            out.append(_spoken(message))
        elif isinstance(message, AIMessage) and any(isinstance(m, HumanMessage) for m in out):
            out += _round(message, results.get(at, {}), seen)
    return out


def _results(messages: Sequence[BaseMessage]) -> dict[int, dict[str, ToolMessage]]:
    """Results by the place of the message that made the call; of two results for a call the later one counts."""
    found: dict[int, dict[str, ToolMessage]] = {}
    caller: dict[str, int] = {}
    for at, message in enumerate(messages):
        if isinstance(message, AIMessage):
            caller |= {call["id"] or "": at for call in (*message.tool_calls, *message.invalid_tool_calls)}
        elif isinstance(message, ToolMessage) and message.tool_call_id in caller:
            found.setdefault(caller[message.tool_call_id], {})[message.tool_call_id] = message
    return found


def _between(out: list[BaseMessage]) -> Iterator[BaseMessage]:
    """What stands between two messages of the person when nothing was answered."""
    if out and isinstance(out[-1], HumanMessage):
        yield AIMessage(SILENT)


def _spoken(message: HumanMessage) -> BaseMessage:
    return _worded(message, EMPTY)


def _worded(message: BaseMessage, otherwise: str) -> BaseMessage:
    """The message with a text that can be sent: not empty, no NUL, no half characters."""
    if not isinstance(message.content, str):
        return message
    text = whole_text(message.content)
    text = text if text.strip() else otherwise
    return message if text == message.content else message.model_copy(update={"content": text})


def _round(message: AIMessage, results: dict[str, ToolMessage], seen: set[str]) -> Iterator[BaseMessage]:
    """A message of the model and the results of its calls."""
    names = {call["id"] or "": call["name"] or "" for call in (*message.tool_calls, *message.invalid_tool_calls)}
    if not names:
        yield _answered(message)
        return
    ids = {old: _fresh(old, seen) for old in names}
    yield _calling(message, ids)
    for old, new in ids.items():
        yield _result(results.get(old), new, names[old])


def _answered(message: AIMessage) -> BaseMessage:
    if isinstance(message.content, list) and message.text.strip():
        return message
    bare = message if isinstance(message.content, str) else message.model_copy(update={"content": ""})
    return _worded(bare, STOPPED if message.response_metadata.get("finish") == "canceled" else SILENT)


def _fresh(old: str, seen: set[str]) -> str:
    new, n = old or "call", 1
    while new in seen:
        n += 1
        new = f"{old or 'call'}_{n}"
    seen.add(new)
    return new


def _calling(message: AIMessage, ids: dict[str, str]) -> BaseMessage:
    """The message with valid calls only; one that had to change loses the provider's own blocks."""
    sound = all(old == new for old, new in ids.items()) and not message.invalid_tool_calls
    if sound and all(_name(call["name"]) == call["name"] for call in message.tool_calls):
        return _worded(message, "")
    calls = [(call["name"], call["args"], call["id"]) for call in message.tool_calls]
    calls += [(call["name"], {}, call["id"]) for call in message.invalid_tool_calls]
    tool_calls = [ToolCall(name=_name(n), args=a, id=ids[i or ""], type="tool_call") for n, a, i in calls]
    changed = {"tool_calls": tool_calls, "invalid_tool_calls": [], "content": message.text}
    return _worded(message.model_copy(update=changed), "")


def _name(name: str | None) -> str:
    """A name that providers take (`^[a-zA-Z0-9_-]{1,64}$`), whatever the model invented."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name or "")[:64] or "unknown"


def _result(found: ToolMessage | None, call_id: str, name: str) -> BaseMessage:
    if found is None:
        return ToolMessage(LOST, tool_call_id=call_id, name=_name(name), status="error")
    bare = found if isinstance(found.content, str) else found.model_copy(update={"content": found.text})
    told = _worded(bare, EMPTY)
    return told if found.tool_call_id == call_id else told.model_copy(update={"tool_call_id": call_id})
