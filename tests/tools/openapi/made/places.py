"""Parameters and bodies by chance, each in every place and style that a document can name."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.tools.openapi.made.kinds import WORDS, Kind, Kinds

PATH_NAMES = ("id", "itemId", "item-id", "имя", "x.y", "_key")
NAMES = {
    "query": ("q", "id", "limit", "sort[]", "имя", "a.b", "a_b", "$top", "class", "body"),
    "header": ("X-Trace", "x.rate", "id", "Accept", "Authorization", "If-Match", "X-Ids"),
    "cookie": ("session", "id", "theme"),
}
UNASKED = frozenset({"accept", "authorization", "if-match"})
STYLES = {"path": ("simple", "label", "matrix"), "header": ("simple",), "cookie": ("form",)}
SAFE = {"path": (*WORDS, "a b", "a&b=c", "50%", "ключ", "%2F", "{id}", "+1"), "header": (*WORDS, "a b", "a&b=c")}


@dataclass(frozen=True)
class Given:
    """One parameter as the document means it."""

    place: str
    wire: str
    kind: Kind
    required: bool
    style: str
    explode: bool
    written: dict[str, Any]

    @property
    def asked(self) -> bool:
        """Whether it is an argument; some headers are the client's own."""
        return not (self.place == "header" and self.wire.lower() in UNASKED)


@dataclass(frozen=True)
class Sent:
    """A body as the document means it."""

    content_type: str
    kind: Kind
    required: bool
    written: dict[str, Any]
    encoding: dict[str, Any] = field(default_factory=dict)


def parameter(kinds: Kinds, place: str, wire: str) -> Given:
    """One parameter of this name."""
    random = kinds.random
    shape = random.choice(("one", "one", "list", "object", "json" if place == "query" else "one"))
    style, explode = _style(random, place, shape, wire)
    kind = (
        kinds.behind(_kind(kinds, place, shape)) if not (explode and shape == "object") else _kind(kinds, place, shape)
    )
    required = place == "path" or (random.random() < 0.4 and wire.lower() not in UNASKED)
    written: dict[str, Any] = {"name": wire, "in": place, "required": required}
    if shape == "json":
        written["content"] = {"application/json": {"schema": kind.schema}}
    else:
        written |= {"schema": kind.schema, "style": style, "explode": explode}
        if style == {"query": "form", "cookie": "form"}.get(place, "simple") and random.random() < 0.5:
            del written["style"]
    if place == "query" and style == "form" and shape == "one" and random.random() < 0.3:
        written["allowReserved"] = True
    if random.random() < 0.3:
        written |= {"description": "What it is for.", "deprecated": True}
    return Given(place, wire, kind, required, style, explode, written)


def _style(random: Random, place: str, shape: str, wire: str) -> tuple[str, bool]:
    if place == "cookie":
        return "form", False  # the specification leaves open what a cookie of several values is
    explode = random.random() < 0.5
    if place != "query":
        return random.choice(STYLES[place]), explode
    if shape == "object":
        deep = wire.isidentifier()  # openapi-core takes other names for regular expressions
        return random.choice((("form", explode), ("deepObject" if deep else "form", True)))
    if shape == "list":
        return random.choice((("form", explode), ("spaceDelimited", False), ("pipeDelimited", False)))
    return "form", explode


def _kind(kinds: Kinds, place: str, shape: str) -> Kind:
    if shape == "json":
        return kinds.any()
    if shape == "list":
        item = _plain(kinds)
        schema = {"type": "array", "items": item.schema, "minItems": 1}
        return Kind(schema, lambda r: [item.fits(r) for _ in range(r.randint(1, 3))],
                    lambda r: r.choice(([item.misfits(r)], [], "text")), "array")  # fmt: skip
    if shape == "object":
        fields = {f"{letter}{kinds.next()}": _plain(kinds) for letter in "xy"}  # those of no other parameter
        first = min(fields)
        schema = {"type": "object", "required": [first], "additionalProperties": False,
                  "properties": {name: kind.schema for name, kind in fields.items()}}  # fmt: skip
        return Kind(schema, lambda r: {n: k.fits(r) for n, k in fields.items() if n == first or r.random() < 0.7},
                    lambda r: {first: fields[first].misfits(r)}, "object")  # fmt: skip
    if kinds.random.random() < 0.4:
        texts = SAFE.get(place, (*SAFE["path"], "日本/#?", "🙂"))
        return Kind(
            {"type": "string", "minLength": 1}, lambda r: r.choice(texts), lambda r: r.choice(("", 5)), "string"
        )
    return _plain(kinds)


def _plain(kinds: Kinds) -> Kind:
    """A scalar without any character that a style gives a meaning."""
    return kinds.random.choice((kinds.integer, kinds.flag, kinds.choice, kinds.pattern))()


def body(kinds: Kinds) -> Sent:
    """One body."""
    make = kinds.random.choice((_json, _json, _json, _merge, _form, _multipart, _text, _bytes))
    content_type, kind, media = make(kinds)
    required = kinds.random.random() < 0.7
    content = {content_type: media}
    if content_type != "application/xml" and kinds.random.random() < 0.2:
        content = {"application/xml": {"schema": {"type": "object"}}, **content}
    return Sent(content_type, kind, required, {"required": required, "content": content}, media.get("encoding", {}))


def _json(kinds: Kinds) -> tuple[str, Kind, dict[str, Any]]:
    kind = kinds.random.choice((kinds.record, kinds.any, kinds.named))(3)
    content_type = kinds.random.choice(("application/json", "application/json; charset=utf-8", "Application/JSON"))
    return content_type, kind, {"schema": kind.schema}


def _merge(kinds: Kinds) -> tuple[str, Kind, dict[str, Any]]:
    kind = kinds.record(2)
    return (
        kinds.random.choice(("application/merge-patch+json", "application/vnd.api+json")),
        kind,
        {"schema": kind.schema},
    )


def _form(kinds: Kinds) -> tuple[str, Kind, dict[str, Any]]:
    fields = {name: _field(kinds) for name in kinds.random.sample(("id", "colours", "имя", "a b"), 3)}
    lists = {name: kind for name, kind in fields.items() if kind.type == "array"}
    encoding = {name: {"style": "form", "explode": kinds.random.random() < 0.5} for name in lists}
    kind = _object(fields)
    return (
        "application/x-www-form-urlencoded",
        kind,
        {"schema": kind.schema, **({"encoding": encoding} if encoding else {})},
    )


def _field(kinds: Kinds) -> Kind:
    return kinds.random.choice((_plain(kinds), _kind(kinds, "query", "list"), _kind(kinds, "query", "one")))


def _multipart(kinds: Kinds) -> tuple[str, Kind, dict[str, Any]]:
    raw = (
        {"type": "string", "contentMediaType": "image/png"} if kinds.modern else {"type": "string", "format": "binary"}
    )
    file = Kind(raw, lambda r: r.choice(("aGk=", "AAEC/w==")), lambda _: 7, "file")
    files = Kind({"type": "array", "items": raw}, lambda r: [file.fits(r)] * r.randint(1, 2), lambda _: [7], "files")
    meta = kinds.record(1, ("name", "size"), closed=True)
    fields = {"id": kinds.pattern(), "имя": kinds.choice(), "file": file, "more[]": files, "meta": meta}
    kind = _object({name: fields[name] for name in kinds.random.sample(sorted(fields), 3)})
    return "multipart/form-data", kind, {"schema": kind.schema}


def _object(fields: dict[str, Kind]) -> Kind:
    first = min(fields)
    schema = {"type": "object", "required": [first], "properties": {n: k.schema for n, k in fields.items()}}
    return Kind(schema, lambda r: {n: k.fits(r) for n, k in fields.items() if n == first or r.random() < 0.6},
                lambda r: {n: k.misfits(r) if n == first else k.fits(r) for n, k in fields.items()},
                "object", fields, (first,))  # fmt: skip


def _text(kinds: Kinds) -> tuple[str, Kind, dict[str, Any]]:
    kind = Kind({"type": "string"}, lambda r: r.choice(("hello", "Привет\nмир", "{}")), lambda _: 7, "string")
    written = kinds.record(1).schema if kinds.random.random() < 0.2 else None
    if written is not None:
        return "application/xml", kind, {"schema": written}
    return kinds.random.choice(("text/plain", "text/csv")), kind, {"schema": kind.schema}


def _bytes(kinds: Kinds) -> tuple[str, Kind, dict[str, Any]]:
    kind = Kind({"type": "string", "format": "binary"}, lambda r: r.choice(("aGk=", "AAEC/w==")), lambda _: 7, "bytes")
    return (
        kinds.random.choice(("application/octet-stream", "image/png")),
        kind,
        kinds.random.choice(({}, {"schema": kind.schema})),
    )
