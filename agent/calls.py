"""The calls of a conversation: their keys, which are open, and how each is answered."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

SHOW = "show_capabilities"
ASK = "ask_user_question"
FIND = "find_tools"
DENIED = "denied"


class OpenCall(TypedDict):
    """A call without an answer. `route` names the graph's node for it."""

    key: str
    call_id: str
    name: str
    args: dict[str, Any]
    route: str


def key_of(message: AIMessage, call_id: str | None) -> str:
    """Unique in the conversation, also when a provider repeats call ids."""
    return f"{message.id}:{call_id}"


def turn_of(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """The messages of the last turn, beginning with the person's."""
    start = next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], HumanMessage)), 0)
    return messages[start:]


def open_calls(messages: Sequence[BaseMessage]) -> list[OpenCall]:
    """The calls of the model's last message of this turn that have no answer yet, in order."""
    turn = turn_of(messages)
    at = next((i for i in range(len(turn) - 1, -1, -1) if isinstance(turn[i], AIMessage)), None)
    if at is None:
        return []
    message = turn[at]
    assert isinstance(message, AIMessage)
    answered = {m.tool_call_id for m in turn[at:] if isinstance(m, ToolMessage)}
    routes = message.additional_kwargs.get("routes", {})
    return [
        OpenCall(
            key=key_of(message, call["id"]),
            call_id=call["id"] or "",
            name=call["name"],
            args=call["args"],
            route=routes.get(call["id"], "execute"),
        )
        for call in message.tool_calls
        if call["id"] not in answered
    ]


def answer(
    key: str, call_id: str, name: str, content: str, *, ok: bool = True, artifact: Mapping[str, Any] | None = None
) -> ToolMessage:
    """The one answer to a call; answering again replaces it. `artifact` stays here and is never sent to a model."""
    return ToolMessage(
        content,
        tool_call_id=call_id,
        name=name,
        id=f"tm_{key}",
        status="success" if ok else "error",
        artifact=dict(artifact) if artifact else None,
    )


def fingerprint(name: str, args: Mapping[str, Any]) -> str:
    """The same for the same tool with the same arguments."""
    return f"{name} {json.dumps(args, sort_keys=True, ensure_ascii=False)}"


def rounds(turn: Sequence[BaseMessage]) -> Iterator[tuple[AIMessage, dict[str, ToolMessage]]]:
    """The model's messages of a turn, each with the answers to its calls by call id."""
    message: AIMessage | None = None
    answers: dict[str, ToolMessage] = {}
    for later in turn:
        if isinstance(later, ToolMessage):
            answers[later.tool_call_id] = later
        elif isinstance(later, AIMessage):
            if message is not None:
                yield message, answers
            message, answers = later, {}
    if message is not None:
        yield message, answers


def made(turn: Sequence[BaseMessage]) -> Iterator[tuple[str, str, ToolMessage | None]]:
    """(tool, fingerprint, answer) of each call of a turn, in order."""
    for message, answers in rounds(turn):
        for call in message.tool_calls:
            yield call["name"], fingerprint(call["name"], call["args"]), answers.get(call["id"] or "")


def mark(message: ToolMessage | None, name: str) -> Any:
    """What an answer was marked with: `fault`, `outcome`, `offered` or `snapshot`."""
    artifact = message.artifact if message is not None else None
    return artifact.get(name) if isinstance(artifact, Mapping) else None
