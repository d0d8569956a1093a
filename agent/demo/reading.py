"""Reads a text into items: words with the concepts they stand for, values, and words of names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from agent.demo import lexicon
from agent.demo.entities import Entity, find_entities
from agent.demo.language import Lang, Word, language, other_layout, stem, words
from agent.demo.vocabulary import known, meaning, phrase_at

_GRAMMAR = frozenset({"filler", "and", "break", "then", "not", "not_after"})
_ANY_DAY = date(2000, 1, 1)
_INSIDE_NAMES = frozenset("&/+-–—.()")


@dataclass(frozen=True)
class Item:
    """A word, phrase, mark or value of a text; without concepts and entity it is part of a name."""

    text: str
    start: int
    end: int
    concepts: frozenset[str] = field(default_factory=frozenset)
    entity: Entity | None = None
    is_mark: bool = False
    russian: bool = False

    @property
    def unknown(self) -> bool:
        """Whether the word is none that the lexicon knows: most likely part of a name."""
        return not (self.concepts or self.entity or self.is_mark)

    @property
    def grammar(self) -> bool:
        """Whether the word only holds the sentence together."""
        return bool(self.concepts) and self.concepts <= _GRAMMAR

    @cached_property
    def stem(self) -> str:
        """The stem of the word."""
        return stem(self.text)


@dataclass(frozen=True)
class Reading:
    """A text, its language and its items."""

    text: str
    lang: Lang
    items: tuple[Item, ...]


def read(text: str, today: date) -> Reading:
    """The items of a text; a text typed in the other keyboard layout is read as it was meant."""
    meant = in_right_layout(text)
    items = _names_kept(list(_items(meant, find_entities(meant, today))))
    return Reading(meant, _language(meant, items), tuple(items))


def in_right_layout(text: str) -> str:
    """The text with words of the other keyboard layout put right, when at least one longer word needs it."""
    chunks = [_in_layout(chunk) for chunk in text.split(" ")]
    if not any(len(meant) > 3 for _, meant in chunks if meant):
        return text
    return " ".join(meant or typed for typed, meant in chunks)


def _in_layout(chunk: str) -> tuple[str, str]:
    """A chunk as typed and as meant; the second is empty when it is fine as typed."""
    meant = other_layout(chunk)
    if meant == chunk or any(meaning(w.text) or _has_value(w.text) for w in words(chunk) if not w.is_mark):
        return chunk, ""
    parts = [w.text for w in words(meant) if not w.is_mark]
    return chunk, meant if parts and all(known(p) or _has_value(p) for p in parts) else ""


def _has_value(word: str) -> bool:
    return any(e.kind in {"environment", "role", "date"} for e in find_entities(word, _ANY_DAY))


def _language(text: str, items: Sequence[Item]) -> Lang:
    """Russian also when more words are Russian in Latin letters than English."""
    told = [i for i in items if i.concepts]
    russian = sum(i.russian for i in told)
    return "ru" if language(text) == "ru" or russian > len(told) - russian else "en"


def _items(text: str, entities: list[Entity]) -> Iterator[Item]:
    tokens = _tokens(text, entities)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if isinstance(token, Entity):
            yield Item(text[token.start : token.end], token.start, token.end, entity=token)
            at += 1
            continue
        length, concepts = phrase_at(_stems(tokens[at : at + 5]))
        if length:
            last = tokens[at + length - 1]
            yield Item(text[token.start : last.end], token.start, last.end, concepts, russian=not token.text.isascii())
            at += length
            continue
        yield _word_item(token, first=at == 0 or _ends_sentence(tokens[at - 1]))
        at += 1


def _tokens(text: str, entities: list[Entity]) -> list[Word | Entity]:
    """Words and values in order; a word that a value covers is left out."""
    free = [w for w in words(text) if all(w.end <= e.start or w.start >= e.end for e in entities)]
    return sorted([*free, *entities], key=lambda t: t.start)


def _stems(tokens: Sequence[Word | Entity]) -> list[str]:
    """The stems of the words before the next value or mark."""
    stems: list[str] = []
    for token in tokens:
        if isinstance(token, Entity) or token.is_mark:
            break
        stems.append(token.stem)
    return stems


def _ends_sentence(token: Word | Entity) -> bool:
    return isinstance(token, Word) and token.text in ".!?:"


def _word_item(word: Word, first: bool) -> Item:
    if word.is_mark:
        return Item(word.text, word.start, word.end, is_mark=True)
    technical = "_" in word.text or any(c.isdigit() for c in word.text)
    guess = not technical and (first or not word.text[0].isupper() or word.text.isupper())
    told = meaning(word.text, guess) if not technical else meaning("")
    return Item(word.text, word.start, word.end, told.concepts, russian=told.russian)


def _names_kept(items: list[Item]) -> list[Item]:
    """Known words that stand capitalised inside a name ("Sales Backup Overview") become part of it.

    So does a verb right behind the word "tag": "add the tag archive".
    """
    kept = list(items)
    for at, item in enumerate(kept):
        before, after = kept[at - 1] if at else None, kept[at + 1] if at + 1 < len(kept) else None
        named_before = before is not None and before.unknown and before.text[0].isupper()
        named_after = at > 0 and after is not None and after.unknown and after.text[0].isupper()
        tag = before is not None and "tag" in before.concepts and bool(item.concepts & lexicon.ACTIONS.keys())
        if tag or (item.concepts and item.text[0].isupper() and (named_before or named_after)):
            kept[at] = replace(item, concepts=frozenset())
    return kept


@dataclass(frozen=True)
class Name:
    """What may be the name of something: its words, the word before it, whether it was quoted."""

    text: str
    start: int
    end: int
    quoted: bool = False
    before: Item | None = None
    after: Item | None = None

    @property
    def preposition(self) -> str:
        """The preposition before the name, lower case; empty without one."""
        return self.before.text.lower() if self.before is not None and self.before.grammar else ""


def find_names(items: Sequence[Item]) -> list[Name]:
    """Runs of unknown words, and quotes, in order."""
    names: list[Name] = []
    at = 0
    while at < len(items):
        end = _name_end(items, at)
        if end == at:
            at += 1
            continue
        names.append(_name(items, at, end))
        at = end
    return names


def _name(items: Sequence[Item], at: int, end: int) -> Name:
    before = items[at - 1] if at else None
    after = items[end] if end < len(items) else None
    entity = items[at].entity
    if entity is not None:
        return Name(entity.value, items[at].start, items[at].end, True, before, after)
    return Name(_joined(items[at:end]), items[at].start, items[end - 1].end, False, before, after)


def _joined(items: Sequence[Item]) -> str:
    """The words as typed, single spaces, without a possessive ending."""
    text = items[0].text
    for previous, item in zip(items, items[1:], strict=False):
        text += (" " if item.start > previous.end else "") + item.text
    return text.removesuffix("'s").removesuffix("’s")


def _name_end(items: Sequence[Item], at: int) -> int:
    """Where the name that starts here ends; `at` itself when none starts."""
    first = items[at]
    if first.entity is not None:
        return at + (first.entity.kind == "quote")
    if not first.unknown:
        return at
    end = at + 1
    while end < len(items):
        if items[end].unknown or _number_of_name(items, end):
            end += 1
        elif (size := _bridge(items, end)) > 0:
            end += size
        else:
            break
    return end


def _number_of_name(items: Sequence[Item], at: int) -> bool:
    """Whether a number belongs to the name before it ("Test 2")."""
    entity = items[at].entity
    return entity is not None and entity.kind == "number" and items[at].text.isdigit() and items[at - 1].unknown


def _bridge(items: Sequence[Item], at: int) -> int:
    """How many items from here join two parts of a name: "по", "of", "(copy)"; 0 when the name ends."""
    item = items[at]
    if item.text == "(" and at + 2 < len(items) and items[at + 1].end <= items[at + 2].start:
        closing = next((i for i in range(at + 1, min(at + 5, len(items))) if items[i].text == ")"), 0)
        return closing - at + 1 if closing else 0
    joins = (item.is_mark and item.text in _INSIDE_NAMES) or item.text.lower() in {"по", "of", "без", "для", "в", "per"}
    return 2 if joins and at + 1 < len(items) and items[at + 1].unknown else 0
