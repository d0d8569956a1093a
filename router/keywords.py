"""The keyword tier: how well the words of a query cover the phrases and the name of each tool."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from router.bag import Bags
from router.entry import Entry
from router.lexicon import Lexicon
from router.reading import Terms
from router.text import name_words, plain, stem, words

_CONCEPT = 0.9
_OWN = 0.1
_TELLING = 2.0
_BARE = 0.2
_FEW = 20  # a word that is rare among three tools is not rare in the world

Slot = frozenset[str]
Phrase = tuple[Slot, ...]


@dataclass(slots=True)
class KeywordScores:
    """One row a part, one column a tool.

    phrase: strength of the best phrase. covered: how much of a telling phrase is covered, 0 to 1. plain: of
    one that says what to do with what. acted: of any phrase, if the tool's own act is among the words. named:
    the same for phrases of two words or more. bag: BM25 over name, descriptions, parameters and path.
    """

    phrase: np.ndarray
    covered: np.ndarray
    plain: np.ndarray
    acted: np.ndarray
    named: np.ndarray
    bag: np.ndarray


class KeywordTier:
    """Phrases (keywords, names) and words (everything else) of a catalogue, indexed."""

    def __init__(self, entries: Sequence[Entry], lexicon: Lexicon):
        self._lexicon = lexicon
        self.size = len(entries)
        by_tool = [list(dict.fromkeys(filter(None, map(self._slots, phrases_of(entry))))) for entry in entries]
        self._terms = [{term for phrase in phrases for slot in phrase for term in slot} for phrases in by_tool]
        self._phrases = [(tool, phrase) for tool, phrases in enumerate(by_tool) for phrase in phrases]
        self._index_slots()
        self._weigh_phrases([self._slots(" ".join(name_words(entry.name))) for entry in entries])
        self._bags = Bags(entries, lexicon.stop)

    def _slots(self, phrase: str) -> Phrase:
        """One set of equivalent terms for each word, or run of words, that carries meaning."""
        text = words(phrase)
        spans: dict[tuple[int, int], set[str]] = defaultdict(set)
        for start, end, concept in self._lexicon.sequences(text):
            spans[start, end].add(f"@{concept}")
        for at, word in enumerate(text):
            if self._matters(word) and not any(start <= at <= end for start, end in spans if start != end):
                spans[at, at] = {f"@{c}" for c in self._lexicon.of(word)} | {stem(word)}
        return tuple(dict.fromkeys(frozenset(spans[span]) for span in sorted(spans)))

    def _matters(self, word: str) -> bool:
        return word not in self._lexicon.stop or bool(self._lexicon.of(word))

    def _index_slots(self) -> None:
        """Which phrases hold a slot, which slots a term fits, and how telling each slot is."""
        slots = list(dict.fromkeys(slot for _, phrase in self._phrases for slot in phrase))
        number = {slot: i for i, slot in enumerate(slots)}
        spread = Counter(term for terms in self._terms for term in terms)
        self._idf = np.array(
            [math.log(1 + max(self.size, _FEW) / max(spread[term] for term in slot)) for slot in slots]
        )
        members: list[list[int]] = [[] for _ in slots]
        for i, (_, phrase) in enumerate(self._phrases):
            for slot in phrase:
                members[number[slot]].append(i)
        self._members = [np.array(m, dtype=np.int64) for m in members]
        self._sizes = np.array([len(m) for m in members], dtype=np.int64)
        self._slots_of: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, slot in enumerate(slots):
            for term in slot:
                self._slots_of[term].append((i, _CONCEPT if term[0] == "@" else 1.0))
        self._total = np.array([sum(self._idf[number[slot]] for slot in phrase) for _, phrase in self._phrases])
        self._share = 1.0 / np.maximum(self._total, 1e-9)

    def _weigh_phrases(self, names: Sequence[Phrase]) -> None:
        """Which phrases are telling, name a thing, are bare names, and by which terms a tool's own act shows."""
        phrases = self._phrases
        self._telling = self._total >= _TELLING
        self._several = np.array([len(phrase) > 1 for _, phrase in phrases], dtype=bool)
        self._plain = np.array([self._says_what(phrase) for _, phrase in phrases], dtype=bool)
        bare = [phrase == names[tool] and not self._says_act(phrase) for tool, phrase in phrases]
        self._worth = np.where(bare, _BARE, 1.0)
        own = self._own_acts(names)
        acting: dict[str, list[int]] = defaultdict(list)
        for i, (tool, phrase) in enumerate(phrases):
            for slot in (s for s in phrase if s & own[tool]):
                for term in (t for t in slot if t[0] != "@" or t in own[tool]):
                    acting[term].append(i)
        self._acting = {term: np.array(found, dtype=np.int64) for term, found in acting.items()}
        owners = [(tool, len(list(group))) for tool, group in groupby(tool for tool, _ in phrases)]
        self._owners = np.array([tool for tool, _ in owners], dtype=np.int64)
        self._starts = np.cumsum([0, *(count for _, count in owners[:-1])]) if owners else np.zeros(0, dtype=np.int64)

    def _says_act(self, phrase: Phrase) -> bool:
        """Whether a phrase says what is done (delete dashboard), unlike a bare name (Magnetis)."""
        return len(phrase) > 1 and any(self._lexicon.does(term) for slot in phrase for term in slot)

    def _says_what(self, phrase: Phrase) -> bool:
        """Whether a phrase has one word for the act or question and another for the thing."""
        does = [slot for slot in phrase if any(map(self._lexicon.does, slot))]
        things = [slot for slot in phrase if any(map(self._lexicon.is_thing, slot))]
        return any(act is not thing for act in does for thing in things)

    def _own_acts(self, names: Sequence[Phrase]) -> list[set[str]]:
        """For each tool the acts that its name begins with, and that its phrases often begin with."""
        first: list[Counter[str]] = [Counter() for _ in range(self.size)]
        for tool, phrase in self._phrases:
            first[tool].update(filter(self._lexicon.is_act, phrase[0]))
        total = Counter(tool for tool, _ in self._phrases)
        often = [{act for act, n in found.items() if n >= _OWN * total[tool]} for tool, found in enumerate(first)]
        named = [set(filter(self._lexicon.is_act, name[0] if name else ())) for name in names]
        return [acts | extra for acts, extra in zip(often, named, strict=True)]

    def knows(self, term: str) -> bool:
        """Whether any tool can be found by the term."""
        return term in self._slots_of

    def terms_of(self, tool: int) -> set[str]:
        """All terms by which a tool, given by its index, can be found."""
        return self._terms[tool]

    def score(self, rows: Sequence[Terms]) -> KeywordScores:
        """Scores of all tools for the words of each part of a query."""
        matched = self._matched(rows)
        coverage = matched * self._share
        acted = np.zeros_like(coverage)
        for row, terms in enumerate(rows):
            for phrases in (self._acting[term] for term in terms if term in self._acting):
                acted[row, phrases] = coverage[row, phrases]
        return KeywordScores(
            phrase=self._best(matched * coverage * self._worth),
            covered=self._best(coverage * self._telling),
            plain=self._best(coverage * self._plain),
            acted=self._best(acted),
            named=self._best(acted * self._several),
            bag=np.array([self._bags.score(terms) for terms in rows]),
        )

    def _matched(self, rows: Sequence[Terms]) -> np.ndarray:
        """Weight of the matched slots of each phrase: one row a part."""
        width = len(self._phrases)
        slots: list[int] = []
        values: list[float] = []
        shifts: list[int] = []
        for row, terms in enumerate(rows):
            hits = self._hits(terms)
            slots += hits
            values += hits.values()
            shifts += [row * width] * len(hits)
        if not slots:
            return np.zeros((len(rows), width))
        sizes = self._sizes[slots]
        at = np.concatenate([self._members[slot] for slot in slots]) + np.repeat(np.array(shifts), sizes)
        weights = np.repeat(self._idf[slots] * np.array(values), sizes)
        return np.bincount(at, weights, minlength=len(rows) * width).reshape(len(rows), width)

    def _hits(self, terms: Terms) -> dict[int, float]:
        """How well the terms fit each slot; one slot counts once."""
        hits: dict[int, float] = {}
        for term, weight in terms.items():
            for slot, strength in self._slots_of.get(term, ()):
                value = weight * strength
                if value > hits.get(slot, 0.0):
                    hits[slot] = value
        return hits

    def _best(self, of_phrase: np.ndarray) -> np.ndarray:
        best = np.zeros((len(of_phrase), self.size))
        if len(self._owners):
            best[:, self._owners] = np.maximum.reduceat(of_phrase, self._starts, axis=1)
        return best


def phrases_of(entry: Entry) -> list[str]:
    """What a person might say to mean this tool: its name in words, then its keywords."""
    return [" ".join(name_words(entry.name)), *(plain(k.lower()) for ks in entry.keywords.values() for k in ks)]


def vocabulary_of(entries: Sequence[Entry]) -> set[str]:
    """All words of a catalogue."""
    found: set[str] = set()
    for entry in entries:
        for text in (*phrases_of(entry), *entry.descriptions.values()):
            found.update(words(text))
        found.update(w for p in (*entry.parameters, entry.path) for w in name_words(p))
    return found
