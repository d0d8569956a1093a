"""Both tiers in one score for each tool and each part of a query."""

from dataclasses import dataclass

import numpy as np

from router.keywords import KeywordTier
from router.meaning import MeaningTier
from router.reading import Part


@dataclass(frozen=True)
class Policy:
    """How scores become an offer. `python -m router calibrate` finds threshold and ratio for a model.

    threshold: least score of an offered tool. ratio: share of the best score that the others must reach.
    cap: most tools beside companions. phrase_half: strength of a phrase match that counts half.
    across: what a phrase is worth whose words stand in different clauses. act: how much of a phrase a
    danger tool needs covered, with its act among the words. sure: the nearness in meaning that replaces it.
    """

    threshold: float = 0.2
    ratio: float = 0.45
    cap: int = 6
    phrase_half: float = 2.5
    meaning: float = 0.5
    bag: float = 0.02
    across: float = 0.75
    aside: float = 0.1
    everyday: float = 0.5
    outside: float = 0.3
    thing: float = 0.5
    act: float = 0.7
    some: float = 0.45
    sure: float = 0.85
    covered: float = 0.75


@dataclass(slots=True)
class Scores:
    """One row a part, one column a tool: the fused score, and what it is made of."""

    fused: np.ndarray
    covered: np.ndarray
    acted: np.ndarray
    named: np.ndarray
    meaning: np.ndarray


def fuse(parts: list[Part], keywords: KeywordTier, meaning: MeaningTier | None, policy: Policy, everyday: bool) -> Scores:
    """Scores of all tools for the parts of a reading; parts that are everyday talk lose."""
    words = keywords.score([part.terms for part in parts])
    worth = np.array([[policy.across if len(parts) > 1 and not i else 1.0] for i in range(len(parts))])
    asked = worth * np.array([[float(part.asked)] for part in parts])
    phrase = words.phrase * worth
    near, nearer = _nearness(parts, meaning, keywords.size)
    lost = policy.everyday * nearer * everyday + policy.outside * np.array([p.outside * (policy.thing if p.about else 1.0) for p in parts])
    aside = np.array([[0.0 if part.request or not i else policy.aside] for i, part in enumerate(parts)])
    fused = phrase / (phrase + policy.phrase_half) + policy.bag * words.bag + policy.meaning * near
    fused -= aside + lost[:, None]
    return Scores(fused, words.covered * asked, words.acted * asked, words.named * asked, near)


def _nearness(parts: list[Part], meaning: MeaningTier | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Nearness in meaning, and by how much everyday talk is nearer still."""
    if meaning is None:
        return np.zeros((len(parts), size)), np.zeros(len(parts))
    scores = meaning.score([part.text for part in parts])
    near = np.array([s.tools for s in scores])
    talk = np.array([s.everyday for s in scores]) - near.max(axis=1)
    return near, np.maximum(talk, 0.0)
