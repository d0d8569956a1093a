"""Splits what was said into clauses: one wish each, with what is asked, what is ruled out, and the values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agent.demo import lexicon
from agent.demo.entities import Entity
from agent.demo.reading import Item, Name, Reading, find_names

READS = frozenset({"find", "list", "open", "check", "read"})
ACTIONS = frozenset(lexicon.ACTIONS)
THINGS = frozenset(lexicon.THINGS)
_ASKS = frozenset({"ask", "who", "when"})
_TOPICS = frozenset({"uncommitted", "history", "queue", "health"})
_PAST = re.compile(
    r"^(?!удали$|udali$|посл|дал)\w{2,}(?:[аеиуыя](?:л|ла|ло|ли)|лся|лась|лось|лись|ed)$|^(?:took|made|gave|ran|did|got)$",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"(?:[a-z]{3}s|[а-я]{3}(?:ы|ов|ами|ам|ах|ки|чи|ии|ок|ев|жи|ния|ний|ниям|ниями))$", re.IGNORECASE)
_SINGULAR = re.compile(r"(?:status|access|progress|alias|canvas|процесс)$", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"(?:if|that|whose|если|что|чтобы|котор\w+|\w+(?:нн|щ|вш)(?:ый|ого|ому|ым|ом|ая|ую|ой|ые|ых|ыми|ий|его|ему|ем|их|ие))",
    re.IGNORECASE,
)
_NEGATION_REACH = 4
_REMOVES = frozenset({"delete", "revoke"})
_PARTS = frozenset({"tag", "owner", "description", "section", "chart", "column", "role"})
_TAGGED = re.compile(r"(?:re)?(?:tagged|labell?ed)|т[еэ]г(?:ом|ами)|метк(?:ой|ами)", re.IGNORECASE)
_ARTICLES = frozenset({"the", "a", "an", "its", "this", "that", "all", "every", "всех", "всего"})
_WITH = frozenset({"with", "having", "have", "has", "whose", "where", "by"})
_FROM = frozenset({"from", "of", "off", "on", "in", "for", "с", "со", "у", "из", "на", "от", "к", "для", "в"})


def wished(item: Item) -> frozenset[str]:
    """The concepts of a word; a verb in the past ("was deleted") tells of an action and does not ask for it."""
    return item.concepts - ACTIONS if item.concepts & ACTIONS and _PAST.search(item.text) else item.concepts


@dataclass(frozen=True)
class Clause:
    """One wish: its items, whether it waits for the one before, and the actions it rules out."""

    items: tuple[Item, ...]
    text: str
    after: bool = False
    ruled_out: frozenset[str] = frozenset()
    borrowed: frozenset[str] = frozenset()

    @property
    def own_text(self) -> str:
        """The part of the text from its first item to its last."""
        return self.text[self.items[0].start : self.items[-1].end] if self.items else ""

    @cached_property
    def names(self) -> list[Name]:
        """What may be names, in order."""
        return find_names(self.items)

    @cached_property
    def entities(self) -> list[Entity]:
        """The values, in order; numbers that belong to a name are not among them."""
        inside = [(n.start, n.end) for n in self.names if not n.quoted]
        found = [i.entity for i in self.items if i.entity is not None]
        return [e for e in found if not any(start <= e.start < end for start, end in inside)]

    def values(self, *kinds: str) -> list[Any]:
        """The values of some kinds, in order."""
        return [e.value for e in self.entities if e.kind in kinds]

    @cached_property
    def concepts(self) -> frozenset[str]:
        """All concepts that hold, with `@kind` for each kind of value, `@name`, `@plural` and `@past`."""
        told = {c for i in self.items for c in wished(i)} - self.ruled_out
        return frozenset(told | self.borrowed | set(self._features()))

    def _features(self) -> Iterator[str]:
        yield from (f"@{e.kind}" for e in self.entities)
        yield from ("@name" for _ in self.names)
        for item, following in zip(self.items, (*self.items[1:], None), strict=False):
            if "backup" in item.concepts and not item.russian and following is not None and _is_place(following):
                yield "make_backup"
            if item.concepts & THINGS and _PLURAL.search(item.text) and not _SINGULAR.search(item.text):
                yield "@plural"
            if not item.entity and _PAST.search(item.text):
                yield "@past"
            if item.unknown and "_" in item.text:
                yield "@technical"

        if any(is_filter(self.items, at) for at in range(len(self.items))):
            yield "@tagged"
        yield from _removed(self.items)

    @property
    def acts(self) -> frozenset[str]:
        """The actions it wants, looking included."""
        return self.concepts & ACTIONS

    @property
    def named_things(self) -> frozenset[str]:
        """The things that its own words name."""
        return (self.concepts - self.borrowed) & THINGS

    @property
    def things(self) -> frozenset[str]:
        """The things it speaks of."""
        return self.concepts & THINGS


def _is_place(item: Item) -> bool:
    """An environment right behind "backup" makes that a verb in English: "backup prod", but "the prod backup"."""
    return item.entity is not None and item.entity.kind == "environment"


def is_filter(items: Sequence[Item], at: int) -> bool:
    """Whether the word about tags here says which things are meant ("tagged x", "with the x tag", "с тегом x")."""
    if "tag" not in items[at].concepts:
        return False
    if _TAGGED.fullmatch(items[at].text) or (at and items[at - 1].text.lower() in {"с", "со"}):
        return True
    for item in reversed(items[max(at - 3, 0) : at]):
        if item.text.lower() in _WITH:
            return True
        if item.concepts & THINGS or item.entity is not None:
            return False
    return False


def _removed(items: Sequence[Item]) -> Iterator[str]:
    """What a verb of removal takes away: `@whole` when that is a thing, `@part` when it is only a part of one."""
    verb = next((at for at, item in enumerate(items) if wished(item) & _REMOVES), None)
    if verb is None:
        return
    nouns = [at for at in (*range(verb + 1, len(items)), *range(verb)) if _is_object(items, at)]
    parts = [at for at in nouns if items[at].concepts & _PARTS]
    beside = any(at and (items[at - 1].entity is not None or items[at - 1].text in {"'s", "’s"}) for at in parts)
    if nouns:
        yield "@part" if nouns[0] in parts or beside else "@whole"


def _is_object(items: Sequence[Item], at: int) -> bool:
    """Whether a noun may be what the verb acts on: neither a filter nor led in by a preposition ("from dashboard")."""
    item = items[at]
    if not item.concepts & (THINGS | _PARTS) or is_filter(items, at):
        return False
    before = next((i for i in reversed(items[:at]) if i.text.lower() not in _ARTICLES), None)
    return before is None or before.text.lower() not in _FROM


def split(reading: Reading) -> list[Clause]:
    """The wishes of a text, in order. A part without a verb shares the verb of its neighbour."""
    return _shared(_merged(_clause(reading, part) for part in _parts(reading.items)))


def _parts(items: Sequence[Item]) -> Iterator[tuple[Item, ...]]:
    """Parts between separators; the separator word opens the part that it starts."""
    part: list[Item] = []
    depth = 0
    for at, item in enumerate(items):
        depth += (item.text == "(") - (item.text == ")")
        if part and depth <= 0 and _separates(items, at):
            yield tuple(part)
            part = []
        part.append(item)
    if part:
        yield tuple(part)


def _separates(items: Sequence[Item], at: int) -> bool:
    item = items[at]
    if item.text == "," and at + 1 < len(items) and _SUBORDINATE.fullmatch(items[at + 1].text):
        return False
    if item.is_mark:
        return item.text in ",;!?:" or (item.text in ".—–" and (at + 1 == len(items) or items[at + 1].start > item.end))
    return bool(item.concepts & {"and", "break", "then"}) and not item.concepts & (ACTIONS | THINGS)


def _clause(reading: Reading, items: tuple[Item, ...]) -> Clause:
    after = any("then" in i.concepts for i in items[:3])
    return Clause(items, reading.text, after, frozenset(_ruled_out(items)))


def _ruled_out(items: Sequence[Item]) -> Iterator[str]:
    """The actions that stand under a negation: the next action after "don't", or those before "не надо"."""
    for at, item in enumerate(items):
        reach = items[:at] if "not_after" in item.concepts else items[at + 1 : at + 1 + _NEGATION_REACH]
        if not item.concepts & {"not", "not_after"}:
            continue
        denied = [i for i in reach if i.concepts & ACTIONS and not _PAST.search(i.text)]
        for action in denied if "not_after" in item.concepts else denied[:1]:
            yield from action.concepts & (ACTIONS | {"migration_thing"})


def _stands(clause: Clause) -> bool:
    """Whether a part is a wish of its own: it has a verb, a question, or a negated verb."""
    asks = clause.concepts & _ASKS and (clause.things or clause.concepts & _TOPICS)
    return bool(clause.acts or clause.ruled_out or asks or "keep" in clause.concepts)


def _own_thing(clause: Clause) -> bool:
    named = clause.names or clause.entities
    return bool(clause.things and (named or "@plural" in clause.concepts))


def _merged(clauses: Iterator[Clause]) -> list[Clause]:
    """Parts that are no wish of their own join the part before."""
    merged: list[Clause] = []
    for clause in clauses:
        if merged and not _stands(clause) and not _own_thing(clause):
            merged[-1] = replace(merged[-1], items=merged[-1].items + clause.items)
        elif merged and not (_stands(merged[-1]) or _own_thing(merged[-1])):
            clause = replace(clause, items=merged[-1].items + clause.items, after=clause.after or merged[-1].after)
            merged[-1] = clause
        else:
            merged.append(clause)
    return [replace(c, ruled_out=frozenset(_ruled_out(c.items))) for c in merged]


def _shared(clauses: list[Clause]) -> list[Clause]:
    """Verbless clauses borrow the verb of the clause before them, else of the one after; "it" borrows the thing."""
    shared: list[Clause] = []
    for at, clause in enumerate(clauses):
        if clause.acts or clause.ruled_out or clause.concepts & (_ASKS | {"keep"}):
            things = frozenset() if clause.things or "it" not in clause.concepts else _last_things(shared)
            shared.append(replace(clause, borrowed=things))
            continue
        before = shared[-1].acts if shared else frozenset()
        after = clauses[at + 1].acts if at + 1 < len(clauses) and not before else frozenset()
        shared.append(replace(clause, borrowed=before or after))
    return shared


def _last_things(clauses: Sequence[Clause]) -> frozenset[str]:
    return next((clause.things for clause in reversed(clauses) if clause.things), frozenset())
