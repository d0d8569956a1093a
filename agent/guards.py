"""The limits of a run, and the rules that end one that goes in circles."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from agent.calls import mark, rounds

REPEATS = 3
FAULTS = 2
Reason = Literal["steps", "loop", "faults"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one run may take. Times are in seconds, sizes in tokens unless they say otherwise."""

    max_output_tokens: int = 8_192
    retries: int = 2
    retry_after: float = 30.0
    retry_budget: float = 60.0
    backoff: float = 0.5
    first_token: float = 60.0
    between_tokens: float = 30.0
    request: float = 120.0
    run: float = 600.0
    notice_after: float = 5.0
    merge: float = 0.05
    steps: int = 30
    calls: int = 20
    pending: int = 3
    rounds: int = 3
    context: int = 40_000
    result_chars: int = 25_000
    window_turns: int = 10


def spent(turn: Sequence[BaseMessage], limits: Limits) -> Reason | None:
    """Why this turn gets no more tools, if it does not: too many steps, a loop, or a fault that keeps coming back."""
    if sum(isinstance(m, AIMessage) for m in turn) >= limits.steps:
        return "steps"
    faults = Counter(fault for _, answers in rounds(turn) for fault in _faults(answers.values()))
    if any(fault == "loop" for fault, _ in faults):
        return "loop"
    return "faults" if any(count > FAULTS for count in faults.values()) else None


def _faults(answers: Iterable[ToolMessage]) -> set[tuple[str, str]]:
    """(fault, tool) of one round of calls; invented names are one and the same fault."""
    found = {(fault, answer.name or "") for answer in answers if (fault := mark(answer, "fault"))}
    return {(fault, "" if fault == "unknown_tool" else tool) for fault, tool in found}
