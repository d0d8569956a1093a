"""Words of Russian and English text: tokens, stems, which language, and readings of a word typed in the wrong one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import Stemmer

Lang = Literal["en", "ru"]

_WORD = re.compile(r"\w+(?:[-.'’@]+\w+)*|[^\w\s]")
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)
_ENDING = re.compile(r"(?<=[a-z0-9])['’-][а-яё]+$", re.IGNORECASE)
_LAYOUT_EN = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
_LAYOUT_RU = "ёйцукенгшщзхъфывапролджэячсмитьбю"
_TO_RU = str.maketrans(_LAYOUT_EN + _LAYOUT_EN.upper(), _LAYOUT_RU + _LAYOUT_RU.upper())
_TO_EN = str.maketrans(_LAYOUT_RU + _LAYOUT_RU.upper(), _LAYOUT_EN + _LAYOUT_EN.upper())
_LETTERS = (
    ("shch", "щ"), ("sch", "щ"), ("zh", "ж"), ("kh", "х"), ("ts", "ц"), ("ch", "ч"), ("sh", "ш"), ("yo", "ё"),
    ("yu", "ю"), ("ya", "я"), ("ju", "ю"), ("ja", "я"), ("ay", "ай"), ("ey", "ей"), ("iy", "ий"), ("oy", "ой"),
    ("uy", "уй"), ("a", "а"), ("b", "б"), ("c", "ц"), ("d", "д"), ("e", "е"), ("f", "ф"), ("g", "г"), ("h", "х"),
    ("i", "и"), ("j", "й"), ("k", "к"), ("l", "л"), ("m", "м"), ("n", "н"), ("o", "о"), ("p", "п"), ("q", "к"),
    ("r", "р"), ("s", "с"), ("t", "т"), ("u", "у"), ("v", "в"), ("w", "в"), ("x", "кс"), ("y", "ы"), ("z", "з"),
    ("'", "ь"),
)  # fmt: skip
_SOUND = re.compile("|".join(latin for latin, _ in _LETTERS))
_SOUNDS = dict(_LETTERS)


@dataclass(frozen=True, slots=True)
class Word:
    """One word or punctuation mark of a text: as typed, and where it stands (in characters)."""

    text: str
    start: int
    end: int

    @property
    def stem(self) -> str:
        """The stem, lower case, `ё` as `е`, without a Russian ending on a Latin word (viewer'ом)."""
        return stem(self.text)

    @property
    def is_mark(self) -> bool:
        """Whether this is punctuation."""
        return not self.text[0].isalnum() and self.text[0] != "_"


def words(text: str) -> list[Word]:
    """The words and punctuation marks of a text, in order."""
    return [Word(m[0], m.start(), m.end()) for m in _WORD.finditer(text)]


@lru_cache(maxsize=1)
def _stemmers() -> tuple[Stemmer.Stemmer, Stemmer.Stemmer]:
    return Stemmer.Stemmer("russian"), Stemmer.Stemmer("english")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The Snowball stem of a word in its own script."""
    lower = _ENDING.sub("", word.lower().replace("ё", "е"))
    if len(lower) <= 3:
        return lower
    russian, english = _stemmers()
    return russian.stemWord(lower) if _CYRILLIC.search(lower) else english.stemWord(lower)


def readings(word: str) -> Iterator[str]:
    """A word as typed, then as it may have been meant: other keyboard layout, Russian in Latin letters."""
    yield word
    if _CYRILLIC.search(word):
        yield word.translate(_TO_EN)
    elif _LATIN.search(word):
        yield word.translate(_TO_RU)
        yield _SOUND.sub(lambda m: _SOUNDS[m[0]], word.lower())


def other_layout(chunk: str) -> str:
    """What the same keys give in the other keyboard layout."""
    return chunk.translate(_TO_EN if _CYRILLIC.search(chunk) else _TO_RU)


def language(text: str) -> Lang:
    """Russian when a word of the text is mostly Cyrillic, else English."""
    return "ru" if _CYRILLIC.search(text) else "en"


def fold(text: str) -> str:
    """A name for comparing: lower case, `ё` as `е`, single spaces, no quotes."""
    return " ".join(re.sub(r"[«»\"“”'`]", "", text).lower().replace("ё", "е").split())
