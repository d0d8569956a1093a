"""What a query says, word by word: repaired, cut into clauses, with what is ruled out set apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from router.lexicon import Lexicon
from router.negation import ruled_out
from router.spelling import Spelling
from router.text import plain, shape, stem, tokens

Terms = dict[str, float]

_BREAK = re.compile(r"[;!?\n()«»\"]|[.,:](?=\s|$)|\s[-–—]+\s")
_CONJUNCTIONS = {
    "and", "but", "then", "plus", "just", "only", "because", "after", "before", "while",
    "и", "а", "но", "потом", "затем", "просто", "только", "лишь", "зато", "пока", "чтобы",
}  # fmt: skip
_NAME_WEIGHT = 0.5
_SHAPE_WEIGHT = 0.7


@dataclass(slots=True)
class Word:
    """One word of the query: as it stands, as it was meant, and how much it may weigh."""

    raw: str
    meant: str
    weight: float
    clause: int
    shape: str | None = None
    out: bool = False


@dataclass(slots=True)
class Part:
    """The whole query or one clause of it: its text for the meaning tier, its terms for the keyword tier.

    Terms are stems and concepts (`@delete`) with weights of 0 to 1.
    """

    text: str
    terms: Terms
    outside: float = 0.0


@dataclass(slots=True)
class Reading:
    """A query as the tiers see it: the whole first, then its clauses; and the terms that are ruled out."""

    parts: list[Part] = field(default_factory=list)
    unwanted: Terms = field(default_factory=dict)
    frozen: bool = False
    sources: dict[str, str] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)


class Reader:
    """Reads queries against a lexicon and the vocabulary of a catalogue."""

    def __init__(self, lexicon: Lexicon, spelling: Spelling):
        self._lexicon, self._spelling = lexicon, spelling

    def read(self, query: str) -> Reading:
        """The reading of one query; never fails, whatever the text."""
        words = self._words(self._spelling.fix_layout(plain(query)))
        clauses = _clauses(words)
        reading = Reading(words=words)
        reading.frozen = any([self._rule_out(clause) for clause in clauses])
        wanted = [self._part([w for w in clause if not w.out], reading) for clause in clauses]
        wanted = [part for part in wanted if part.text]
        reading.parts = [_join(wanted), *wanted] if len(wanted) > 1 else wanted
        for clause in clauses:
            _merge(reading.unwanted, self._terms([w for w in clause if w.out], reading))
        return reading

    def _words(self, text: str) -> list[Word]:
        found: list[Word] = []
        clause, last = 0, 0
        for raw, start, end in tokens(text):
            if found and (raw.lower() in _CONJUNCTIONS or _BREAK.search(text, last, start)):
                clause = found[-1].clause + 1
            found.append(self._word(raw, clause, first=not found))
            last = end
        return found

    def _word(self, raw: str, clause: int, first: bool) -> Word:
        word, kind = raw.lower(), shape(raw)
        if kind:
            return Word(raw, word, 1.0, clause, kind)
        named = raw[0].isupper() and not first and not raw.isupper()
        if named and not self._spelling.known(word):
            return Word(raw, word, 1.0, clause, "name")
        meant, sure = self._spelling.repair(word)
        return Word(raw, meant, sure * (_NAME_WEIGHT if named else 1.0), clause)

    def _rule_out(self, clause: Sequence[Word]) -> bool:
        flags, frozen = ruled_out([w.meant for w in clause], self._lexicon)
        for word, out in zip(clause, flags, strict=True):
            word.out = out
        return frozen

    def _part(self, clause: Sequence[Word], reading: Reading) -> Part:
        terms = self._terms(clause, reading)
        outside = max((v for t, v in terms.items() if self._lexicon.is_outside(t[1:])), default=0.0)
        telling = any(w.meant not in self._lexicon.stop for w in clause) or any(t[0] == "@" for t in terms)
        return Part(" ".join(_as_meant(w) for w in clause) if telling else "", terms, outside)

    def _terms(self, clause: Sequence[Word], reading: Reading) -> Terms:
        terms: Terms = {}
        for word in clause:
            for term in self._terms_of(word):
                _put(terms, term, word.weight * (_SHAPE_WEIGHT if word.shape else 1.0), word.raw, reading)
        for start, end, concept in self._lexicon.sequences([w.meant for w in clause]):
            _put(terms, f"@{concept}", 1.0, " ".join(w.raw for w in clause[start : end + 1]), reading)
        return terms

    def _terms_of(self, word: Word) -> list[str]:
        if word.shape:
            concept = self._lexicon.shapes.get(word.shape)
            prefix = re.match(r"[a-zа-я]{2,}(?=-)", word.meant)
            return [f"@{concept}"] * bool(concept) + ([stem(prefix.group())] if prefix else [])
        concepts = [f"@{concept}" for concept in self._lexicon.of(word.meant)]
        return concepts if word.meant in self._lexicon.stop else [*concepts, stem(word.meant)]


def _clauses(words: Sequence[Word]) -> list[list[Word]]:
    clauses: list[list[Word]] = [[] for _ in range(words[-1].clause + 1 if words else 0)]
    for word in words:
        clauses[word.clause].append(word)
    return clauses


def _as_meant(word: Word) -> str:
    return word.raw if word.raw.lower() == word.meant else word.meant


def _join(parts: Sequence[Part]) -> Part:
    terms: Terms = {}
    for part in parts:
        _merge(terms, part.terms)
    return Part(", ".join(p.text for p in parts), terms, max(p.outside for p in parts))


def _put(terms: Terms, term: str, weight: float, raw: str, reading: Reading) -> None:
    if weight > terms.get(term, 0.0):
        terms[term] = weight
        reading.sources[term] = raw


def _merge(into: Terms, terms: Terms) -> None:
    for term, weight in terms.items():
        into[term] = max(weight, into.get(term, 0.0))
