"""What the conversation holds: the calls of this turn with their results, and what earlier turns were about."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agent.demo.results import Result, read_result
from agent.demo.schemas import Tool, without_defaults

_THING_OF_TOOL = {
    "dashboard": "dashboard", "dashboards": "dashboard", "dataset": "dataset", "datasets": "dataset",
    "backup": "backup", "backups": "backup", "task": "task", "tasks": "task", "changes": "commit", "commit": "commit",
    "users": "user", "role": "user", "document": "document", "attachment": "attachment", "patch": "document",
    "maintenance": "maintenance",
}  # fmt: skip


@dataclass(frozen=True)
class Done:
    """A call that was made, and what came back; None while nothing did."""

    tool: str
    args: Mapping[str, Any]
    result: Result | None


@dataclass(frozen=True)
class Memory:
    """A conversation as a model sees it: the person's last message, the one before, the calls of both times."""

    text: str
    before: str = ""
    turn: tuple[Done, ...] = ()
    earlier: tuple[Done, ...] = ()
    adopted: Mapping[str, Result] = field(default_factory=dict)
    _focus: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    _listed: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)

    def result(self, tool: str, args: Mapping[str, Any]) -> Result | None:
        """The result of this exact call in this turn, or of the one that the person made of it."""
        wanted = fingerprint(tool, args)
        exact = (d.result for d in self.turn if d.result and fingerprint(d.tool, d.args) == wanted)
        return next(exact, self.adopted.get(wanted))

    def focus(self, thing: str) -> list[dict[str, Any]]:
        """What the last answers were about, by kind of thing: the items of a list, or the one object."""
        return self._focus.get(thing, [])

    def listed(self, thing: str) -> list[dict[str, Any]]:
        """The items of the last list of a kind of thing."""
        return self._listed.get(thing, [])

    def last(self, *tools: str) -> Done | None:
        """The newest earlier call that succeeded, of these tools or of any that is not always offered."""
        for done in reversed(self.earlier):
            if done.result and done.result.ok and (done.tool in tools or (not tools and done.tool not in ALWAYS)):
                return done
        return None


ALWAYS = frozenset({"show_capabilities", "ask_user_question", "find_tools"})


def fingerprint(tool: str, args: Mapping[str, Any]) -> str:
    """The same for the same call."""
    return f"{tool} {json.dumps(args, sort_keys=True, ensure_ascii=False, default=str)}"


def remember(messages: Sequence[BaseMessage], tools: Mapping[str, Tool]) -> Memory:
    """The memory of a conversation, up to its last message; calls are kept without arguments that are defaults."""
    start = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=None)
    if start is None:
        return Memory("")
    earlier = list(_calls(messages[:start], tools))
    focus, listed = _shown(earlier)
    before = next((m.text for m in reversed(messages[:start]) if isinstance(m, HumanMessage)), "")
    turn = tuple(_calls(messages[start:], tools))
    return Memory(messages[start].text, before, turn, tuple(earlier), _focus=focus, _listed=listed)


def _calls(messages: Sequence[BaseMessage], tools: Mapping[str, Tool]) -> Iterable[Done]:
    """The calls in order; an id that comes again belongs to the newest message that called it."""
    open_calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            open_calls |= {
                c["id"] or "": (c["name"], without_defaults(c["args"], tools.get(c["name"])))
                for c in message.tool_calls
            }
        elif isinstance(message, ToolMessage) and message.tool_call_id in open_calls:
            yield Done(*open_calls.pop(message.tool_call_id), read_result(message))
    for tool, args in open_calls.values():
        yield Done(tool, args, None)


def _shown(calls: Iterable[Done]) -> tuple[dict[str, list[dict[str, Any]]], dict[str, list[dict[str, Any]]]]:
    """The last things and the last lists that answers showed, by kind of thing."""
    focus: dict[str, list[dict[str, Any]]] = {}
    listed: dict[str, list[dict[str, Any]]] = {}
    for done in calls:
        thing = thing_of(done.tool)
        if thing and done.result and done.result.ok and (found := _objects(done.result)):
            focus[thing] = found
            if len(found) > 1:
                listed[thing] = found
    return focus, listed


def thing_of(tool: str) -> str:
    """The kind of thing that a tool is about, by the last part of its name that names one."""
    return next((_THING_OF_TOOL[p] for p in reversed(tool.split("_")) if p in _THING_OF_TOOL), "")


def _objects(result: Result) -> list[dict[str, Any]]:
    """The things that a result names, each with at least an id."""
    told = result.object
    if "commits" in told:
        return [c for c in told["commits"] if isinstance(c, dict)]
    if result.items:
        return result.items
    one = told.get("result") or told.get("resource") or told
    return [one] if isinstance(one, dict) and "id" in one else []
