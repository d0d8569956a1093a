"""General synonyms in Russian and English: groups of words that mean the same act or thing."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise

from router.text import plain, stem, words

_PARTICLES = {"off", "on", "back", "out", "up", "down", "away", "over", "from", "in", "into"}
_GAP = 3


class Lexicon:
    """Words to concepts. A pattern is a word (compared by stem), a prefix (`удал*`) or several words in order.

    `groups` maps sections (`actions`, `questions`, `things`, `outside`) to groups to patterns by language.
    `everyday` are sentences that concern no tool, `shapes` maps id-like tokens (see `text.shape`) to the thing
    they name.
    """

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]],
        stop: Iterable[str] = (),
        everyday: Iterable[str] = (),
        shapes: Mapping[str, str] | None = None,
    ):
        self.stop = frozenset(stop)
        self.everyday = tuple(everyday)
        self.shapes = dict(shapes or {})
        self.section: dict[str, str] = {}
        self.surface: set[str] = set()  # words that a typo may be meant as
        self.words: set[str] = {word for text in self.everyday for word in words(text)}  # words that are no typos
        self._stems: dict[str, list[str]] = defaultdict(list)
        self._prefixes: dict[str, list[str]] = defaultdict(list)
        self._sequences: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)  # by first two letters
        for section, named in groups.items():
            for name, languages in named.items():
                self.section[name] = section
                for pattern in (p for patterns in languages.values() for p in patterns):
                    self._add(plain(pattern.lower()), name)
        self._longest = max((len(p) for p in self._prefixes), default=0)
        self.of = lru_cache(maxsize=20_000)(self._concepts)
        self._begun_by = lru_cache(maxsize=20_000)(self._beginnings)
        self._continued_by = lru_cache(maxsize=50_000)(self._continuations)

    def _add(self, pattern: str, concept: str) -> None:
        parts = pattern.replace("-", " ").split()
        self.words.update(part for part in parts if not part.endswith("*"))
        if len(parts) > 1:
            self._sequences[parts[0][:2]].append((tuple(parts), concept))
        elif pattern.endswith("*"):
            self._prefixes[pattern[:-1]].append(concept)
        else:
            if self.section[concept] != "outside":
                self.surface.add(pattern)
            self._stems[stem(pattern)].append(concept)

    def _concepts(self, word: str) -> tuple[str, ...]:
        found = list(self._stems.get(stem(word), ()))
        for size in range(2, min(len(word), self._longest) + 1):
            found += self._prefixes.get(word[:size], ())
        return tuple(dict.fromkeys(found))

    def sequences(self, text: Sequence[str]) -> list[tuple[int, int, str]]:
        """Patterns of several words in a text: first word's index, last word's index, concept."""
        found = []
        for start, (word, following) in enumerate(pairwise(text)):
            for rest, concept in self._continued_by(word, following):
                end = _follow(text, start, rest)
                if end is not None:
                    found.append((start, end, concept))
        return found

    def _beginnings(self, word: str) -> list[tuple[tuple[str, ...], str]]:
        """What must follow on a word, for each pattern that it begins."""
        return [(pattern[1:], c) for pattern, c in self._sequences.get(word[:2], ()) if _fits(word, pattern[0])]

    def _continuations(self, word: str, following: str) -> list[tuple[tuple[str, ...], str]]:
        """Those of them that the following word allows."""
        return [(r, c) for r, c in self._begun_by(word) if r[0] in _PARTICLES or _fits(following, r[0])]

    def is_act(self, term: str) -> bool:
        """Whether the term is a concept of changing something, rather than of asking."""
        return self.section.get(term[1:]) == "actions"

    def does(self, term: str) -> bool:
        """Whether the term is a concept of doing or asking something."""
        return self.section.get(term[1:]) in ("actions", "questions")

    def is_thing(self, term: str) -> bool:
        """Whether the term is a concept of a thing."""
        return self.section.get(term[1:]) == "things"

    def is_outside(self, term: str) -> bool:
        """Whether the term is a concept of everyday life rather than of work with a system."""
        return self.section.get(term[1:]) == "outside"


def _follow(words: Sequence[str], at: int, rest: Sequence[str]) -> int | None:
    """Index of the last word if `rest` follows; a particle may stand a few words later (turn it off)."""
    for pattern in rest:
        reach = _GAP if pattern in _PARTICLES else 0
        for ahead in range(at + 1, min(at + 2 + reach, len(words))):
            if _fits(words[ahead], pattern):
                at = ahead
                break
        else:
            return None
    return at


def _fits(word: str, pattern: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern or stem(word) == stem(pattern)


@lru_cache(maxsize=1)
def packaged_lexicon() -> Lexicon:
    """The lexicon that comes with the router."""
    data = json.loads(resources.files("router").joinpath("lexicon.json").read_text("utf-8"))
    groups = {section: data[section] for section in ("actions", "questions", "things", "outside")}
    return Lexicon(groups, _flat(data["stop"]), _flat(data["everyday"]), data["shapes"])


def _flat(by_language: Mapping[str, Sequence[str]]) -> list[str]:
    return [item for items in by_language.values() for item in items]
