"""Documents of many operations, made from a seed, with what each of their operations means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.tools.openapi.made.kinds import Kinds
from tests.tools.openapi.made.places import NAMES, PATH_NAMES, Given, Sent, body, parameter

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
IDS = (
    "list_things",
    "List Things",
    "загрузить_файл",
    "获取列表",
    "🙂",
    "404",
    "a" * 90,
    "b-" * 60,
    "get.thing/now",
    "  ",
)
OFF = {
    "names nothing": "a reference to nothing",
    "another place": "a reference to another host",
    "no name": "a parameter without a name",
    "in a circle": "references in a circle",
    "arguments; a model": "more required arguments than a model is offered",
}


@dataclass(frozen=True)
class Meant:
    """One operation as its document means it. `off` is a part of the reason why it cannot be a tool, or empty."""

    method: str
    path: str
    off: str = ""
    parameters: tuple[Given, ...] = ()
    body: Sent | None = None


@dataclass
class Made:
    """A document and what it means."""

    root: dict[str, Any]
    operations: list[Meant] = field(default_factory=list)


def document(seed: int, operations: int, modern: bool) -> Made:
    """A document of so many operations or a few more: OpenAPI 3.1, or 3.0."""
    maker = _Maker(Random(seed), modern)
    while len(maker.meant) < operations:
        maker.path_item()
    return Made(maker.root(), maker.meant)


class _Maker:
    def __init__(self, random: Random, modern: bool):
        self.random = random
        self.kinds = Kinds(random, modern)
        self.paths: dict[str, Any] = {}
        self.items: dict[str, Any] = {}
        self.parts: dict[str, dict[str, Any]] = {"parameters": {}, "requestBodies": {}}
        self.meant: list[Meant] = []

    def root(self) -> dict[str, Any]:
        """The whole document."""
        components = {"schemas": self.kinds.schemas | BROKEN, **self.parts, "pathItems": self.items}
        if not self.kinds.modern:
            components.pop("pathItems")
        version = "3.1.0" if self.kinds.modern else "3.0.3"
        return {
            "openapi": version,
            "info": {"title": "Made", "version": "1"},
            "paths": self.paths,
            "components": components,
        }

    def path_item(self) -> None:
        """A path with one to three operations, and parameters that they share."""
        names = self.random.sample(PATH_NAMES, self.random.choice((0, 1, 1, 2)))
        path = f"/{self.random.choice(('things', 'вещи', 'a.b'))}{len(self.paths)}" + "".join(
            f"/{{{n}}}" for n in names
        )
        shared = [parameter(self.kinds, "path", name) for name in names]
        shared += list(self.some("query", 1))
        item: dict[str, Any] = {"parameters": [self.written(p) for p in shared]} if shared else {}
        for method in self.random.sample(METHODS, self.random.randint(1, 3)):
            item[method] = self.operation(method, path, shared)
        if self.kinds.modern and self.random.random() < 0.1:
            self.items[key := f"Item{len(self.items)}"] = item
            item = {"$ref": f"#/components/pathItems/{key}"}
        self.paths[path] = item

    def some(self, place: str, most: int) -> Iterator[Given]:
        """A few parameters of a place."""
        for name in self.random.sample(NAMES[place], self.random.randint(0, most)):
            yield parameter(self.kinds, place, name)

    def written(self, given: Given) -> dict[str, Any]:
        """The parameter as it is, or as a component that is referred to."""
        if self.random.random() < 0.6:
            return given.written
        name = f"P{len(self.parts['parameters'])}"
        self.parts["parameters"][name] = given.written
        return {"$ref": f"#/components/parameters/{name}"}

    def operation(self, method: str, path: str, shared: list[Given]) -> dict[str, Any]:
        """One operation; one in twenty is broken."""
        raw: dict[str, Any] = {"responses": {"200": {"description": "ok"}}}
        if (name := self.operation_id(method, path)) is not None:
            raw["operationId"] = name
        if self.random.random() < 0.05:
            self.meant.append(Meant(method.upper(), path, self.spoil(raw)))
            return raw
        own = [*self.some("query", 2), *self.some("header", 2), *self.some("cookie", 1)]
        sent = body(self.kinds) if method in {"post", "put", "patch"} and self.random.random() < 0.9 else None
        if own:
            raw["parameters"] = [self.written(p) for p in own]
        if sent is not None:
            raw["requestBody"] = self.body(sent.written)
        merged = {(p.place, p.wire): p for p in (*shared, *own)}  # the operation's own wins
        self.meant.append(Meant(method.upper(), path, "", tuple(merged.values()), sent))
        return raw

    def body(self, written: dict[str, Any]) -> dict[str, Any]:
        """The body as it is, or as a component."""
        if self.random.random() < 0.7:
            return written
        name = f"B{len(self.parts['requestBodies'])}"
        self.parts["requestBodies"][name] = written
        return {"$ref": f"#/components/requestBodies/{name}"}

    def operation_id(self, method: str, path: str) -> str | None:
        """None, one that others have too, one of FastAPI's, or a plain one."""
        number, word = len(self.meant), self.random.choice(IDS)
        fastapi = re.sub(r"\W", "_", f"do_{number}{path}") + f"_{method}"
        return self.random.choice((None, word, f"{word}{number}", f"plain_{number}", fastapi))

    def spoil(self, raw: dict[str, Any]) -> str:
        """Break the operation; part of the reason."""
        why = self.random.choice(sorted(OFF))
        schemas = {"names nothing": ("Lost", "Deep"), "another place": ("Far",), "in a circle": ("Ring",)}
        if why == "no name":
            raw["parameters"] = [{"in": "query", "schema": {}}]
        elif why in schemas:
            ref = {"$ref": f"#/components/schemas/{self.random.choice(schemas[why])}"}
            raw["requestBody"] = {"content": {"application/json": {"schema": ref}}}
        else:
            raw["parameters"] = [{"name": f"p{n}", "in": "query", "required": True, "schema": {}} for n in range(101)]
        return why


BROKEN = {
    "Deep": {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"$ref": "#/components/schemas/Deeper"}}},
    },
    "Deeper": {"$ref": "#/components/schemas/Gone"},
    "Far": {"$ref": "https://elsewhere.example/schema.json#/X"},
    "Ring": {"$ref": "#/components/schemas/Rang"},
    "Rang": {"$ref": "#/components/schemas/Ring"},
}
BROKEN["Lost"] = {"$ref": "#/components/schemas/Deep/properties/b"}
