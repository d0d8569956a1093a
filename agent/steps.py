"""What the graph tells while it runs. `agent/transcript.py` folds these into what people see.

`key` names the model message a step belongs to; for a call it is the message's id and the call's id, which stays
unique when a provider repeats call ids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model request. `cached` is part of `input`, `reasoning` is part of `output`."""

    input: int = 0
    cached: int = 0
    reasoning: int = 0
    output: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
            self.output + other.output,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Offered:
    """The tools of this turn and why: `{"tool", "tier", "score", "words"}` each, best first."""

    choices: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ModelStarted:
    """A model request begins; it says anew what an unfinished earlier one said. `input` is an estimate in tokens."""

    key: str
    model: str
    input: int


@dataclass(frozen=True, slots=True)
class TokenText:
    """Words of the answer."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Words of the model's thinking."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelEnded:
    """A model request came to its end; `finish` is stop, tool_calls, length, canceled or failed. Times are in seconds.

    A request that failed has an `error` code, and no `usage` when nothing of an answer was heard.
    """

    key: str
    model: str
    usage: Usage | None
    finish: str
    duration: float
    first_token: float | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call begins to run, with validated arguments."""

    key: str
    call_id: str
    tool: str
    effect: str
    args: Mapping[str, Any]
    title: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A call came back. `error` has `code`, `title`, `detail` unless `ok`; a call may end without having started."""

    key: str
    call_id: str
    tool: str
    effect: str
    args: Mapping[str, Any]
    title: str
    ok: bool
    summary: str = ""
    data: Any = None
    error: Mapping[str, Any] | None = None
    duration: float | None = None
    approval_id: str | None = None
    undo: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know; `text` is in their language."""

    code: str
    text: str


Step = Offered | ModelStarted | TokenText | Reasoning | ModelEnded | ToolStarted | ToolEnded | Notice
