"""Looks words and phrases up in the lexicon: by stem, in Latin letters for Russian, with a typo or two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from rapidfuzz import process
from rapidfuzz.distance import OSA

from agent.demo import lexicon
from agent.demo.language import fold, readings, stem

_LONGEST_PHRASE, _LONGEST_WORD = 5, 30
_GROUPS: Mapping[str, str] = {
    **lexicon.ACTIONS,
    **lexicon.THINGS,
    **lexicon.HINTS,
    "not": lexicon.NEGATIONS,
    "not_after": lexicon.NEGATED_AFTER,
    "break": lexicon.BREAKS,
    "then": lexicon.THEN,
    "and": lexicon.AND,
    "filler": lexicon.FILLERS,
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """The concepts a word stands for; `russian` when it was read as Russian, `exact` when no typo was assumed."""

    concepts: frozenset[str] = field(default_factory=frozenset)
    russian: bool = False
    exact: bool = True

    def __bool__(self) -> bool:
        return bool(self.concepts)


NOTHING = Meaning()


def stems_of(phrase: str) -> tuple[str, ...]:
    """The stems of a phrase's words."""
    return tuple(stem(word) for word in phrase.split())


def _index() -> dict[tuple[str, ...], frozenset[str]]:
    index: dict[tuple[str, ...], frozenset[str]] = {}
    for concept, phrases in _GROUPS.items():
        for phrase in filter(None, (p.strip() for p in phrases.split(","))):
            key = stems_of(phrase)
            index[key] = index.get(key, frozenset()) | {concept}
    return index


_BY_STEMS = _index()
_SINGLE = {key[0]: concepts for key, concepts in _BY_STEMS.items() if len(key) == 1}
_SPELLINGS = {
    fold(word): _SINGLE[stem(word)]
    for word in (p.strip() for p in chain.from_iterable(g.split(",") for g in _GROUPS.values()))
    if len(word) >= 5 and " " not in word and not _SINGLE[stem(word)] <= {"filler"}
}
_SPELLINGS_BY_LETTER: dict[str, list[str]] = {}
for _word in _SPELLINGS:
    _SPELLINGS_BY_LETTER.setdefault(_word[0], []).append(_word)


def phrase_at(stems: Sequence[str]) -> tuple[int, frozenset[str]]:
    """The longest phrase (of two words or more) at the start of these stems: its length and concepts."""
    for length in range(min(_LONGEST_PHRASE, len(stems)), 1, -1):
        if concepts := _BY_STEMS.get(tuple(stems[:length])):
            return length, concepts
    return 0, frozenset()


@lru_cache(maxsize=8192)
def meaning(word: str, guess: bool = True) -> Meaning:
    """What a word stands for; `guess` allows Russian in Latin letters and typos. Falsy when nothing is known."""
    if concepts := _SINGLE.get(stem(word)):
        return Meaning(concepts, russian=not word.isascii())
    if not guess or (not word.isalpha() and "'" not in word):
        return NOTHING
    return _in_latin_letters(word) or _with_typo(word)


def known(word: str) -> bool:
    """Whether the word is in the lexicon as it is."""
    return stem(word) in _SINGLE


def _in_latin_letters(word: str) -> Meaning:
    for reading in list(readings(word))[2:]:
        if len(word) > 2 and (concepts := _SINGLE.get(stem(reading))):
            return Meaning(concepts, russian=True)
        if guessed := _with_typo(reading):
            return guessed
    return NOTHING


def _with_typo(word: str) -> Meaning:
    folded = fold(word)
    if not 5 <= len(folded) <= _LONGEST_WORD:
        return NOTHING
    allowed = 1 if len(folded) < 10 else 2
    near = process.extractOne(
        folded, _SPELLINGS_BY_LETTER.get(folded[0], ()), scorer=OSA.distance, score_cutoff=allowed
    )
    return Meaning(_SPELLINGS[near[0]], russian=not word.isascii(), exact=False) if near else NOTHING
