"""Which tools a query gets: both tiers fused, cut to the few that matter, never what the person rules out."""

from collections.abc import Collection, Sequence

import numpy as np

from router.context import Context
from router.embedder import Embedder
from router.entry import Choice, Entry, Selection
from router.fusion import Policy, Scores, fuse
from router.keywords import KeywordTier, vocabulary_of
from router.lexicon import Lexicon, packaged_lexicon
from router.meaning import MeaningTier
from router.reading import Reader, Reading, joined
from router.spelling import Spelling

_BELOW = 5
_VETO = 0.35


class Router:
    """Chooses the few tools of a catalogue that a query needs."""

    def __init__(
        self,
        entries: Sequence[Entry],
        embedder: Embedder | None = None,
        lexicon: Lexicon | None = None,
        policy: Policy | None = None,
    ):
        self.entries = {entry.name: entry for entry in entries}
        self._names = list(self.entries)
        self._lexicon = lexicon or packaged_lexicon()
        self._reader = Reader(self._lexicon, Spelling(self._lexicon, vocabulary_of(entries)))
        self._keywords = KeywordTier(entries, self._lexicon)
        self._context = Context(self.entries, self._lexicon)
        self.meaning = MeaningTier(entries, embedder, self._lexicon.everyday) if embedder else None
        self.policy = policy or Policy()
        self._danger = np.array([e.effect == "danger" for e in entries])
        self._changes = np.array([e.effect != "read" for e in entries])

    def select(
        self, query: str, recent: Sequence[Sequence[str]] = (), allowed: Collection[str] | None = None
    ) -> Selection:
        """The tools for a query, best first, companions after the tool that brings them."""
        reading = self._reader.read(query)
        self._context.lend_within(reading)
        start = np.zeros(len(self._names))
        leaning = self._context.leans(reading, recent)
        if leaning:
            self._context.lend_recent(reading, recent)
            for name, value in self._context.head_start(recent).items():
                start[self._names.index(name)] = value
        parts = [part for part in reading.parts if part.telling or leaning]
        if not parts:
            return Selection((), threshold=self.policy.threshold)
        if len(parts) > 1:
            parts.insert(0, joined(parts))
        scores = fuse(parts, self._keywords, self.meaning, self.policy, talk=not leaning)
        scores.fused[:] += start
        open_ = self._open(reading, scores, allowed)
        return self._cut(scores, open_, reading)

    def _open(self, reading: Reading, scores: Scores, allowed) -> np.ndarray:
        unwanted = [terms for terms in reading.unwanted if terms]
        acted = scores.named.max(axis=0)
        evident = acted >= self.policy.act
        if not unwanted:
            evident |= scores.meaning.max(axis=0) >= self.policy.sure
            evident |= scores.covered.max(axis=0) >= self.policy.covered
            evident |= scores.acted.max(axis=0) >= self.policy.some
        open_ = ~self._danger | evident
        for terms in unwanted:
            against = self._keywords.score(terms)
            open_ &= ~(self._changes & (against.acted >= _VETO) & (against.acted >= acted))
            if reading.frozen or not any(map(self._lexicon.is_act, terms)):
                named = np.array([bool(self._context.things(n) & terms.keys()) for n in self._names])
                open_ &= ~(self._changes & named)
        if allowed is not None:
            open_ &= np.array([n in allowed for n in self._names])
        return open_

    def _cut(self, scores: Scores, open_: np.ndarray, reading: Reading) -> Selection:
        p = self.policy
        fused = np.where(open_, scores.fused, -9.0)
        top = np.maximum(fused.max(axis=1, keepdims=True), 1e-9)
        best = fused.max(axis=0)
        keep = ((fused >= p.threshold) & (fused >= p.ratio * top)).any(axis=0)
        order = [i for i in np.argsort(-best) if open_[i]]
        chosen = [i for i in order if keep[i]][: p.cap]
        choices: list[Choice] = []
        have = set()
        for i in chosen:
            for name, tier in ((self._names[i], "x"), *((c, "companion") for c in self.entries[self._names[i]].companions)):
                if name in self.entries and name not in have and (tier == "x" or open_[self._names.index(name)]):
                    have.add(name)
                    choices.append(Choice(name, float(best[self._names.index(name)]), tier))
        below = [Choice(self._names[i], float(best[i]), "") for i in order if self._names[i] not in have][:_BELOW]
        return Selection(tuple(choices), tuple(below), p.threshold)
