"""Schemas with values that fit them and values that do not, written as either version of OpenAPI writes them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

WORDS = ("red", "blue", "green", "north", "south", "iron", "salt", "tide")
PUZZLES = (
    "",
    " ",
    "a b",
    "a&b=c",
    "50%",
    "%2F",
    "ключ",
    "日本",
    "#7",
    "it's",
    "+1",
    "null",
    "true",
    "🙂",
    'q"q',
    "{id}",
)
NAMES = ("name", "size", "id", "tags", "note", "if", "class", "имя", "a.b", "a b", "$top", "page[size]", "x-y", "404")
FORMATS = (
    ("date", "2024-02-29"), ("date-time", "2024-02-29T12:00:00Z"), ("uuid", "0b9c4f0e-6f0a-4b6e-9d5c-2a1b3c4d5e6f"),
    ("email", "a@example.com"), ("password", "secret"),
)  # fmt: skip
Make = Callable[[Random], Any]


@dataclass(frozen=True)
class Kind:
    """A schema, a maker of values that fit it and one of values that do not. An object has `fields`."""

    schema: Any
    fits: Make
    misfits: Make
    type: str = ""
    fields: dict[str, "Kind"] = field(default_factory=dict)
    required: tuple[str, ...] = ()


@dataclass
class Kinds:
    """Makes kinds by chance. What has a name is put among `schemas` and referred to."""

    random: Random
    modern: bool
    schemas: dict[str, Any] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    def next(self) -> int:
        """A number that no other name has."""
        return next(self._numbers)

    def any(self, depth: int = 2) -> Kind:
        """Any kind, nested so deep at most."""
        if depth <= 0:
            return self.scalar()
        ways = (self.scalar, self.scalar, self.list, self.record, self.union, self.named, self.whole, self.variants,
                self.tree, self.nullable, self.mapping)  # fmt: skip
        way = self.random.choice(ways)
        return way() if way in (self.scalar, self.tree) else way(depth)  # pyright: ignore[reportCallIssue]

    def scalar(self) -> Kind:
        """A text, a number or a truth value, with or without a bound."""
        return self.random.choice((self.text, self.pattern, self.integer, self.number, self.flag, self.choice,
                                   self.formatted, self.fixed))()  # fmt: skip

    def text(self) -> Kind:
        """Any text, bounded or not."""
        least, most = self.random.randint(0, 2), self.random.randint(8, 40)
        if self.random.random() < 0.5:
            return Kind({"type": "string"}, lambda r: r.choice((*WORDS, *PUZZLES)), _number, "string")
        schema = {"type": "string", "minLength": least, "maxLength": most}
        return Kind(schema, lambda r: r.choice(WORDS), lambda r: r.choice(("x" * (most + 1), 7, None)), "string")

    def pattern(self) -> Kind:
        """A text of a pattern."""
        schema = {"type": "string", "pattern": "^[a-z]{2,5}$"}
        return Kind(schema, lambda r: r.choice(WORDS), lambda r: r.choice(("A", "a1", 3)), "string")

    def integer(self) -> Kind:
        """A whole number with bounds."""
        least, most = self.random.randint(-9, 3), self.random.randint(5, 5_000_000_000)
        schema: dict[str, Any] = {"type": "integer", "minimum": least, "maximum": most}
        if self.random.random() < 0.3:
            schema = {"type": "integer", **self._above(least), "maximum": most}
            return Kind(
                schema, lambda r: r.randint(least + 1, most), lambda r: r.choice((least, most + 1, 1.5)), "integer"
            )
        return Kind(schema, lambda r: r.randint(least, most), lambda r: r.choice((least - 1, most + 1, "1")), "integer")

    def _above(self, bound: int) -> dict[str, Any]:
        return {"exclusiveMinimum": bound} if self.modern else {"minimum": bound, "exclusiveMinimum": True}

    def number(self) -> Kind:
        """A number, or the multiples of one."""
        if self.random.random() < 0.5:
            return Kind(
                {"type": "number"}, lambda r: r.choice((0.5, -2.25, 1e21, 7)), lambda r: r.choice(("1", True)), "number"
            )
        return Kind({"type": "number", "multipleOf": 0.5}, lambda r: r.randint(-9, 9) / 2, lambda _: 0.3, "number")

    def flag(self) -> Kind:
        """True or false."""
        return Kind({"type": "boolean"}, lambda r: r.random() < 0.5, lambda r: r.choice(("yes", 1)), "boolean")

    def choice(self) -> Kind:
        """One of a few words, or of very many."""
        words = self.random.choice((WORDS[:3], tuple(f"w{n}" for n in range(60))))
        return Kind(
            {"type": "string", "enum": list(words)},
            lambda r: r.choice(words),
            lambda r: r.choice(("other", 1)),
            "string",
        )

    def formatted(self) -> Kind:
        """A text of a format."""
        name, value = self.random.choice(FORMATS)
        return Kind({"type": "string", "format": name}, lambda _: value, _number, "string")

    def fixed(self) -> Kind:
        """One value."""
        value = self.random.choice(WORDS)
        schema = {"const": value} if self.modern else {"type": "string", "enum": [value]}
        return Kind(schema, lambda _: value, lambda r: r.choice((value + "x", 0)), "string")

    def list(self, depth: int = 1) -> Kind:
        """Some of one kind, or in 3.1 one of each."""
        if self.modern and self.random.random() < 0.2:
            parts = [self.scalar(), self.scalar()]
            schema = {"type": "array", "prefixItems": [p.schema for p in parts], "items": False, "minItems": 2}
            return Kind(
                schema, lambda r: [p.fits(r) for p in parts], lambda r: [p.fits(r) for p in (*parts, parts[0])], "array"
            )
        item = self.any(depth - 1)
        schema = {"type": "array", "items": item.schema, "minItems": 1, "maxItems": 4}
        return Kind(schema, lambda r: [item.fits(r) for _ in range(r.randint(1, 4))],
                    lambda r: r.choice(([], [item.misfits(r)], [item.fits(r)] * 5, {})), "array")  # fmt: skip

    def record(self, depth: int = 1, names: tuple[str, ...] = NAMES, closed: bool | None = None) -> Kind:
        """An object of some fields, a few of them read-only; closed, or open to more."""
        chosen = self.random.sample(names, self.random.randint(1, min(5, len(names))))
        fields = {name: self.any(depth - 1) for name in chosen}
        needed = tuple(name for name in chosen if self.random.random() < 0.5)
        closed = self.random.random() < 0.5 if closed is None else closed
        properties = {name: kind.schema for name, kind in fields.items()}
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if needed:
            schema["required"] = list(needed)
        if closed:
            schema["additionalProperties"] = False
        if self.random.random() < 0.2:
            properties["made_at"] = {"type": "string", "readOnly": True}
            schema["required"] = [*needed, "made_at"]
        return Kind(schema, _fields_of(fields, needed), _misfit_of(fields, needed, closed), "object", fields, needed)

    def mapping(self, depth: int = 1) -> Kind:
        """An object of any names, each with a value of one kind."""
        item = self.any(depth - 1)
        schema = {"type": "object", "additionalProperties": item.schema}
        return Kind(
            schema, lambda r: {n: item.fits(r) for n in r.sample(NAMES, 2)}, lambda r: {"a": item.misfits(r)}, "object"
        )

    def union(self, depth: int = 1) -> Kind:
        """A number or a list or an object."""
        parts = (self.integer(), self.list(depth), self.record(depth))
        key = self.random.choice(("anyOf", "oneOf"))
        return Kind(
            {key: [p.schema for p in parts]},
            lambda r: r.choice(parts).fits(r),
            lambda r: r.choice((None, "text", True)),
        )

    def nullable(self, depth: int = 1) -> Kind:
        """A kind or null; in 3.0 an object under a name only around `allOf`, where whether null fits is disputed."""
        if not self.modern and self.random.random() < 0.3:
            kind = self.record(depth)
            around = {"nullable": True, "allOf": [self._define("Maybe", kind.schema)]}
            return replace(kind, schema=around, fields={}, misfits=lambda r: _not_null(kind, r))
        inner = self.scalar() if depth < 2 or not self.modern else self.any(depth - 1)
        schema = self._or_null(inner)
        return Kind(
            schema, lambda r: None if r.random() < 0.4 else inner.fits(r), lambda r: _not_null(inner, r), inner.type
        )

    def _or_null(self, inner: Kind) -> Any:
        schema = inner.schema
        if not self.modern:
            words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
            return {**schema, **words, "nullable": True}
        if "enum" in schema or not isinstance(schema.get("type"), str) or self.random.random() < 0.5:
            return {"anyOf": [schema, {"type": "null"}]}
        return {**schema, "type": [schema["type"], "null"]}

    def named(self, depth: int = 1) -> Kind:
        """A kind under a name, referred to, sometimes through another name."""
        kind = self.any(depth - 1)
        ref = self._define(self.random.choice(("Thing", "Вещь", "a.b", "List[Item]", "x~y/z")), kind.schema)
        if self.random.random() < 0.2:
            ref = self._define("Alias", ref)
        if self.modern and self.random.random() < 0.3:
            ref = {**ref, "description": "said beside the reference"}
        return replace(kind, schema=ref)

    def behind(self, kind: Kind) -> Kind:
        """The same, now and then under a name."""
        return replace(kind, schema=self._define("Plain", kind.schema)) if self.random.random() < 0.2 else kind

    def _define(self, name: str, schema: Any) -> dict[str, str]:
        key = f"{name}{len(self.schemas)}"
        self.schemas[key] = schema
        return {"$ref": "#/components/schemas/" + key.replace("~", "~0").replace("/", "~1")}

    def whole(self, depth: int = 1) -> Kind:
        """What two parts say together (`allOf`), or one part with a description around it."""
        if self.random.random() < 0.3:
            kind = self.named(depth)
            return replace(kind, schema={"allOf": [kind.schema], "description": "as FastAPI once wrote it"})
        one = self.record(depth, ("name", "size", "id"), closed=False)
        two = self.record(depth, ("note", "tags", "имя"), closed=False)
        schema = {"allOf": [self._define("Base", one.schema), two.schema]}
        return Kind(schema, lambda r: one.fits(r) | two.fits(r), lambda r: r.choice((one.misfits(r), [], 1)), "object")

    def variants(self, depth: int = 1) -> Kind:
        """One of several objects that a field tells apart."""
        made = {}
        for name in self.random.sample(("Cat", "Dog", "Bird", "Рыба"), 2):
            kind = self.record(depth, ("name", "size", "lives"), closed=False)
            value = f"{name}{len(self.schemas)}"  # the name that the schema will have
            tag: Any = {"const": value} if self.modern else {"type": "string", "enum": [value]}
            schema = {**kind.schema, "properties": {**kind.schema["properties"], "kind": tag},
                      "required": [*kind.schema.get("required", ()), "kind"]}  # fmt: skip
            made[value] = (kind, self._define(name, schema))
        refs = [ref for _, ref in made.values()]
        teller: dict[str, Any] = {"propertyName": "kind"}
        if self.random.random() < 0.7:
            teller["mapping"] = {name: ref["$ref"] for name, (_, ref) in made.items()}
        key = self.random.choice(("oneOf", "anyOf"))
        return Kind({key: refs, "discriminator": teller}, lambda r: _variant(made, r),
                    lambda r: r.choice(({"kind": "Snake"}, {}, "Cat")))  # fmt: skip

    def tree(self) -> Kind:
        """A node with more of its kind below it, by way of another or not."""
        name = f"Node{len(self.schemas)}"
        ref = {"$ref": f"#/components/schemas/{name}"}
        label = self.scalar()
        below: Any = {"type": "array", "items": ref}
        self.schemas[name] = {"type": "object", "required": ["label"], "additionalProperties": False}
        if self.random.random() < 0.5:
            below = self._define("Nodes", below)
        self.schemas[name]["properties"] = {"label": label.schema, "below": below}

        def grow(r: Random, depth: int = 3) -> Any:
            more = {"below": [grow(r, depth - 1) for _ in range(r.randint(0, 2))]} if depth and r.random() < 0.7 else {}
            return {"label": label.fits(r), **more}

        def spoil(r: Random) -> Any:
            bad = r.choice(({"label": label.misfits(r)}, {}, {"label": label.fits(r), "other": 1}))
            return r.choice((bad, {"label": label.fits(r), "below": [{"label": label.fits(r), "below": [bad]}]}))

        return Kind(ref, grow, spoil, "object")


def _number(_: Random) -> Any:
    return 7


def _not_null(kind: Kind, random: Random) -> Any:
    return next(v for v in (kind.misfits(random) for _ in range(100)) if v is not None)


def _variant(made: dict[str, tuple[Kind, Any]], random: Random) -> Any:
    name = random.choice(sorted(made))
    return {**made[name][0].fits(random), "kind": name}


def _fields_of(fields: dict[str, Kind], needed: tuple[str, ...]) -> Make:
    return lambda r: {n: kind.fits(r) for n, kind in fields.items() if n in needed or r.random() < 0.5}


def _misfit_of(fields: dict[str, Kind], needed: tuple[str, ...], closed: bool) -> Make:
    """A wrong field, a missing one, or one too many."""

    def make(random: Random) -> Any:
        value = {name: kind.fits(random) for name, kind in fields.items()}
        name = random.choice(sorted(fields))
        spoiled = [{**value, name: fields[name].misfits(random)}, [value]]
        spoiled += [{k: v for k, v in value.items() if k != needed[0]}] if needed else []
        spoiled += [{**value, "unknown": 1}] if closed else []
        return random.choice(spoiled)

    return make
