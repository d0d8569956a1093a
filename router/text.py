"""Words of a text and their stems, for Russian and English at once."""

import re
from functools import lru_cache

import Stemmer

_TOKEN = re.compile(r"\d+(?:\.\d+)?\s?%|[a-zа-я0-9]+(?:[-_.@][a-zа-я0-9]+)*(?:['’][a-zа-я]+)?", re.I)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PART = re.compile(r"(?<=[.!?])\s+|[,;:]\s|\s-\s|\band\b|\bи\b|&")
_CYRILLIC = re.compile("[а-я]", re.I)
_CLITIC = re.compile(r"['’](?:s|re|ve|d|ll|m|[а-я]+)$")
_RUSSIAN = Stemmer.Stemmer("russian")
_ENGLISH = Stemmer.Stemmer("english")


def is_cyrillic(word: str) -> bool:
    """Whether the word holds a Cyrillic letter."""
    return bool(_CYRILLIC.search(word))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The Snowball stem of one lower-case word, by its script (https://snowballstem.org)."""
    return (_RUSSIAN if is_cyrillic(word) else _ENGLISH).stemWord(word)


def plain(text: str) -> str:
    """The text with ё as е and one kind of apostrophe."""
    return text.replace("ё", "е").replace("Ё", "Е").replace("’", "'").replace("`", "'")


def tokens(text: str) -> list[tuple[str, int, int]]:
    """Words in their own case with start and end; hyphens part words, except in ids such as bk-204."""
    found = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if "-" in token and not any(c.isdigit() for c in token):
            found += _hyphenated(token, match.start())
        else:
            found.append((_CLITIC.sub("", token), match.start(), match.end()))
    return found


def _hyphenated(token: str, start: int) -> list[tuple[str, int, int]]:
    parts = []
    for part in token.split("-"):
        parts.append((_CLITIC.sub("", part), start, start + len(part)))
        start += len(part) + 1
    return parts


def words(text: str) -> list[str]:
    """Lower-case words of a text."""
    return [token.lower() for token, _, _ in tokens(plain(text))]


def name_words(name: str) -> list[str]:
    """Words of an identifier: `delete_dashboard`, `MusicTool` and `PDF&URLTool` alike."""
    return words(_CAMEL.sub(" ", name).replace("_", " "))


@lru_cache(maxsize=20_000)
def shape(token: str) -> str | None:
    """What an id-like token looks like: `snake`, `login`, `hash`, `number`, `percent`, `id` (bk-204), or None."""
    if token[-1] == "%":
        return "percent"
    if token.isdigit():
        return "number"
    if re.fullmatch(r"(?=.*\d)[0-9a-f]{6,40}", token):
        return "hash"
    if "_" in token:
        return "snake"
    if "@" in token or re.fullmatch(r"[a-zа-я]\.[a-zа-я]{3,}", token, re.I):
        return "login"
    return "id" if any(c.isdigit() for c in token) else None


def sentences(text: str) -> list[str]:
    """A description cut at sentence ends, commas and conjunctions, into parts that say one thing each."""
    return [part.strip() for part in _PART.split(text) if part and len(part.strip()) > 3]
