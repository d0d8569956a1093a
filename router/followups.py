"""What a short follow-up leans on: the things and the tools of the last turns."""

from collections.abc import Mapping, Sequence

from router.entry import Entry
from router.lexicon import Lexicon
from router.reading import Part, Reading
from router.text import name_words

_POINTERS = {
    "it", "that", "this", "them", "those", "one", "same", "there", "him", "her", "his", "first", "second", "third", "other", "last",
    "его", "ее", "их", "ему", "ей", "нее", "него", "им", "этот", "эту", "это", "эти", "этого", "этой", "там", "туда", "тогда", "первый",
    "первую", "второй", "вторую", "второе", "третий", "третью", "третьей", "другой", "другую", "последний", "обратно", "ней", "нем", "так",
}  # fmt: skip
_SHORT = 4
_CONTEXT_WEIGHT = 0.8


class Followups:
    """The things that tools act on, and which tools come next after which."""

    def __init__(self, entries: Mapping[str, Entry], lexicon: Lexicon):
        self._entries, self._lexicon = entries, lexicon
        self._things = {name: self._things_of(name) for name in entries}
        self._known = set().union(*self._things.values()) if entries else set()

    def _things_of(self, name: str) -> set[str]:
        concepts = {c for word in name_words(name) for c in self._lexicon.of(word)}
        return {f"@{c}" for c in concepts if self._lexicon.section[c] == "things"}

    def things(self, name: str) -> set[str]:
        """The things, as terms, that a tool's name speaks of."""
        return self._things[name]

    def leans(self, reading: Reading, recent: Sequence[Sequence[str]]) -> bool:
        """Whether the query makes sense only after the last turns: it names no thing, or points back at one."""
        if not recent or (reading.parts and reading.parts[0].outside):
            return False
        pointing = any(word.meant in _POINTERS for word in reading.words)
        names = reading.parts and self._known & reading.parts[0].terms.keys()
        return not names or (pointing and len(reading.words) <= 2 * _SHORT) or len(reading.words) <= _SHORT

    def lend(self, reading: Reading, recent: Sequence[Sequence[str]]) -> None:
        """Give the parts that name no thing the things of the last turn's tools."""
        things = {thing for name in recent[-1] if name in self._entries for thing in self._things[name]}
        if not reading.parts:
            reading.parts.append(Part(" ".join(w.raw for w in reading.words), {}))
        for part in reading.parts:
            if not self._known & part.terms.keys():
                part.terms |= {thing: _CONTEXT_WEIGHT for thing in things}

    def next_after(self, recent: Sequence[Sequence[str]]) -> dict[str, float]:
        """A head start for the last turn's tools and for those that follow on them, by name."""
        used = [name for name in recent[-1] if name in self._entries]
        around = {*used, *(c for name in used for c in self._entries[name].companions)}
        steps = {n: 0.1 for n, e in self._entries.items() if around & set(e.companions)}
        return steps | {name: 0.3 for name in used}
