"""From scores to an offer: what may be offered at all, and the few that are."""

from collections.abc import Collection, Sequence

import numpy as np

from router.context import Context
from router.entry import Entry
from router.fusion import Policy, Scores
from router.keywords import KeywordTier
from router.lexicon import Lexicon
from router.reading import Reading, Terms
from router.text import name_words

_VETO = 0.35
_ASKED = 0.7
_SURE = 0.7


class Gate:
    """Keeps out what the role forbids, what the person rules out, and danger that nobody asked for."""

    def __init__(self, entries: Sequence[Entry], keywords: KeywordTier, context: Context, lexicon: Lexicon):
        self._names = [e.name for e in entries]
        self._danger = np.array([e.effect == "danger" for e in entries], dtype=bool)
        self._changes = np.array([e.effect != "read" for e in entries], dtype=bool)
        self._acts = [_acts(e.name, lexicon) for e in entries]
        self._keywords, self._context, self._lexicon = keywords, context, lexicon

    def admits(self, reading: Reading, scores: Scores, policy: Policy, again: Collection[str]) -> np.ndarray:
        """A mask over the tools; `again` are those of the last turn, which a follow-up may repeat."""
        unwanted = [terms for terms in reading.unwanted if terms]
        admitted = ~self._danger | self._evident(reading, scores, policy)
        if again and not reading.cautious:
            admitted |= np.array([name in again for name in self._names], dtype=bool)
        for terms in unwanted:
            admitted &= ~self._ruled_out(terms, scores, reading)
        return admitted

    def permitted(self, allowed: Collection[str] | None) -> np.ndarray:
        """A mask of the tools that the person's role permits; None permits all."""
        if allowed is None:
            return np.ones(len(self._names), dtype=bool)
        return np.array([name in allowed for name in self._names], dtype=bool)

    def _evident(self, reading: Reading, scores: Scores, policy: Policy) -> np.ndarray:
        """Where the query asks for the act itself; once something is ruled out, only in so many words."""
        evident = scores.named.max(axis=0) >= policy.act
        close = (scores.fused >= policy.close * scores.fused.max(axis=1, keepdims=True)).any(axis=0)
        if reading.cautious:
            return evident | (close & self._asked(reading))
        if any(part.outside for part in reading.parts):
            return evident
        evident |= scores.acted.max(axis=0) >= policy.some
        evident |= scores.covered.max(axis=0) >= policy.covered
        evident |= scores.meaning.max(axis=0) >= policy.sure
        return evident | close

    def _asked(self, reading: Reading) -> np.ndarray:
        """A mask of the tools that are named for an act that the query asks for."""
        asked = set[str]().union(*(part.terms for part in reading.parts))
        return np.array([not asked.isdisjoint(acts) for acts in self._acts], dtype=bool)

    def _ruled_out(self, terms: Terms, scores: Scores, reading: Reading) -> np.ndarray:
        """Changes that one clause forbids, by their act or, if it names none, by their thing.

        A request in another clause outweighs that, unless the act that the tool is named for is nowhere asked
        for: "plan the move but do not run it".
        """
        against, wanted = self._keywords.score([terms]).acted[0], scores.named.max(axis=0)
        out = (against >= _VETO) & (against >= wanted)
        on_thing = self._context.on(terms)
        if not any(map(self._lexicon.is_act, terms)):
            out |= on_thing & (self._danger | (wanted < _ASKED))
        elif reading.frozen:
            out |= on_thing & (wanted < _ASKED)
        out |= (against >= _SURE) & ~self._asked(reading)
        return out & self._changes


def _acts(name: str, lexicon: Lexicon) -> frozenset[str]:
    """What a tool is named for: the acts of the first word of its name that has any (run, of run_migration)."""
    meant = (frozenset(filter(lexicon.is_act, (f"@{c}" for c in lexicon.of(word)))) for word in name_words(name))
    return next(filter(None, meant), frozenset())


def best_few(scores: Scores, admitted: np.ndarray, policy: Policy) -> list[int]:
    """The tools that stand out in some part of the query, best first; work gets the nearest ones if none does."""
    fused = np.where(admitted, scores.fused, -np.inf)
    if not admitted.any():
        return []
    floor = np.minimum(scores.fused.mean(axis=1, keepdims=True, where=admitted), 0.0)
    near = fused - floor >= policy.ratio * (fused.max(axis=1, keepdims=True) - floor)
    stands_out = (near & (fused - floor >= policy.threshold)).any(axis=0)
    chosen = stands_out if stands_out.any() else near.any(axis=0) & admitted
    best = fused.max(axis=0)
    return [int(i) for i in np.argsort(-best, kind="stable") if chosen[i]][: policy.cap]
