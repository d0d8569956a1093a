"""Known words, and what a misspelt, transliterated or wrong-layout word was meant to be."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract
from spellchecker import SpellChecker

from router import negation
from router.layout import swap_layout, to_cyrillic
from router.lexicon import Lexicon
from router.text import is_cyrillic, plain, stem, tokens
from router.wordset import WordSet

_SHORTEST_TYPO = 4
_LONG = 8
_PUNCTUATION = ",.;:'\"[]{}<>`?!()«»"


class Spelling:
    """Repairs words against a vocabulary: the lexicon, the stop words and the words of a catalogue."""

    def __init__(self, lexicon: Lexicon, vocabulary: Iterable[str]):
        self._lexicon, self._dictionary = lexicon, _dictionary()
        surface = {word for word in vocabulary if not any(c.isdigit() for c in word)} | lexicon.surface
        self._stems = {stem(word) for word in surface | lexicon.words | lexicon.stop | negation.WORDS}
        self._words = _by_length(surface)
        self._roots = _by_length({stem(word) for word in surface})
        self.known = lru_cache(maxsize=20_000)(self._known)
        self.repair = lru_cache(maxsize=20_000)(self._repair)
        self.transliterated = lru_cache(maxsize=20_000)(self._transliterated)
        self._slip = lru_cache(maxsize=20_000)(self._find_slip)

    def _known(self, word: str) -> bool:
        """Whether the lower-case word is in the vocabulary, in any of its forms."""
        return word in self._lexicon.stop or stem(word) in self._stems or bool(self._lexicon.of(word))

    def _transliterated(self, word: str) -> bool:
        """Whether the word makes sense only as Russian in Latin letters."""
        alien = not is_cyrillic(word) and not self.known(word) and word not in self._dictionary
        return alien and len(word) > 2 and self.known(to_cyrillic(word)) and not self._closest(word, 1)

    def _repair(self, word: str, transliterated: bool) -> tuple[str, float]:
        """What the word was meant to be and how sure that is, 0 to 1; an unknown word comes back with 1.

        `transliterated` tells that the text around it is Russian in Latin letters.
        """
        if transliterated and not self.known(word) and self.known(to_cyrillic(word)):
            return to_cyrillic(word), 0.95
        if self.known(word) or word in self._dictionary:
            return word, 1.0
        near = self._closest(word, 1)
        swapped = near is not None and sorted(near) == sorted(word)
        if (
            not swapped
            and (near is None or len(word) == _SHORTEST_TYPO)
            and not is_cyrillic(word)
            and self.known(to_cyrillic(word))
        ):
            return to_cyrillic(word), 0.95
        near = near or self._closest(word)
        if near is None and not is_cyrillic(word):
            near = self._closest(to_cyrillic(word))
        return (near, 0.8) if near else (word, 1.0)

    def _closest(self, word: str, most: int = 2) -> str | None:
        """The vocabulary word within one or two edits, or the stem that the word's stem comes near to."""
        return _nearest(word, self._words, most) or _nearest(stem(word), self._roots, most)

    def fix_layout(self, text: str) -> str:
        """The text with the chunks put right that were typed in the other keyboard layout."""
        chunks = text.split(" ")
        slips = [self._slip(chunk) for chunk in chunks]
        certain = [s for s in slips if s and len(s) > 3]
        if not certain:
            return text
        mostly = 2 * sum(s is not None for s in slips) >= sum(any(c.isalpha() for c in chunk) for chunk in chunks)
        return " ".join(self._put_right(chunk, slip, mostly) for chunk, slip in zip(chunks, slips, strict=True))

    def _put_right(self, chunk: str, slip: str | None, mostly: bool) -> str:
        if slip is None and mostly and not self._readable(chunk):
            return swap_layout(chunk)
        return slip or chunk

    def _find_slip(self, chunk: str) -> str | None:
        """The chunk in the other layout, if it reads there and not as it stands."""
        if not any(c.isalpha() for c in chunk) or any(c.isdigit() for c in chunk) or self._readable(chunk):
            return None
        candidates = (swap_layout(chunk), swap_layout(chunk.rstrip(_PUNCTUATION)))
        slip = next((c for c in candidates if self._readable(c)), None)
        return None if slip and len(chunk) > _SHORTEST_TYPO and self._closest(chunk.lower(), 1) else slip

    def _readable(self, chunk: str) -> bool:
        found = [token.lower() for token, _, _ in tokens(chunk)]
        return bool(found) and all(self.known(word) for word in found)


@lru_cache(maxsize=1)
def _dictionary() -> WordSet:
    """Common English and Russian words, which are no typos even when no tool speaks of them.

    One language is read after the other: what the reader holds meanwhile is many times the size of the words.
    """
    return WordSet(plain(word) for lang in ("en", "ru") for word in SpellChecker(lang).word_frequency.words())


def _by_length(words: Iterable[str]) -> dict[tuple[bool, int], list[str]]:
    pools: dict[tuple[bool, int], list[str]] = defaultdict(list)
    for word in sorted(words):
        pools[is_cyrillic(word), len(word)].append(word)
    return pools


def _nearest(word: str, pools: dict[tuple[bool, int], list[str]], most: int) -> str | None:
    """The pool's word with the fewest edits, best with the same first letter; None if the word is too short to tell."""
    if len(word) < _SHORTEST_TYPO:
        return None
    allowed = min(most, 1 if len(word) < _LONG else 2)
    hits: list[tuple[str, float, int]] = []
    for size in range(max(len(word) - allowed, _SHORTEST_TYPO), len(word) + allowed + 1):
        pool = pools.get((is_cyrillic(word), size), ())
        hits += extract(word, pool, scorer=OSA.distance, score_cutoff=allowed, limit=3)
    return min(
        hits,
        key=lambda hit: (hit[1], sorted(hit[0]) != sorted(word), hit[0][0] != word[0], len(hit[0]) < len(word), hit[0]),
        default=(None,),
    )[0]
