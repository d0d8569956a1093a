"""Whether a query is about the work of a catalogue at all, or about the weather."""

from collections.abc import Sequence

import numpy as np

from router.fusion import Policy, Scores
from router.keywords import KeywordTier
from router.lexicon import Lexicon
from router.reading import Part, Reading

NAMES = ("best", "talk", "nearer", "plain", "outside", "outside_only", "known", "one")
_STEPS, _RATE, _SHRINK = 3000, 0.3, 1e-3
_PRICE = 0.2  # of letting talk pass, against that of losing work


class Scope:
    """Tells work from talk by a logistic model of a few features."""

    def __init__(self, keywords: KeywordTier, lexicon: Lexicon):
        self._keywords, self._lexicon = keywords, lexicon

    def features(self, reading: Reading, parts: Sequence[Part], scores: Scores) -> np.ndarray:
        """The values that `NAMES` lists: the best score; nearness to everyday talk and how much more than to
        any tool; coverage of a phrase that says what to do with what; words of everyday life, and without a
        thing of the catalogue; the share of words that the catalogue knows."""
        outside = max(part.outside for part in parts)
        about = any(part.about for part in parts)
        talk = float(scores.talk[0])
        return np.array(
            [
                scores.fused.max(),
                talk,
                talk - scores.meaning.max(),
                scores.plain.max(),
                outside,
                outside * (not about),
                self._known(reading),
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


def fit(features: np.ndarray, work: np.ndarray) -> tuple[tuple[float, ...], float]:
    """Weights by logistic regression, talk weighing as much as work, and the log-odds from which a query is work."""
    weights = np.zeros(features.shape[1])
    balance = np.where(work, 1.0 / max(work.sum(), 1), 1.0 / max((~work).sum(), 1))
    balance /= balance.sum()
    for _ in range(_STEPS):
        odds = 1.0 / (1.0 + np.exp(-features @ weights))
        weights -= _RATE * (features.T @ (balance * (odds - work)) + _SHRINK * weights)
    weights = weights.round(3)
    odds = features @ weights
    at = min(np.sort(odds), key=lambda x: (odds[work] < x).mean() + _PRICE * (odds[~work] >= x).mean())
    return tuple(map(float, weights)), float(np.floor(100 * at) / 100)
