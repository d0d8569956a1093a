"""What a clause leans on: the things named before it, in the query or in the last turns."""

from collections.abc import Mapping, Sequence

import numpy as np

from router.entry import Entry
from router.lexicon import Lexicon
from router.reading import Part, Reading, Terms
from router.text import name_words, stem

_POINTERS = {
    "it", "that", "this", "them", "those", "one", "same", "there", "him", "her", "his", "first", "second", "third",
    "other", "last", "его", "ее", "их", "ему", "ей", "нее", "него", "им", "этот", "эту", "это", "эти", "этого",
    "этой", "там", "туда", "тогда", "первый", "первую", "второй", "вторую", "второе", "третий", "третью", "третьей",
    "другой", "другую", "последний", "обратно", "ней", "нем", "так", "too", "also", "again", "likewise", "тоже",
    "также", "самое", "аналогично",
}  # fmt: skip
_SHORT = 4
_LENT = 0.8
_GO = {"go", "yes", "давай", "да", "ага", "угу", "го", "вперед"}
_USED, _NEXT, _NEXT_READ = 0.3, 0.1, 0.25


class Context:
    """The things that the tools of a catalogue act on, and which tools follow on which."""

    def __init__(self, entries: Mapping[str, Entry], lexicon: Lexicon):
        self._entries, self._lexicon = entries, lexicon
        self._things = {name: _things(name, lexicon) for name in entries}
        self._known = frozenset[str]().union(*self._things.values())
        self._none = np.zeros(len(entries), dtype=bool)
        self._masks = {t: np.array([t in things for things in self._things.values()]) for t in self._known}

    def on(self, terms: Terms) -> np.ndarray:
        """A mask of the tools whose names speak of a thing among the terms."""
        mask = self._none
        for thing in self._known & terms.keys():
            mask = mask | self._masks[thing]
        return mask

    def worked_on(self, parts: Sequence[Part]) -> np.ndarray:
        """For each part that names a thing but no act, a mask of the tools that work on the thing."""
        return np.array([self.on(part.terms) if part.vague else self._none for part in parts])

    def lend_within(self, reading: Reading) -> None:
        """Give clauses that name no thing, and what they rule out, the things of the clauses before them."""
        before: frozenset[str] = frozenset()
        for part, unwanted in zip(reading.parts, reading.unwanted, strict=True):
            named = self._known & (part.terms.keys() | unwanted.keys())
            if any(map(self._lexicon.is_act, unwanted)):
                self._lend(unwanted, before)
            part.about = bool(self._known & part.terms.keys())
            does = any(map(self._lexicon.does, part.terms))
            part.request, part.vague = part.about and does, part.about and not does
            if part.telling:
                self._lend(part.terms, named or before)
            before = named or before

    def _lend(self, terms: Terms, things: frozenset[str]) -> None:
        if not self._known & terms.keys():
            terms |= dict.fromkeys(things, _LENT)

    def leans(self, reading: Reading, recent: Sequence[Sequence[str]]) -> bool:
        """Whether the query makes sense only after the last turns: it is short, points back or names no thing."""
        if not recent or not reading.words or self._talks(reading):
            return False
        pointing = any(word.meant in _POINTERS for word in reading.words)
        named = any(self._known & part.terms.keys() for part in reading.parts)
        return not named or len(reading.words) <= (2 * _SHORT if pointing else _SHORT)

    def _talks(self, reading: Reading) -> bool:
        """Whether something of everyday life is all that the query asks for: not "thanks, now delete the second"."""
        acting = any(not part.outside and any(map(self._lexicon.is_act, part.terms)) for part in reading.parts)
        return not acting and any(part.outside for part in reading.parts)

    def lend_recent(self, reading: Reading, used: Sequence[str]) -> None:
        """Give the clauses that name no thing the things of the last turn's tools and of those that follow on them."""
        reading.carried = frozenset(self.head_start(used))
        things = frozenset[str]().union(*(self._things[name] for name in reading.carried))
        for part in reading.parts:
            self._lend(part.terms, things)
        for word in reading.words:
            if word.meant in _GO:
                reading.parts[word.clause].terms.setdefault("@run", 1.0)

    def head_start(self, used: Sequence[str]) -> dict[str, float]:
        """What the last turn's tools, and those that follow on them, are worth beforehand."""
        known = [name for name in used if name in self._entries]
        following = {n: _NEXT_READ if self._entries[n].effect == "read" else _NEXT for n in self._following(known)}
        return following | dict.fromkeys(known, _USED)

    def _following(self, used: Sequence[str]) -> list[str]:
        """Tools that work on what the used ones, or their companions, found."""
        around = {*used, *(c for name in used for c in self._entries[name].companions)}
        return [name for name, entry in self._entries.items() if around & set(entry.companions)]


def _things(name: str, lexicon: Lexicon) -> frozenset[str]:
    """What a tool acts on: things of the lexicon in its name, and words that the lexicon knows nothing of."""
    named = [word for word in name_words(name) if word not in lexicon.stop]
    terms = {f"@{concept}" for word in named for concept in lexicon.of(word)}
    return frozenset(filter(lexicon.is_thing, terms)) | {stem(word) for word in named if not lexicon.of(word)}
