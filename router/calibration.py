"""Finds what a model's scores are worth on labelled queries, and judges them on others."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean

import numpy as np

from router.cases import Case
from router.embedder import Embedder
from router.evaluation import run
from router.fusion import Policy
from router.router import Router
from router.scope import balance, fit

_THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.3)
_RATIOS = (0.4, 0.46, 0.52, 0.58, 0.64)
_PHRASES = (0.5, 1.0)
_ROOM = 5.2
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
        crowd = 0.0005 * self.subset + 0.1 * max(0.0, self.subset - _ROOM)
        return self.recall - crowd - 0.2 * max(0.0, self.talk - _TALK) - self.forbidden


Sample = tuple[Router, Sequence[Case]]


def split(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    """Two halves by a hash of the query, the same on every machine."""
    halves: tuple[list[Case], list[Case]] = [], []
    for case in cases:
        halves[hashlib.sha256(case.query.encode()).digest()[0] % 2].append(case)
    return halves


def calibrate(samples: Sequence[Sample]) -> Policy:
    """The policy of most worth on these samples, each weighing the same; their routers go on with it."""
    scoped = _with_scope(samples)
    best = _best([replace(scoped, threshold=t, ratio=r) for t, r in product(_THRESHOLDS, _RATIOS)], samples)
    best = _best([replace(best, phrase=phrase) for phrase in _PHRASES], samples)
    for router, _ in samples:
        router.policy = best
    return best


def _best(policies: Sequence[Policy], samples: Sequence[Sample]) -> Policy:
    return max(policies, key=lambda policy: fmean(judge(*sample, policy).worth for sample in samples))


def _with_scope(samples: Sequence[Sample]) -> Policy:
    """The policy with the scope learned from these samples, if they hold both work and talk."""
    seen = [_scope_of(*sample) for sample in samples]
    features, work = (np.concatenate(column) for column in zip(*seen, strict=True))
    policy = samples[0][0].policy
    if work.all() or not work.any():
        return policy
    weights, at = fit(features, work, np.concatenate([balance(sample) for _, sample in seen]))
    return replace(policy, scope=weights, scope_at=at)


def _scope_of(router: Router, cases: Sequence[Case]) -> tuple[np.ndarray, np.ndarray]:
    """Features of the queries that are decided by them, and which of these are work."""
    seen = [(router.scope_features(case.query, case.recent), bool(case.needed)) for case in cases]
    known = [(features, work) for features, work in seen if features is not None]
    return np.array([features for features, _ in known]), np.array([work for _, work in known], dtype=bool)


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


class Remembering:
    """An embedder that encodes each text once: a calibration asks for the same queries many times."""

    def __init__(self, embedder: Embedder):
        self._embedder, self._known = embedder, dict[str, np.ndarray]()
        self.id = embedder.id

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See `Embedder.encode`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.encode(new), strict=True))
        return np.array([self._known[text] for text in texts])
