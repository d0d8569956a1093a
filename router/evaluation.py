"""How well a router serves labelled queries."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, Protocol

from router.cases import Case
from router.entry import Selection
from router.router import Router

_RECALL_AT = (1, 3, 5)


@dataclass(frozen=True)
class Outcome:
    """What a router offered for a case."""

    case: Case
    selection: Selection

    @property
    def offered(self) -> frozenset[str]:
        """The offered subset."""
        return frozenset(self.selection.tools)

    @property
    def missing(self) -> frozenset[str]:
        """Needed tools that were not offered."""
        return self.case.needed - self.offered

    @property
    def harmful(self) -> frozenset[str]:
        """Forbidden tools that were offered."""
        return self.case.forbidden & self.offered

    @property
    def good(self) -> bool:
        """Everything needed, nothing forbidden, and nothing at all out of scope."""
        return not self.missing and not self.harmful and (bool(self.case.needed) or not self.offered)

    def recall_at(self, k: int) -> float:
        """Share of the needed tools among the first k of the ranking, near misses included."""
        ranked = [choice.tool for choice in (*self.selection.choices, *self.selection.below)]
        return len(self.case.needed & set(ranked[:k])) / len(self.case.needed)


class Selects(Protocol):
    """Whatever chooses tools for a query."""

    def select(self, query: str, recent: Sequence[Sequence[str]] = ()) -> Selection:
        """Tools for a query after the tools of the last turns."""
        ...


def run(router: Selects, cases: Sequence[Case]) -> list[Outcome]:
    """One selection for each case."""
    return [Outcome(case, router.select(case.query, case.recent)) for case in cases]


def evaluate(router: Router, cases: Sequence[Case]) -> dict[str, Any]:
    """Figures over labelled queries, with the milliseconds of the first selection and of a warm one (median)."""
    started = time.perf_counter()
    router.select(cases[0].query, cases[0].recent)
    cold = time.perf_counter() - started
    return {
        **figures(run(router, cases)),
        "ms_cold": round(1000 * cold, 3),
        "ms_warm": round(1000 * _warm(router, cases), 3),
    }


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares from 0 to 1 and mean sizes of the offered subset; None where nothing applies."""
    inside = [o for o in outcomes if o.case.needed]
    risky = [o for o in outcomes if o.case.forbidden]
    return {
        "queries": len(outcomes),
        "all_needed_recall": _mean([not o.missing for o in inside]),
        "recall_at": {str(k): _mean([o.recall_at(k) for o in inside]) for k in _RECALL_AT},
        "mean_subset_in_scope": _mean([len(o.offered) for o in inside]),
        "mean_subset_out_of_scope": _mean([len(o.offered) for o in outcomes if not o.case.needed]),
        "forbidden_offered": _mean([bool(o.harmful) for o in risky]),
        "by_kind": _by(outcomes, lambda case: case.kind),
        "by_lang": _by(outcomes, lambda case: case.lang),
    }


def _warm(router: Router, cases: Sequence[Case]) -> float:
    times = []
    for case in cases:
        started = time.perf_counter()
        router.select(case.query, case.recent)
        times.append(time.perf_counter() - started)
    return median(times)


def _by(outcomes: Sequence[Outcome], group: Callable[[Case], str]) -> dict[str, dict[str, float | int | None]]:
    """Recall and subset size for each group, out of scope queries counted in the size alone."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(group(outcome.case), []).append(outcome)
    return {
        name: {
            "all_needed_recall": _mean([not o.missing for o in found if o.case.needed]),
            "mean_subset": _mean([len(o.offered) for o in found]),
            "queries": len(found),
        }
        for name, found in sorted(groups.items())
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 4) if values else None
