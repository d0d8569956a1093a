"""What the model wants to do next: a call, a question; and what became of a wish."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from agent.demo.clauses import Clause
from agent.demo.language import Lang
from agent.demo.memory import Memory
from agent.demo.results import Result
from agent.demo.schemas import Tool

Kind = Literal["done", "none", "failed", "denied", "stopped", "cannot", "many", "skipped", "how", "unsure"]


@dataclass(frozen=True)
class Call:
    """A tool call that is wanted."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class Option:
    """A choice of a question: what the person reads and what it stands for."""

    label: str
    value: Any


@dataclass(frozen=True)
class Ask:
    """A question to the person, with answers to pick from; `free` when other words are an answer too."""

    question: str
    options: Sequence[Option] = ()
    free: bool = True


Step = Call | Ask
Script = Generator[Sequence[Step], list[Result], "Outcome"]


@dataclass(frozen=True)
class Goal:
    """One wish: a tool, the clause that asks for it, and the clauses before it; `how` when it only asks how to."""

    tool: str
    clause: Clause
    before: tuple[Clause, ...] = ()
    after: bool = False
    args: Mapping[str, Any] = field(default_factory=dict)
    how: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a wish. `subject` is what was looked for, as the person named it."""

    kind: Kind
    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    result: Result | None = None
    subject: str = ""
    more: Sequence[tuple[Mapping[str, Any], Result]] = ()


def ended(tool: str, args: Mapping[str, Any], result: Result, subject: str = "") -> Outcome:
    """The outcome of a call by its result."""
    kind = "done" if result.ok else "denied" if result.denied else "failed"
    return Outcome(kind, tool, args, result, subject)


class Stop(Exception):  # noqa: N818 - it ends a script, nothing went wrong
    """Ends a script with an outcome."""

    def __init__(self, outcome: Outcome):
        super().__init__(outcome.kind)
        self.outcome = outcome


@dataclass(frozen=True)
class Desk:
    """What a script has at hand: the bound tools in the router's order, the conversation, the day, the language."""

    tools: Mapping[str, Tool]
    memory: Memory
    today: date
    lang: Lang

    @property
    def in_latin(self) -> bool:
        """Whether the person writes Russian in Latin letters."""
        return self.lang == "ru" and self.memory.text.isascii()

    def say(self, en: str, ru: str) -> str:
        """The text in the person's language."""
        return ru if self.lang == "ru" else en
