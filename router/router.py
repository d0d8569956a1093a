"""Which tools a query gets: both tiers fused, cut to the few that matter, never what the person rules out."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from router.cache import VectorCache
from router.context import Context
from router.embedder import Embedder
from router.entry import Choice, Entry, Selection
from router.fusion import Policy, Scores, fuse
from router.keywords import KeywordTier, vocabulary_of
from router.lexicon import Lexicon, packaged_lexicon
from router.meaning import MeaningTier
from router.offer import Gate, best_few
from router.policies import is_bare, policy_for
from router.reading import Part, Reader, Reading, joined
from router.scope import Scope, inside
from router.spelling import Spelling
from router.text import name_words, stem, words

_BELOW = 5
_FOUND = 5
_HEAD, _TAIL = 1000, 500
_PROSE = 0.2  # a description is prose: short names that it happens to contain say little


class Router:
    """Chooses the few tools of a catalogue that a query needs.

    Without an embedder it goes by keywords alone; `use` hands it one later, from any thread. Always-on
    tools are not its business. Raises `ValueError` when two entries share a name.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        embedder: Embedder | None = None,
        lexicon: Lexicon | None = None,
        policy: Policy | None = None,
        cache: VectorCache | None = None,
    ):
        twice = [name for name, count in Counter(e.name for e in entries).items() if count > 1]
        if twice:
            raise ValueError(f"Two tools are named {twice[0]}; names in a catalogue must differ.")
        self.entries = {entry.name: entry for entry in entries}
        self._names = list(self.entries)
        self._at = {name: i for i, name in enumerate(self._names)}
        self._lexicon = lexicon or packaged_lexicon()
        spelling = Spelling(self._lexicon, vocabulary_of(entries))
        served = _served(entries, self._lexicon)
        self._everyday = [text for text in self._lexicon.everyday if not _matters(text, self._lexicon) & served]
        self._reader = Reader(self._lexicon, spelling, served)
        self._keywords = KeywordTier(entries, self._lexicon)
        self._context = Context(self.entries, self._lexicon)
        self._gate = Gate(entries, self._keywords, self._context, self._lexicon)
        self._scope = Scope(self._keywords, self._lexicon)
        self._policy, self._cache, self._notices = policy, cache, list[str]()
        self.bare = is_bare(entries)
        self._tier: tuple[MeaningTier | None, Policy] = None, policy or policy_for(None, self.bare)
        if embedder:
            self.use(embedder)

    def use(self, embedder: Embedder) -> None:
        """Index the catalogue under this embedder and switch to it; takes seconds, selections go on meanwhile."""
        tier = MeaningTier(list(self.entries.values()), embedder, self._everyday, self._cache)
        self._tier = tier, self._policy or policy_for(embedder.id, self.bare)

    def notify(self, notice: str) -> None:
        """Say this once, with the next selection."""
        self._notices.append(notice)

    @property
    def embedder(self) -> str | None:
        """Id of the embedder in use; None while it goes by keywords alone."""
        tier = self._tier[0]
        return tier.embedder.id if tier else None

    @property
    def policy(self) -> Policy:
        """Thresholds in force: those of the embedder in use, unless some were given."""
        return self._tier[1]

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._policy, self._tier = policy, (self._tier[0], policy)

    def select(
        self, query: str, recent: Sequence[Sequence[str]] = (), allowed: Collection[str] | None = None
    ) -> Selection:
        """The tools for a query, best first, each followed by the companions it brings.

        `recent` holds the tools of the last turns, newest last; `allowed` the names that the person's role
        permits, None for all. Nothing is offered for small talk.
        """
        if not self.entries:
            return Selection(())
        meaning, policy = self._tier
        recent = [turn for turn in recent if turn]
        reading, parts, leaning = self._read(query, recent)
        if not parts:
            return Selection((), threshold=policy.threshold, notice=self._notice())
        scores = fuse(parts, self._keywords, meaning, policy)
        work = leaning or inside(self._scope.features(reading, parts, scores), policy)
        scores.fused += policy.vague * self._context.worked_on(parts)
        if leaning:
            scores.fused[:] = np.maximum(scores.fused, 0.0) + self._head_start(recent[-1])
        admitted = self._gate.admits(reading, scores, policy, recent[-1] if leaning else ())
        admitted &= self._gate.permitted(allowed)
        chosen = best_few(scores, admitted, policy) if work else []
        return self._selection(chosen, scores, admitted, reading, policy)

    def _read(self, query: str, recent: Sequence[Sequence[str]]) -> tuple[Reading, list[Part], bool]:
        """The query's reading, the parts that are scored (the whole first), and whether it leans on the last turns."""
        reading = self._reader.read(_bounded(query))
        self._context.lend_within(reading)
        leaning = self._context.leans(reading, recent)
        if leaning:
            self._context.lend_recent(reading, recent[-1])
        parts = [part for part in reading.parts if part.telling or leaning]
        return reading, [joined(parts), *parts] if len(parts) > 1 else parts, leaning

    def scope_features(self, query: str, recent: Sequence[Sequence[str]] = ()) -> np.ndarray | None:
        """What calibration learns the scope from; None for a query that is decided without it."""
        reading, parts, leaning = self._read(query, recent)
        if leaning or not parts:
            return None
        return self._scope.features(reading, parts, fuse(parts, self._keywords, *self._tier))

    def find(self, description: str, allowed: Collection[str] | None = None) -> Selection:
        """The tools nearest to a description, for a model that asks for more: ranked, not gated by wording."""
        if not self.entries:
            return Selection(())
        meaning, policy = self._tier
        reading = self._reader.read_plainly(_bounded(description))
        scores = fuse(reading.parts, self._keywords, meaning, replace(policy, phrase=_PROSE))
        admitted = self._gate.permitted(allowed)
        ranked = np.argsort(-np.where(admitted, scores.fused[0], -np.inf), kind="stable")[: admitted.sum()]
        return self._selection([int(i) for i in ranked[:_FOUND]], scores, admitted, reading, policy)

    def _head_start(self, used: Sequence[str]) -> np.ndarray:
        start = np.zeros(len(self._at))
        for name, value in self._context.head_start(used).items():
            start[self._at[name]] = value
        return start

    def _selection(
        self, chosen: Sequence[int], scores: Scores, admitted: np.ndarray, reading: Reading, policy: Policy
    ) -> Selection:
        order = np.argsort(-np.where(admitted, scores.fused.max(axis=0), -np.inf), kind="stable")[: admitted.sum()]
        offered = [self._choice(i, scores, reading, policy) for i in chosen]
        offered = self._with_companions(offered, scores, admitted)
        have = {choice.tool for choice in offered}
        rest = [i for i in order if self._names[i] not in have]
        below = [self._choice(int(i), scores, reading, policy) for i in rest[:_BELOW]]
        return Selection(tuple(offered), tuple(below), policy.threshold, self._notice())

    def _choice(self, i: int, scores: Scores, reading: Reading, policy: Policy) -> Choice:
        row = int(scores.fused[:, i].argmax())
        score, near = float(scores.fused[row, i]), policy.meaning * float(scores.meaning[row, i])
        tier = "meaning" if near > 0.67 * score else "keywords" if near < 0.33 * score else "both"
        own = self._keywords.terms_of(i)
        words = dict.fromkeys(raw for term, raw in reading.sources.items() if term in own)
        tier = "context" if self._names[i] in reading.carried and not words else tier
        return Choice(self._names[i], round(score, 3), tier, tuple(words))

    def _with_companions(self, chosen: Sequence[Choice], scores: Scores, admitted: np.ndarray) -> list[Choice]:
        offered: dict[str, Choice] = {}
        for choice in chosen:
            offered[choice.tool] = choice
            for name in self.entries[choice.tool].companions:
                if name in self._at and admitted[self._at[name]]:
                    score = round(float(scores.fused[:, self._at[name]].max()), 3)
                    offered.setdefault(name, Choice(name, score, "companion", (choice.tool,)))
        return list({**offered, **{c.tool: c for c in chosen}}.values())

    def _notice(self) -> str | None:
        return self._notices.pop(0) if self._notices else None


def _served(entries: Sequence[Entry], lexicon: Lexicon) -> frozenset[str]:
    """What of everyday life is work here: matters that tools are named for (a catalogue with a recipe finder is
    about food), and the words of descriptions."""
    named = (matter for e in entries for matter in _matters(" ".join(name_words(e.name)), lexicon))
    told = (stem(word) for e in entries for text in e.descriptions.values() for word in words(text))
    return frozenset(named) | frozenset(told)


def _matters(text: str, lexicon: Lexicon) -> frozenset[str]:
    """The matters of everyday life that single words of a text speak of."""
    return frozenset(term for word in words(text) for c in lexicon.of(word) if lexicon.is_outside(term := f"@{c}"))


def _bounded(text: str) -> str:
    """Beginning and end of a long text, where a request stands, without what UTF-8 cannot hold."""
    text = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    return text.encode("utf-8", "replace").decode("utf-8")
