"""What a query says, word by word: repaired, cut into clauses, with what is ruled out set apart."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from router.lexicon import Lexicon
from router.negation import Ruling, ruled_out
from router.spelling import Spelling
from router.text import plain, shape, stem, tokens

Terms = dict[str, float]
Span = tuple[int, int, str]

_BREAK = re.compile(r"[;!?\n()«»\"]|[.,:](?=\s|$)|\s[-–—]+\s")
_CONJUNCTIONS = {
    "and", "but", "then", "plus", "just", "only", "because", "after", "before", "while", "if",
    "и", "а", "но", "потом", "затем", "просто", "только", "лишь", "зато", "чтобы", "если",
}  # fmt: skip
_TOLD = {"if", "who", "whoever", "если", "кто", "кем"}
_NAME_WEIGHT = 0.5
_SHAPE_WEIGHT = 0.7
_OUTSIDE_NAME = 0.2


@dataclass(slots=True)
class Word:
    """One word of the query: as it stands, as it was meant, and how much it may weigh."""

    raw: str
    meant: str
    weight: float
    clause: int
    shape: str | None = None
    out: bool = False
    title: bool = False
    terms: tuple[str, ...] = ()


@dataclass(slots=True)
class Part:
    """The whole query or one clause of it: its text for the meaning tier, its terms for the keyword tier.

    Terms are stems and concepts (`@delete`) with weights of 0 to 1. An act is `asked` for unless the clause
    only tells of it: "if we moved it", "who deleted it". A part is `telling` unless it is all stop words.
    """

    text: str
    terms: Terms
    outside: float = 0.0
    asked: bool = True
    telling: bool = True
    about: bool = False
    request: bool = False
    vague: bool = False


@dataclass(slots=True)
class Reading:
    """A query as the tiers see it: its clauses, and the terms that each of them rules out."""

    parts: list[Part] = field(default_factory=list)
    unwanted: list[Terms] = field(default_factory=list)
    frozen: bool = False
    cautious: bool = False
    carried: frozenset[str] = frozenset()
    sources: dict[str, str] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)


class Reader:
    """Reads queries against a lexicon and the vocabulary of a catalogue.

    `served` are the matters of everyday life (`@food`) and the stems of words that the catalogue itself speaks of.
    """

    def __init__(self, lexicon: Lexicon, spelling: Spelling, served: Collection[str] = ()):
        self._lexicon, self._spelling, self._served = lexicon, spelling, served

    def read(self, query: str) -> Reading:
        """The reading of one query; never fails, whatever the text."""
        reading = Reading(words=self._words(self._spelling.fix_layout(plain(query))))
        for clause in _clauses(reading.words):
            several = self._lexicon.sequences([w.meant for w in clause])
            ruling = self._rule_out(clause, several)
            reading.frozen |= ruling.frozen
            reading.cautious |= ruling.cautious
            reading.parts.append(self._part(clause, several, reading))
        return reading

    def read_plainly(self, text: str) -> Reading:
        """The reading of a description: one part, nothing ruled out."""
        reading = Reading(words=self._words(self._spelling.fix_layout(plain(text))))
        several = self._lexicon.sequences([w.meant for w in reading.words])
        reading.parts = [self._part(reading.words, several, reading)]
        return reading

    def _words(self, text: str) -> list[Word]:
        found: list[Word] = []
        clause, last = 0, 0
        split = tokens(text)
        transliterated = any(self._spelling.transliterated(raw.lower()) for raw, _, _ in split)
        titles = _titles([raw for raw, _, _ in split])
        for at, (raw, start, end) in enumerate(split):
            if found and (raw.lower() in _CONJUNCTIONS or _BREAK.search(text, last, start)):
                clause = found[-1].clause + 1
            found.append(self._word(raw, clause, not found, transliterated))
            found[-1].title = titles[at]
            found[-1].terms = self._terms_of(found[-1])
            last = end
        return found

    def _word(self, raw: str, clause: int, first: bool, transliterated: bool) -> Word:
        word, kind = raw.lower(), shape(raw)
        if kind and not self._lexicon.of(word):
            return Word(raw, word, _SHAPE_WEIGHT, clause, kind)
        named = raw[0].isupper() and not first and not raw.isupper()
        if named and not self._spelling.known(word):
            return Word(raw, word, 1.0, clause, "name")
        meant, sure = self._spelling.repair(word, transliterated)
        named = named or (meant != word and raw[0].isupper() and not raw.isupper())
        return Word(raw, meant, sure * (_NAME_WEIGHT if named else 1.0), clause)

    def _rule_out(self, clause: Sequence[Word], several: Sequence[Span]) -> Ruling:
        acts = [any(map(self._lexicon.does, w.terms)) for w in clause]
        for start, end, concept in several:
            acts[start : end + 1] = [acts[start] or self._lexicon.does(f"@{concept}")] * (end + 1 - start)
        ruling = ruled_out([w.meant for w in clause], acts, self._lexicon.stop)
        for word, out in zip(clause, ruling.out, strict=True):
            word.out = out
        return ruling

    def _part(self, clause: Sequence[Word], several: Sequence[Span], reading: Reading) -> Part:
        """The part that a clause leaves; what it rules out goes to `unwanted`."""
        wanted: Terms = {}
        unwanted: Terms = {}
        spans = [([w], w.terms) for w in clause]
        spans += [(clause[start : end + 1], (f"@{concept}",)) for start, end, concept in several]
        for words, terms in spans:
            for term in terms:
                self._put(unwanted if words[0].out else wanted, term, words, reading)
        reading.unwanted.append(unwanted)
        kept = [w for w in clause if not w.out]
        outside = max((v for t, v in wanted.items() if self._is_outside(t)), default=0.0)
        telling = bool(wanted) or any(w.meant not in self._lexicon.stop for w in kept)
        return Part(" ".join(map(_as_meant, kept)), wanted, outside, not self._only_told(clause), telling)

    def _terms_of(self, word: Word) -> tuple[str, ...]:
        if word.shape:
            concept = self._lexicon.shapes.get(word.shape)
            prefix = re.match(r"[a-zа-я]{2,}(?=-)", word.meant)
            return (*([f"@{concept}"] if concept else []), *([stem(prefix.group())] if prefix else []))
        concepts, own = [f"@{concept}" for concept in self._lexicon.of(word.meant)], stem(word.meant)
        if own in self._served:
            concepts = [concept for concept in concepts if not self._is_outside(concept)]
        return tuple(concepts) if word.meant in self._lexicon.stop else (*concepts, own)

    def _put(self, into: Terms, term: str, words: Sequence[Word], reading: Reading) -> None:
        weight = min(w.weight for w in words) if len(words) == 1 else 1.0
        if self._is_outside(term):
            weight = _OUTSIDE_NAME if words[0].title else 1.0
        if weight > into.get(term, 0.0):
            into[term] = weight
            reading.sources[term] = " ".join(w.raw for w in words)

    def _is_outside(self, term: str) -> bool:
        return self._lexicon.is_outside(term) and term not in self._served

    def _only_told(self, clause: Sequence[Word]) -> bool:
        """Whether a condition or the question who did it stands before the first act."""
        for word in clause:
            if word.meant in _TOLD:
                return True
            if any(map(self._lexicon.is_act, word.terms)):
                return False
        return False


def joined(parts: Sequence[Part]) -> Part:
    """The whole that clauses make; acts that are only told of are left to their own clause."""
    terms: Terms = {}
    for part in [p for p in parts if p.asked] or parts:
        for term, weight in part.terms.items():
            terms[term] = max(weight, terms.get(term, 0.0))
    asked = any(p.asked for p in parts)
    return Part(
        ", ".join(p.text for p in parts if p.text),
        terms,
        max(p.outside for p in parts),
        asked,
        about=any(p.about for p in parts),
    )


def _clauses(words: Sequence[Word]) -> list[list[Word]]:
    clauses: list[list[Word]] = [[] for _ in range(words[-1].clause + 1 if words else 0)]
    for word in words:
        clauses[word.clause].append(word)
    return clauses


def _titles(raw: Sequence[str]) -> list[bool]:
    """Which words belong to a name of several capitalised words: Payment Calendar."""
    big = [word[0].isupper() and not word.isupper() for word in raw]
    return [up and (any(big[max(at - 1, 1) : at]) or any(big[at + 1 : at + 2])) for at, up in enumerate(big)]


def _as_meant(word: Word) -> str:
    return word.raw if word.raw.lower() == word.meant else word.meant
