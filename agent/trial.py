"""Labelled queries put to the router by an admin: how many it serves, and which it misses."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from agent.routing import Selector
from router.cases import BadLine, read_lines
from router.evaluation import Outcome, figures, run

MOST = 1000


@dataclass(frozen=True, slots=True)
class Miss:
    """A query that was not served: needed tools that it was not offered, forbidden ones that it was."""

    line: int
    query: str
    kind: str
    missing: list[str]
    harmful: list[str]
    offered: list[str]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. `figures` are those of `router.evaluation`; with bad lines, or too many queries, nothing ran."""

    figures: dict[str, Any]
    misses: Sequence[Miss]
    bad: Sequence[BadLine]
    queries: int


def attempt(selector: Selector, tools: Collection[str], text: str) -> Trial:
    """Route every query of a labelled text, one JSON object a line; takes milliseconds a query and runs no tool."""
    cases, bad = read_lines(text, tools)
    if bad or not 0 < len(cases) <= MOST:
        return Trial({}, (), bad, len(cases))
    outcomes = run(selector, list(cases.values()))
    misses = [_miss(line, outcome) for line, outcome in zip(cases, outcomes, strict=True) if not outcome.good]
    return Trial(figures(outcomes), misses, (), len(cases))


def _miss(line: int, outcome: Outcome) -> Miss:
    asked, offered = outcome.case, list(outcome.selection.tools)
    return Miss(line, asked.query, asked.kind, sorted(outcome.missing), sorted(outcome.harmful), offered)
