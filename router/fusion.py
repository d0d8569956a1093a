"""Both tiers in one score for each tool and each part of a query."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from router.keywords import KeywordTier
from router.meaning import MeaningTier
from router.reading import Part


@dataclass(frozen=True)
class Policy:
    """How scores become an offer; `python -m router calibrate` finds the values of a model.

    threshold: least score of an offered tool. ratio: share of the best score that the others must reach. Both
    count from zero, or from the mean of the catalogue where everything is farther off than everyday talk.
    cap: most tools beside companions. scope: weights of `scope.features`; below `scope_at` nothing is offered.
    phrase, meaning, bag: weights of the three scores; phrase_half: strength of a phrase that counts half.
    across: what a phrase is worth whose words stand in different clauses; aside: what a clause loses that is
    no request of its own. act, some, covered, sure: how much of a phrase with its act and thing, with its act,
    of a telling phrase, and which nearness in meaning, are evidence enough for a danger tool.
    """

    threshold: float = 0.1
    ratio: float = 0.45
    cap: int = 7
    scope: tuple[float, ...] = ()
    scope_at: float = 0.0
    phrase: float = 1.0
    phrase_half: float = 2.5
    meaning: float = 0.5
    bag: float = 0.02
    across: float = 0.75
    aside: float = 0.1
    act: float = 0.7
    some: float = 0.45
    covered: float = 0.75
    sure: float = 0.85
    vague: float = 0.12
    close: float = 0.6


@dataclass(slots=True)
class Scores:
    """One row a part, one column a tool: the fused score, and what it is made of; `talk` is one value a part."""

    fused: np.ndarray
    covered: np.ndarray
    plain: np.ndarray
    acted: np.ndarray
    named: np.ndarray
    meaning: np.ndarray
    talk: np.ndarray


def fuse(parts: Sequence[Part], keywords: KeywordTier, meaning: MeaningTier | None, policy: Policy) -> Scores:
    """Scores of all tools for the parts of a reading, the whole first."""
    words = keywords.score([part.terms for part in parts])
    worth = np.array([[policy.across if len(parts) > 1 and not i else 1.0] for i in range(len(parts))])
    asked = worth * np.array([[float(part.asked)] for part in parts])
    aside = np.array([[0.0 if part.request or not i else policy.aside] for i, part in enumerate(parts)])
    near, talk = _nearness(parts, meaning, keywords.size)
    phrase = words.phrase * worth
    fused = policy.phrase * phrase / (phrase + policy.phrase_half) + policy.bag * words.bag + policy.meaning * near
    return Scores(
        fused=fused - aside,
        covered=words.covered * asked,
        plain=words.plain,
        acted=words.acted * asked,
        named=words.named * asked,
        meaning=near,
        talk=talk,
    )


def _nearness(parts: Sequence[Part], meaning: MeaningTier | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Nearness in meaning to the tools and to everyday talk; a clause that requests nothing takes that of the whole."""
    if meaning is None:
        return np.zeros((len(parts), size)), np.zeros(len(parts))
    own = [i for i, part in enumerate(parts) if part.request or not i]
    near, talk = meaning.score([parts[i].text for i in own])
    row = [own.index(i) if i in own else 0 for i in range(len(parts))]
    return near[row], talk[row]
