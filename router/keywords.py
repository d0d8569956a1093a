"""The keyword tier: how well the words of a query cover the phrases and the name of each tool."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from router.entry import Entry
from router.lexicon import Lexicon
from router.reading import Terms
from router.text import name_words, plain, stem, words

_CONCEPT = 0.9
_K1, _B = 1.2, 0.75
_OWN = 0.1
_TELLING = 2.0
_BARE = 0.2

Slot = frozenset[str]


@dataclass(slots=True)
class KeywordScores:
    """For each tool: strength of the best phrase, how much of a telling phrase is covered, the same with the
    tool's own act among the words, and BM25 over everything else."""

    phrase: np.ndarray
    covered: np.ndarray
    acted: np.ndarray
    named: np.ndarray
    bag: np.ndarray


class KeywordTier:
    """Phrases (keywords, names) and words (everything else) of a catalogue, indexed."""

    def __init__(self, entries: Sequence[Entry], lexicon: Lexicon):
        self._lexicon = lexicon
        self.size = len(entries)
        phrases = [(i, self._slots(p)) for i, entry in enumerate(entries) for p in phrases_of(entry)]
        phrases = [(i, slots) for i, slots in dict.fromkeys(phrases) if slots]
        self._terms: list[set[str]] = [set() for _ in entries]
        for tool, slots in phrases:
            self._terms[tool].update(*slots)
        self._index_phrases(phrases)
        self._index_bags([self._bag(entry) for entry in entries])

    def _slots(self, phrase: str) -> tuple[Slot, ...]:
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

    def _index_phrases(self, phrases: Sequence[tuple[int, tuple[Slot, ...]]]) -> None:
        tools_of: dict[str, set[int]] = defaultdict(set)
        for tool, slots in phrases:
            for term in (t for slot in slots for t in slot):
                tools_of[term].add(tool)
        slots = list(dict.fromkeys(slot for _, used in phrases for slot in used))
        number = {slot: i for i, slot in enumerate(slots)}
        common = [max(len(tools_of[term]) for term in slot) for slot in slots]
        self._idf = np.array([math.log(1 + self.size / count) for count in common])
        own = self._own_acts(phrases)
        members: list[list[int]] = [[] for _ in slots]
        acting: dict[str, list[int]] = defaultdict(list)
        for i, (tool, used) in enumerate(phrases):
            for slot in used:
                members[number[slot]].append(i)
                for term in slot & own[tool] and {t for t in slot if t[0] != "@" or t in own[tool]}:
                    acting[term].append(i)
        self._members = [np.array(m, dtype=np.int32) for m in members]
        self._acting = {term: np.array(m, dtype=np.int32) for term, m in acting.items()}
        self._owner = np.array([tool for tool, _ in phrases], dtype=np.int32)
        names = dict(reversed(phrases))
        bare = [used == names[tool] and not self._says_act(used) for tool, used in phrases]
        self._worth = np.where(bare, _BARE, 1.0)
        self._several = np.array([len(used) > 1 for _, used in phrases])
        self._total = np.array([sum(self._idf[number[s]] for s in used) for _, used in phrases])
        self._slots_of: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, slot in enumerate(slots):
            for term in slot:
                self._slots_of[term].append((i, _CONCEPT if term[0] == "@" else 1.0))

    def _says_act(self, slots: Sequence[Slot]) -> bool:
        """Whether a phrase says what is done (delete dashboard), unlike a bare name (Magnetis)."""
        return len(slots) > 1 and any(self._lexicon.does(term) for slot in slots for term in slot)

    def _own_acts(self, phrases: Sequence[tuple[int, tuple[Slot, ...]]]) -> list[set[str]]:
        """For each tool the acts that its phrases, which begin with the verb, begin with often."""
        first: list[Counter[str]] = [Counter() for _ in range(self.size)]
        names = {tool: slots for tool, slots in reversed(phrases)}
        for tool, slots in phrases:
            first[tool].update(filter(self._lexicon.is_act, slots[0]))
        total = Counter(tool for tool, _ in phrases)
        often = [{act for act, n in found.items() if n >= _OWN * total[tool]} for tool, found in enumerate(first)]
        return [acts | set(filter(self._lexicon.is_act, names.get(tool, [()])[0])) for tool, acts in enumerate(often)]

    def _bag(self, entry: Entry) -> Counter[str]:
        text = [*name_words(entry.name), *(w for d in entry.descriptions.values() for w in words(d))]
        text += [w for p in (*entry.parameters, entry.path) for w in name_words(p)]
        return Counter(stem(w) for w in text if w not in self._lexicon.stop)

    def _index_bags(self, bags: Sequence[Counter[str]]) -> None:
        length = np.array([sum(b.values()) for b in bags], dtype=float)
        mean = float(length.mean()) or 1.0
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for i, bag in enumerate(bags):
            for word, count in bag.items():
                postings[word].append((i, count))
        self._bags: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for word, found in postings.items():
            tools = np.array([i for i, _ in found], dtype=np.int32)
            count = np.array([c for _, c in found], dtype=float)
            idf = math.log(1 + (self.size - len(found) + 0.5) / (len(found) + 0.5))
            norm = _K1 * (1 - _B + _B * length[tools] / mean)
            self._bags[word] = tools, idf * count * (_K1 + 1) / (count + norm)

    def score(self, terms: Terms) -> KeywordScores:
        """Scores of all tools for the words of a query or a clause."""
        hits: dict[int, float] = {}
        for term, weight in terms.items():
            for slot, strength in self._slots_of.get(term, ()):
                value = weight * strength
                if value > hits.get(slot, 0.0):
                    hits[slot] = value
        matched = self._spread(hits)
        coverage = matched / np.maximum(self._total, 1e-9)
        acted = np.zeros(len(coverage))
        for phrases in (self._acting[term] for term in terms if term in self._acting):
            acted[phrases] = coverage[phrases]
        covered = np.where(self._total >= _TELLING, coverage, 0.0)
        best = self._best
        return KeywordScores(best(matched * coverage * self._worth), best(covered), best(acted), best(acted * self._several), self._bm25(terms))

    def terms_of(self, tool: int) -> set[str]:
        """All terms by which a tool, given by its index, can be found."""
        return self._terms[tool]

    def _spread(self, hits: dict[int, float]) -> np.ndarray:
        """Weight of the matched slots for each phrase."""
        if not hits:
            return np.zeros(len(self._owner))
        phrases = [self._members[slot] for slot in hits]
        weights = np.repeat([self._idf[s] * v for s, v in hits.items()], [len(p) for p in phrases])
        return np.bincount(np.concatenate(phrases), weights, minlength=len(self._owner))

    def _best(self, of_phrase: np.ndarray) -> np.ndarray:
        best = np.zeros(self.size)
        np.maximum.at(best, self._owner, of_phrase)
        return best

    def _bm25(self, terms: Terms) -> np.ndarray:
        scores = np.zeros(self.size)
        for term, weight in terms.items():
            if term in self._bags:
                tools, values = self._bags[term]
                scores[tools] += weight * values
        return scores


def phrases_of(entry: Entry) -> list[str]:
    """What a person might say to mean this tool: its name in words, then its keywords."""
    return [" ".join(name_words(entry.name)), *(plain(k.lower()) for ks in entry.keywords.values() for k in ks)]


def vocabulary_of(entries: Sequence[Entry]) -> set[str]:
    """All words of a catalogue."""
    found: set[str] = set()
    for entry in entries:
        for phrase in phrases_of(entry):
            found.update(words(phrase))
        for text in entry.descriptions.values():
            found.update(words(text))
        found.update(w for p in (*entry.parameters, entry.path) for w in name_words(p))
    return found
