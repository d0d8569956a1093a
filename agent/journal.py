"""One log line for each model request (`agent.step`), each call (`agent.tool`) and the end of a turn (`agent.turn`)."""

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from agent import metrics
from agent.steps import ModelEnded, ModelStarted, Offered, Step, ToolEnded
from store.turns import Turn

log = logging.getLogger("agent")


class Trace(Protocol):
    """Follows one drive of a turn; see `agent/traces.py`."""

    def note(self, step: Step) -> None:
        """A step came to its end."""
        ...

    def end(self, state: str, error: Mapping[str, Any] | None) -> None:
        """The turn ended."""
        ...

    def close(self) -> None:
        """The turn is driven no further here."""
        ...


class Untraced:
    """Follows nothing."""

    def note(self, step: Step) -> None:
        """Nobody is told."""

    def end(self, state: str, error: Mapping[str, Any] | None) -> None:
        """Nobody is told."""

    def close(self) -> None:
        """Nothing is left to send."""


class Traces(Protocol):
    """What follows turns (`agent/traces.py`)."""

    def of(self, turn: Turn) -> Trace:
        """A trace of one drive of this turn."""
        ...

    def close(self) -> None:
        """Send what is left; may block."""
        ...


class NoTraces:
    """Follows no turn."""

    def of(self, turn: Turn) -> Trace:
        """Nothing is kept of it."""
        return Untraced()

    def close(self) -> None:
        """There is nothing to send."""


class Journal:
    """The lines of one driven turn. Times are in milliseconds; what was said is in fields that a log may leave out."""

    def __init__(self, turn: Turn, trace: Trace):
        self._trace = trace
        self._ids = {
            "turn_id": str(turn.id),
            "conversation_id": str(turn.conversation_id),
            "tenant": turn.tenant,
            "attempt": turn.attempt,
        }
        self._step = 0
        self._sent = 0
        self._offered: list[dict[str, Any]] | None = None

    def note(self, step: Step) -> None:
        """Write a line for a step that came to its end."""
        self._trace.note(step)
        match step:
            case Offered(choices):
                self._offered = [dict(choice) for choice in choices]
            case ModelStarted():
                self._step += 1
                self._sent = step.input
            case ModelEnded():
                self._write("agent.step", self._of_model(step), failed=step.finish == "failed")
            case ToolEnded():
                self._write("agent.tool", _of_tool(step), failed=not step.ok)

    def end(self, state: str, error: Mapping[str, Any] | None) -> None:
        """Write the line of the turn's end."""
        self._trace.end(state, error)
        told = {"outcome": state, "steps": self._step, **(error or {})}
        self._write("agent.turn", told, failed=state == "failed")

    def close(self) -> None:
        """The turn is driven no further here."""
        self._trace.close()

    def _of_model(self, step: ModelEnded) -> dict[str, Any]:
        used = step.usage
        tokens = {} if used is None else {
            "input_tokens": used.input,
            "cached_tokens": used.cached,
            "reasoning_tokens": used.reasoning,
            "output_tokens": used.output,
            "estimated": used.estimated,
        }  # fmt: skip
        return {
            "step": self._step,
            "step_key": step.key,
            "model": step.model,
            "outcome": step.finish,
            "code": step.error,
            "duration_ms": _ms(step.duration),
            "first_token_ms": _ms(step.first_token),
            "sent_tokens": self._sent,
            **tokens,
            "offered": self._offered,
        }

    def _write(self, event: str, told: Mapping[str, Any], *, failed: bool) -> None:
        metrics.count(event, told)
        known = {name: value for name, value in told.items() if value is not None}
        log.log(logging.WARNING if failed else logging.INFO, event, extra={**self._ids, **known})


def _of_tool(step: ToolEnded) -> dict[str, Any]:
    return {
        "call_key": step.key,
        "tool": step.tool,
        "effect": str(step.effect),
        "outcome": "ok" if step.ok else "failed",
        "code": (step.error or {}).get("code"),
        "duration_ms": _ms(step.duration),
        "approval_id": step.approval_id,
        "arguments": dict(step.args),
        "summary": step.summary,
    }


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
