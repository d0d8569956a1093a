"""The fields of a JSON document, and which of them a change is for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agent.demo.clauses import Clause
from agent.demo.language import fold, stem

_MOST_FIELDS = 400
_TO = r"(?:to|with|на|до|into|=|:|теперь|is now|now)"
_VALUE = re.compile(rf"(?:^|\s){_TO}\s+(?P<value>.+)$", re.IGNORECASE)
_TRAIL = re.compile(r"\s+(?:in|of|for|на|в|во|у)\s+(?:the\s+)?[^,]*$", re.IGNORECASE)
_POLITE = re.compile(r"[\s,]+(?:please|pls|plz|пожалуйста|плиз|теперь|now)\W*$", re.IGNORECASE)
_TRUE, _FALSE = {"true", "yes", "on", "да", "вкл"}, {"false", "no", "off", "нет", "выкл"}


@dataclass(frozen=True)
class Field:
    """A value of a document and its JSON Pointer (RFC 6901)."""

    pointer: str
    value: Any

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words of its keys."""
        words = re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", self.pointer)
        return frozenset(stem(w) for w in words if w and not w.isdecimal())

    @property
    def shown(self) -> str:
        """Its value in short."""
        text = str(self.value) if not isinstance(self.value, list) else f"[{len(self.value)}]"
        return text if len(text) <= 40 else text[:39] + "…"

    def typed(self, text: str) -> Any:
        """A value in words, in the type that the field has now."""
        if isinstance(self.value, bool) and text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        number = re.match(r"-?\d+(?:[.,]\d+)?", text)
        if isinstance(self.value, int | float) and not isinstance(self.value, bool) and number:
            told = float(number[0].replace(",", "."))
            return int(told) if told.is_integer() else told
        return text


def fields_of(content: Any) -> list[Field]:
    """The scalar fields and the lists of scalars of a document, in order."""
    fields: list[Field] = []
    for field in _walk(content, "", 0):
        fields.append(field)
        if len(fields) >= _MOST_FIELDS:
            break
    return fields


def _walk(value: Any, pointer: str, depth: int) -> Iterator[Field]:
    if isinstance(value, dict | list) and depth < 20:
        if isinstance(value, list) and pointer and not any(isinstance(v, dict | list) for v in value):
            yield Field(pointer, value)
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in parts:
            escaped = str(key).replace("~", "~0").replace("/", "~1")
            yield from _walk(inner, f"{pointer}/{escaped}", depth + 1)
    elif pointer:
        yield Field(pointer, value)


def rank(clause: Clause, fields: Sequence[Field]) -> list[Field]:
    """The fields that fit a clause equally best: by the words of their keys, else by their present value."""
    adding = bool(clause.acts & {"create", "grant"}) and not clause.acts & {"set", "update"}
    told = {item.stem for item in clause.items} | {stem(w) for n in clause.names for w in n.text.split()}
    scored = [(len(f.stems & told), f) for f in fields if isinstance(f.value, list) == adding]
    best = max((score for score, _ in scored), default=0)
    if best:
        return _shortest([f for score, f in scored if score == best])
    return _by_value(clause, fields)


def _shortest(fields: list[Field]) -> list[Field]:
    """Of equals the ones with the fewest other words in their keys."""
    least = min(len(f.stems) for f in fields)
    return [f for f in fields if len(f.stems) == least]


def _by_value(clause: Clause, fields: Sequence[Field]) -> list[Field]:
    """Fields whose value the clause quotes, else those that hold the same kind of measure ("24h" for "12h")."""
    scalars = [f for f in fields if not isinstance(f.value, list)]
    quoted = [fold(q) for q in clause.values("quote")] or [fold(n.text) for n in clause.names]
    named = [f for f in scalars if any(q and q in fold(str(f.value)) for q in quoted)]
    if named:
        return named
    shapes = {_shape(value) for value in clause.values("measure")}
    return [f for f in scalars if isinstance(f.value, str) and _shape(f.value) in shapes]


def _shape(text: str) -> str:
    return re.sub(r"\d+", "0", text.replace(" ", "").lower())


def new_value(clause: Clause, field: Field) -> Any:
    """The value to write: a quote, a measure, or what follows "to"; None when the clause gives none."""
    quotes = clause.values("quote")
    if len(quotes) > 1 and isinstance(field.value, str) and fold(quotes[0]) in fold(field.value):
        return field.value.replace(quotes[0], quotes[-1])
    if quotes:
        return field.typed(quotes[-1])
    if measures := clause.values("measure"):
        return field.typed(measures[-1])
    match = _VALUE.search(_POLITE.sub("", clause.own_text))
    if match:
        return field.typed(_TRAIL.sub("", match["value"]).strip(" .!»\"'"))
    numbers = clause.values("number")
    return numbers[-1] if numbers and isinstance(field.value, int | float) else None


def section_of(content: Any, words: Sequence[str]) -> Any:
    """The part of a document whose key or title has these words; None when there is none."""
    wanted = {stem(word) for word in words}
    parts = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in parts:
        title = f"{key} {value.get('title', '') if isinstance(value, dict) else ''}"
        if wanted & {stem(w) for w in re.split(r"[\W_]+", title) if w}:
            return value
        if (inner := section_of(value, words)) is not None and isinstance(value, dict | list):
            return inner
    return None
