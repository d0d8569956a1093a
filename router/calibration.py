"""Finds threshold and ratio of a model on labelled queries, and judges them on others."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean

from router.cases import Case
from router.evaluation import run
from router.fusion import Policy
from router.router import Router

_THRESHOLDS = [round(0.05 * i, 2) for i in range(1, 13)]
_RATIOS = [0.35, 0.45, 0.55, 0.65]
_ROOM = 6.0
_TALK = 0.5


@dataclass(frozen=True)
class Figures:
    """What a policy reaches on some cases."""

    recall: float
    subset: float
    talk: float
    forbidden: float

    @property
    def worth(self) -> float:
        """Recall, less what is paid for large subsets, for offers to small talk and for forbidden tools."""
        crowd = 0.02 * self.subset + 0.1 * max(0.0, self.subset - _ROOM)
        return self.recall - crowd - 0.2 * max(0.0, self.talk - _TALK) - self.forbidden


def split(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    """Two halves by a hash of the query, the same on every machine."""
    halves: tuple[list[Case], list[Case]] = [], []
    for case in cases:
        halves[hashlib.sha256(case.query.encode()).digest()[0] % 2].append(case)
    return halves


def calibrate(router: Router, cases: Sequence[Case]) -> Policy:
    """The policy of most worth on these cases; the router goes on with it."""
    policies = [replace(router.policy, threshold=t, ratio=r) for t, r in product(_THRESHOLDS, _RATIOS)]
    best = max(policies, key=lambda policy: judge(router, cases, policy).worth)
    router.policy = best
    return best


def judge(router: Router, cases: Sequence[Case], policy: Policy) -> Figures:
    """What the policy reaches on these cases."""
    router.policy = policy
    outcomes = run(router, cases)
    inside = [o for o in outcomes if o.case.needed]
    return Figures(
        recall=_mean([not o.missing for o in inside]),
        subset=_mean([len(o.offered) for o in inside]),
        talk=_mean([len(o.offered) for o in outcomes if not o.case.needed]),
        forbidden=_mean([bool(o.harmful) for o in outcomes if o.case.forbidden]),
    )


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 4) if values else 0.0
