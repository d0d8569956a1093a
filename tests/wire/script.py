"""What the scripted model server says: replies in order, or replies chosen by rules."""

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

_WORD = re.compile(r"\s*\S+\s*$|\s*\S+|\s+$")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a reply. `args` is an object, or a string that is sent as it is (broken JSON, for example)."""

    name: str
    args: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None

    @property
    def raw(self) -> str:
        """The argument text as it goes over the wire."""
        return self.args if isinstance(self.args, str) else json.dumps(self.args, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the model, and the ways in which it may go wrong.

    `rate` is tokens a second (0: all at once), `wait` seconds before the first byte. `stall_after`, `cut_after`,
    `drop_after` and `error_after` count text, reasoning and argument pieces: then the stream stays silent until the
    client leaves, ends without a finish, breaks the connection, or sends an error event. `finish` is the finish reason
    ("stop", "tool_calls", "length", "content_filter"). `usage` has input, cached, output, reasoning; None computes
    plausible numbers and False sends none. A `status` other than 200 answers with `error` and `headers`.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    reasoning_as: str = "reasoning_content"
    refusal: str = ""
    finish: str | None = None
    usage: Mapping[str, int] | bool | None = None
    rate: float = 0.0
    wait: float = 0.0
    stall_after: int | None = None
    cut_after: int | None = None
    drop_after: int | None = None
    error_after: int | None = None
    status: int = 200
    error: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, value: "Reply | str | Mapping[str, Any]") -> Self:
        """A reply from its JSON form; a plain string is a text reply. Raises `ValueError` on unknown keys."""
        if isinstance(value, Reply):
            return value  # type: ignore[return-value]
        if isinstance(value, str):
            return cls(text=value)
        unknown = set(value) - {f.name for f in fields(cls)}
        if unknown:
            raise ValueError(f"unknown keys in a reply: {sorted(unknown)}")
        calls = tuple(c if isinstance(c, ToolCall) else ToolCall(**c) for c in value.get("calls", ()))
        return cls(**{**value, "calls": calls})

    @property
    def finish_reason(self) -> str:
        """The reason that is sent when the stream ends well."""
        return self.finish or ("tool_calls" if self.calls else "stop")

    def pieces(self) -> list[str]:
        """The text in the pieces in which it is streamed: words with the space before them."""
        return _WORD.findall(self.text)


def overflow() -> Reply:
    """The answer of a provider to a request that does not fit its window."""
    message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    error = {"code": "context_length_exceeded", "type": "invalid_request_error", "param": "messages"}
    return Reply(status=400, error={"message": message, **error})


@dataclass(slots=True)
class Rule:
    """A reply for a situation: patterns are searched in the last user text and in the last tool result.

    A rule with `tool` fits only when the request ends with tool results, a rule without it only when it does not.
    Strings of the reply may name groups of the `tool` (else the `user`) pattern as `\\g<name>`. A rule is used up
    after `times` replies.
    """

    reply: Reply
    user: str | None = None
    tool: str | None = None
    times: int | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """A rule from its JSON form `{"user", "tool", "times", "reply"}`."""
        return cls(**{**value, "reply": Reply.of(value["reply"])})

    def answer(self, user: str, tool: str | None) -> Reply | None:
        """The reply, or None when the rule does not fit."""
        if self.times == 0 or (self.tool is None) != (tool is None):
            return None
        said = re.search(self.user or "", user, re.I | re.S)
        came = re.search(self.tool, tool, re.I | re.S) if self.tool is not None and tool is not None else said
        if said is None or came is None:
            return None
        self.times = None if self.times is None else self.times - 1
        return _fill(self.reply, came)


def _fill(reply: Reply, found: re.Match[str]) -> Reply:
    calls = tuple(replace(c, args=_expand(c.args, found)) for c in reply.calls)
    return replace(reply, text=_expand(reply.text, found), calls=calls)


def _expand(value: Any, found: re.Match[str]) -> Any:
    if isinstance(value, str):
        return found.expand(value) if "\\g<" in value else value
    if isinstance(value, Mapping):
        return {key: _expand(item, found) for key, item in value.items()}
    return [_expand(item, found) for item in value] if isinstance(value, list) else value


@dataclass
class Script:
    """Replies that are given once, in order, then the rules, then the reply for everything else."""

    replies: deque[Reply] = field(default_factory=deque)
    rules: list[Rule] = field(default_factory=list)
    otherwise: Reply | None = None

    def load(self, value: Mapping[str, Any]) -> None:
        """Add from the JSON form `{"replies": [...], "rules": [...], "otherwise": {...}}`."""
        self.push(*value.get("replies", ()))
        self.rules += [Rule.of(rule) for rule in value.get("rules", ())]
        if "otherwise" in value:
            self.otherwise = Reply.of(value["otherwise"])

    def push(self, *replies: Reply | str | Mapping[str, Any]) -> None:
        """Add replies that are given once, in this order."""
        self.replies += [Reply.of(reply) for reply in replies]

    def clear(self) -> None:
        """Forget everything."""
        self.replies.clear()
        self.rules.clear()
        self.otherwise = None

    def next(self, user: str, tool: str | None) -> Reply:
        """The reply to a request; an exhausted script answers 500 so that a test sees it."""
        if self.replies:
            return self.replies.popleft()
        fitting: Iterable[Reply | None] = (rule.answer(user, tool) for rule in self.rules)
        found = next((reply for reply in fitting if reply is not None), self.otherwise)
        return found or Reply(status=500, error={"message": "the script has no reply for this request"})
