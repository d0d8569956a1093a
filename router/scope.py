"""Whether a query is about the work of a catalogue at all, or about the weather."""

from collections.abc import Sequence

import numpy as np

from router.fusion import Policy, Scores
from router.keywords import KeywordTier
from router.lexicon import Lexicon
from router.reading import Part, Reading

NAMES = ("best", "talk", "nearer", "plain", "outside", "outside_only", "known", "above", "one")
_STEPS, _RATE, _SHRINK = 3000, 0.3, 1e-3
_PRICE = 0.2  # of letting talk pass, against that of losing work


class Scope:
    """Tells work from talk by a logistic model of a few features."""

    def __init__(self, keywords: KeywordTier, lexicon: Lexicon):
        self._keywords, self._lexicon = keywords, lexicon

    def features(self, reading: Reading, parts: Sequence[Part], scores: Scores) -> np.ndarray:
        """The values that `NAMES` lists: the best score; nearness to everyday talk and how much more than to
        any tool; coverage of a phrase that says what to do with what; words of everyday life, and without a
        thing of the catalogue; the share of words that the catalogue knows; how far the nearest tool stands above
        what the catalogue as a whole reaches."""
        outside = max(part.outside for part in parts)
        about = any(part.about for part in parts)
        talk, near = float(scores.talk[0]), scores.meaning[0]
        return np.array(
            [
                scores.fused.max(),
                talk,
                talk - scores.meaning.max(),
                scores.plain.max(),
                outside,
                outside * (not about),
                self._known(reading),
                near.max() - near.mean(),
                1.0,
            ]
        )

    def _known(self, reading: Reading) -> float:
        telling = [w for w in reading.words if not w.shape and w.meant not in self._lexicon.stop]
        known = sum(any(map(self._keywords.knows, w.terms)) for w in telling)
        return known / len(telling) if telling else 0.0


def inside(features: np.ndarray, policy: Policy) -> bool:
    """Whether the query is work; without weights everything is."""
    return not policy.scope or float(features @ np.array(policy.scope)) >= policy.scope_at


def balance(work: np.ndarray) -> np.ndarray:
    """What each query of a sample weighs: talk as much as work, and every sample the same."""
    return np.where(work, 0.5 / max(work.sum(), 1), 0.5 / max((~work).sum(), 1))


def fit(features: np.ndarray, work: np.ndarray, weight: np.ndarray) -> tuple[tuple[float, ...], float]:
    """Weights by logistic regression, and the log-odds from which a query is work; queries weigh as `balance` says."""
    weights, weight = np.zeros(features.shape[1]), weight / weight.sum()
    for _ in range(_STEPS):
        odds = 1.0 / (1.0 + np.exp(-features @ weights))
        weights -= _RATE * (features.T @ (weight * (odds - work)) + _SHRINK * weights)
    weights = weights.round(3)
    odds = features @ weights
    cost = np.where(work, weight, _PRICE * weight)
    at = min(np.sort(odds), key=lambda x: (cost * ((odds < x) == work)).sum())
    return tuple(map(float, weights)), float(np.floor(100 * at) / 100)
