"""OpenAPI schemas as JSON Schema 2020-12: exact for checking, slim for a model."""

import hashlib
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from tools.openapi.document import Document, DocumentError
from tools.openapi.keywords import sound
from tools.text import clean_text

Schema = dict[str, Any]

DROPPED = frozenset({
    "xml", "externalDocs", "example", "examples", "discriminator", "deprecated", "$schema", "$id", "$anchor",
    "$defs",
    "$dynamicRef", "$dynamicAnchor", "$comment", "$vocabulary",
})  # fmt: skip
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
MAPS = ("properties", "patternProperties", "dependentSchemas")
SINGLES = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
           "unevaluatedProperties", "unevaluatedItems")  # fmt: skip
ANNOTATIONS = frozenset({"description", "title", "default"})
SLIM_CHARS = 1_600
MOST_PATTERN = 80
MOST_CHOICES = 40


class Schemas:
    """Converts the schemas of a document; what they refer to gathers in `definitions`, each converted once."""

    def __init__(self, document: Document):
        self.document = document
        self.definitions: dict[str, Schema] = {}
        self.broken: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._shared: dict[frozenset[str], dict[str, Schema]] = {}
        self._digests: dict[str, str] = {}
        self._texts: dict[frozenset[str], str] = {}
        self._local: tuple[dict[str, Any], ...] = ()
        self._waiting: list[tuple[str, Any, str, tuple[dict[str, Any], ...]]] = []

    def convert(self, schema: Any, base: str | None = None) -> Any:
        """One schema for a request: references become `#/$defs/...`, read-only fields are left out."""
        self._local = ()
        out = self._convert(schema, base or self.document.uri)
        while self._waiting:  # not by recursion: a thousand schemas may refer to one another in one long chain
            name, target, where, local = self._waiting.pop()
            self._local = local
            try:
                self.definitions[name] = self._convert(target, where)
            except DocumentError as error:  # told by `reached` to each operation that needs it
                self.broken[name] = str(error)
            except RecursionError:
                self.broken[name] = "its schemas are nested too deeply"
        self._local = ()
        return out

    def digests(self, names: frozenset[str]) -> str:
        """Hashes of definitions by name as JSON, each made once: many operations share them."""
        if names not in self._texts:
            self._texts[names] = json.dumps({name: self._digest(name) for name in sorted(names)})
        return self._texts[names]

    def _digest(self, name: str) -> str:
        if name not in self._digests:
            text = json.dumps(self.definitions[name], sort_keys=True, default=str)
            self._digests[name] = hashlib.sha256(text.encode()).hexdigest()
        return self._digests[name]

    def reached(self, schema: Schema) -> dict[str, Schema]:
        """The definitions that a converted schema refers to, directly or through others.

        Raises `DocumentError` when one of them is broken.
        """
        found = self._found(schema)
        for name in sorted(found & self.broken.keys()):
            raise DocumentError(self.broken[name])
        if found not in self._shared:
            self._shared[found] = {name: self.definitions[name] for name in sorted(found)}
        return self._shared[found]

    def _found(self, schema: Schema) -> frozenset[str]:
        starts = sorted(_names_in(schema) & self.definitions.keys())
        sets = [self._closure(name) for name in starts]
        return sets[0] if len(sets) == 1 else frozenset().union(*sets)

    def _closure(self, start: str) -> frozenset[str]:
        """What one definition reaches, itself included; those that reach one another share one answer."""
        if start in self._closures:
            return self._closures[start]
        found, todo, users = {start}, [start], {}
        while todo:
            name = todo.pop()
            for other in _names_in(self.definitions[name]) & self.definitions.keys():
                users.setdefault(other, []).append(name)
                if other not in found:
                    found.add(other)
                    if other in self._closures:
                        found |= self._closures[other]
                    else:
                        todo.append(other)
        closure, ring = frozenset(found), [start]
        while ring:
            name = ring.pop()
            if name not in self._closures:
                self._closures[name] = closure
                ring += users.get(name, ())
        return closure

    def _convert(self, schema: Any, base: str) -> Any:
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        outer = self._local
        if isinstance(local := schema.get("$defs"), dict):
            self._local = (*outer, local)
        out = self._reference(schema, base) if isinstance(schema.get("$ref"), str) else self._plain(schema, base)
        self._local = outer
        return out

    def _plain(self, schema: Schema, base: str) -> Schema:
        kept = {key: value for key, value in schema.items() if key not in DROPPED and not key.startswith("x-")}
        if isinstance(schema.get("discriminator"), dict) and "oneOf" in kept and "anyOf" not in kept:
            kept["anyOf"] = kept.pop("oneOf")  # a field decides which one, though the others may fit as well
        out = sound(kept)
        self._children(out, base)
        return self._modern(out)

    def _reference(self, schema: Schema, base: str) -> Schema:
        """A reference; words beside it stay, and since 3.1 conditions too (OpenAPI 3.1, 4.8.23 and appendix A)."""
        words = self.document.version == (3, 0)
        beside = {k: v for k, v in schema.items() if k != "$ref" and (not words or k in ANNOTATIONS)}
        return {"$ref": f"#/$defs/{self._define(schema['$ref'], base)}", **self._plain(beside, base)}

    def _define(self, ref: str, base: str) -> str:
        target, where, key = self._target(ref, base)
        if key not in self._names:
            name = re.sub(r"\W+", "_", key[1].rsplit("/", 1)[-1]) or "schema"
            while name in self.definitions:
                name += "_"
            self._names[key] = name
            self.definitions[name] = {}
            self._waiting.append((name, target, where, self._local))
        return self._names[key]

    def _target(self, ref: str, base: str) -> tuple[Any, str, tuple[str, str]]:
        """What a reference names; `#/$defs/X` also in the schema around it, as generators of one schema write it."""
        name = ref.removeprefix("#/$defs/")
        if name != ref and not (base == self.document.uri and "$defs" in self.document.root):
            for scope in reversed(self._local):
                if name in scope:
                    return scope[name], base, (f"{id(scope)}", ref)
        target, where, last = self.document.aliased(ref, base)
        return target, where, (where, last.rsplit("#", 1)[-1])

    def _children(self, out: Schema, base: str) -> None:
        for key in LISTS:
            if isinstance(out.get(key), list):
                out[key] = [self._convert(item, base) for item in out[key]]
        for key in SINGLES:
            if isinstance(out.get(key), dict):
                out[key] = self._convert(out[key], base)
        for key in MAPS:
            if isinstance(out.get(key), dict):
                out[key] = {name: self._convert(item, base) for name, item in out[key].items()}
        self._without_read_only(out)

    def _without_read_only(self, out: Schema) -> None:
        """A field that only answers carry cannot be asked for (OpenAPI 3.1, 4.8.24: readOnly)."""
        fields = out.get("properties")
        if not isinstance(fields, dict):
            return
        gone = {name for name, item in fields.items() if isinstance(item, dict) and item.get("readOnly") is True}
        out["properties"] = {name: item for name, item in fields.items() if name not in gone}
        if isinstance(out.get("required"), list):
            out["required"] = [name for name in out["required"] if name not in gone]

    def _modern(self, out: Schema) -> Schema:
        """What OpenAPI 3.0 says in its own way: `nullable`, exclusive bounds as booleans."""
        if out.pop("nullable", False) is True:
            out = _nullable(out)
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(out.get(exclusive), bool):
                strict = out.pop(exclusive)
                if strict and bound in out:
                    out[exclusive] = out.pop(bound)
        if isinstance(out.get("required"), bool):
            del out["required"]
        return out


def _nullable(schema: Schema) -> Schema:
    kind = schema.get("type")
    if isinstance(kind, str):
        out = {**schema, "type": [kind, "null"]}
        if isinstance(out.get("enum"), list) and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return out
    inner = {k: v for k, v in schema.items() if k not in {"description", "title", "default"}}
    kept = {k: v for k, v in schema.items() if k not in inner}
    return {"anyOf": [inner, {"type": "null"}], **kept} if inner else schema


def whole_numbers(value: Any) -> Any:
    """Whole numbers as integers: `7.0` is an integer to JSON Schema (6.1.1), and would be `7.0` in a path."""
    if isinstance(value, dict):
        return {key: whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _names_in(schema: Any) -> set[str]:
    """The names of the definitions that a converted schema names itself."""
    names: set[str] = set()
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                names.add(node["$ref"].removeprefix("#/$defs/"))
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)
    return names


class _TooLargeError(Exception):
    """What is being unfolded cannot fit any more."""


def slim(schema: Schema, limit: int = SLIM_CHARS) -> Schema:
    """The schema as a model gets it: references unfolded, cut in depth and words until it fits `limit` characters.

    What is cut is still checked: validation uses the exact schema.
    """
    definitions = schema.get("$defs", {})
    top = {k: v for k, v in schema.items() if k not in {"$defs", "dependentRequired"}}
    for depth, words in ((5, 160), (4, 100), (3, 80), (2, 60), (2, 0), (1, 0)):
        with suppress(_TooLargeError):
            best = _Unfolding(definitions, words, limit // 4).unfold(top, depth, ())
            if len(json.dumps(best, ensure_ascii=False)) <= limit:
                return best
    return _fewer_fields(top, definitions, limit)


class _Unfolding:
    """One try at unfolding; raises `_TooLargeError` after `room` parts, each of which takes four characters or more."""

    def __init__(self, definitions: dict[str, Schema], words: int, room: int):
        self.definitions = definitions
        self.words = words
        self.room = room

    def unfold(self, schema: Any, depth: int, path: tuple[str, ...]) -> Any:
        self.room -= 1
        if self.room < 0:
            raise _TooLargeError
        if not isinstance(schema, dict):
            return schema
        if isinstance(ref := schema.get("$ref"), str):
            name = ref.rsplit("/", 1)[-1]
            target = {**_dict(self.definitions.get(name)), **{k: v for k, v in schema.items() if k != "$ref"}}
            if name in path or depth <= 0:
                return {**({"type": target["type"]} if "type" in target else {}), "description": name}
            return self.unfold(target, depth, (*path, name))
        return _merged(
            {
                key: self._keyword(key, value, depth, path)
                for key, value in self._worded(schema)
                if self._kept(key, value)
            }
        )

    def _worded(self, schema: Schema) -> Iterable[tuple[str, Any]]:
        """Its keywords; of very many choices the first in words, since a list without the others would forbid them."""
        choices = schema.get("enum")
        if not isinstance(choices, list) or len(choices) <= MOST_CHOICES:
            return schema.items()
        some = ", ".join(str(choice) for choice in choices[:MOST_CHOICES])
        rest = {key: value for key, value in schema.items() if key != "enum"}
        said = [str(schema["description"])] if "description" in schema else []
        return {**rest, "description": ". ".join([*said, f"{len(choices)} values, such as {some}"])}.items()

    def _kept(self, key: str, value: Any) -> bool:
        if key == "description":
            return self.words > 0
        return key != "title" and (key != "pattern" or len(str(value)) <= MOST_PATTERN)

    def _keyword(self, key: str, value: Any, depth: int, path: tuple[str, ...]) -> Any:
        if key == "description":
            return clean_text(str(value))[: self.words]
        if key in MAPS and isinstance(value, dict):
            return {n: self._below(v, depth - 1, path) for n, v in value.items()}
        if key in LISTS and isinstance(value, list):
            return [self._below(v, depth - (key != "allOf"), path) for v in value]
        if key in SINGLES and isinstance(value, dict):
            return self._below(value, depth - 1, path)
        return value

    def _below(self, schema: Any, depth: int, path: tuple[str, ...]) -> Any:
        if depth < 0 and isinstance(schema, dict):
            return {"type": schema["type"]} if "type" in schema else {}
        return self.unfold(schema, depth, path)


def _dict(value: Any) -> Schema:
    return value if isinstance(value, dict) else {}


def _merged(schema: Schema) -> Schema:
    """`allOf` of one part is that part; FastAPI writes it around every reference with a description."""
    parts, rest = schema.get("allOf"), {k: v for k, v in schema.items() if k != "allOf"}
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
        return schema if set(parts[0]) & set(rest) - ANNOTATIONS else {**parts[0], **rest}
    return schema


def _fewer_fields(schema: Schema, definitions: dict[str, Schema], limit: int) -> Schema:
    """Required fields, then as many optional ones as fit; each by its kind alone."""
    fields, required = schema.get("properties", {}), set(schema.get("required", ()))
    kinds = {name: _kind(item, definitions) for name, item in fields.items()}
    kept = {name: item for name, item in kinds.items() if name in required}
    size = len(json.dumps({**schema, "properties": kept}, ensure_ascii=False))
    for name, item in kinds.items():
        size += 0 if name in kept else len(json.dumps({name: item}, ensure_ascii=False))
        if size > limit:
            break
        kept[name] = item
    return {**schema, "properties": kept}


def _kind(schema: Any, definitions: dict[str, Schema]) -> Schema:
    """The type of a field and no more."""
    schema = _dict(schema)
    target = _dict(definitions.get(str(schema.get("$ref", "")).rsplit("/", 1)[-1], schema))
    return {"type": target["type"]} if "type" in target else {}
