"""OpenAPI schemas as JSON Schema 2020-12: exact for checking, slim for a model."""

import json
import re
from typing import Any

from tools.openapi.document import Document
from tools.text import clean_text

Schema = dict[str, Any]

DROPPED = frozenset({
    "xml", "externalDocs", "example", "examples", "discriminator", "deprecated", "$schema", "$id", "$anchor", "$defs",
    "$dynamicRef", "$dynamicAnchor", "$comment", "$vocabulary",
})  # fmt: skip
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
MAPS = ("properties", "patternProperties", "dependentSchemas")
SINGLES = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
           "unevaluatedProperties", "unevaluatedItems")  # fmt: skip
ANNOTATIONS = frozenset({"description", "title", "default"})
SLIM_CHARS = 1_600


class Schemas:
    """Converts the schemas of one operation; what they refer to gathers in `definitions`."""

    def __init__(self, document: Document):
        self.document = document
        self.definitions: dict[str, Schema] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._local: list[dict[str, Any]] = []

    def convert(self, schema: Any, base: str | None = None) -> Any:
        """One schema for a request: references become `#/$defs/...`, read-only fields are left out."""
        base = base or self.document.uri
        if isinstance(schema, bool) or not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        local = schema.get("$defs")
        if isinstance(local, dict):
            self._local.append(local)
        try:
            return self._converted(schema, base)
        finally:
            if isinstance(local, dict):
                self._local.pop()

    def _converted(self, schema: Schema, base: str) -> Schema:
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema, base)
        out: Schema = {key: value for key, value in schema.items() if key not in DROPPED and not key.startswith("x-")}
        self._children(out, base)
        return self._modern(out)

    def _reference(self, schema: Schema, base: str) -> Schema:
        """A reference; words beside it stay, and since 3.1 conditions too (OpenAPI 3.1, 4.8.23 and appendix A)."""
        words = self.document.version == (3, 0)
        beside = {k: v for k, v in schema.items() if k != "$ref" and (not words or k in ANNOTATIONS)}
        return {"$ref": f"#/$defs/{self._define(schema['$ref'], base)}", **self._converted(beside, base)}

    def _define(self, ref: str, base: str) -> str:
        target, where, key = self._target(ref, base)
        if key not in self._names:
            name = re.sub(r"\W+", "_", key[1].rsplit("/", 1)[-1]) or "schema"
            while name in self.definitions:
                name += "_"
            self._names[key] = name
            self.definitions[name] = {}
            self.definitions[name] = self.convert(target, where)
        return self._names[key]

    def _target(self, ref: str, base: str) -> tuple[Any, str, tuple[str, str]]:
        """What a reference names; `#/$defs/X` also in the schema around it, as generators of one schema write it."""
        name = ref.removeprefix("#/$defs/")
        if name != ref and not (base == self.document.uri and "$defs" in self.document.root):
            for scope in reversed(self._local):
                if name in scope:
                    return scope[name], base, (f"{id(scope)}", ref)
        target, where = self.document.lookup(ref, base)
        return target, where, (where, ref.rsplit("#", 1)[-1])

    def _children(self, out: Schema, base: str) -> None:
        for key in LISTS:
            if isinstance(out.get(key), list):
                out[key] = [self.convert(item, base) for item in out[key]]
        for key in SINGLES:
            if isinstance(out.get(key), dict):
                out[key] = self.convert(out[key], base)
        for key in MAPS:
            if isinstance(out.get(key), dict):
                out[key] = {name: self.convert(item, base) for name, item in out[key].items()}
        self._without_read_only(out, base)

    def _without_read_only(self, out: Schema, base: str) -> None:
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


def slim(schema: Schema, limit: int = SLIM_CHARS) -> Schema:
    """The schema as a model gets it: references unfolded, cut in depth and words until it fits `limit` characters.

    What is cut is still checked: validation uses the exact schema.
    """
    definitions = schema.get("$defs", {})
    best: Schema = {}
    for depth, words in ((5, 160), (4, 100), (3, 80), (2, 60), (2, 0), (1, 0)):
        best = _unfold({k: v for k, v in schema.items() if k != "$defs"}, definitions, depth, words, ())
        if len(json.dumps(best, ensure_ascii=False)) <= limit:
            return best
    return _fewer_fields(best, limit)


def _unfold(schema: Any, definitions: dict[str, Schema], depth: int, words: int, path: tuple[str, ...]) -> Any:
    if not isinstance(schema, dict):
        return schema
    if isinstance(ref := schema.get("$ref"), str):
        name = ref.rsplit("/", 1)[-1]
        if name in path or depth <= 0:
            return {"type": "object", "description": name}
        target = {**definitions.get(name, {}), **{k: v for k, v in schema.items() if k != "$ref"}}
        return _unfold(target, definitions, depth, words, (*path, name))
    out: Schema = {}
    for key, value in schema.items():
        if key == "description":
            out |= {key: clean_text(str(value))[:words]} if words else {}
        elif key in MAPS and isinstance(value, dict):
            out[key] = {n: _below(v, definitions, depth - 1, words, path) for n, v in value.items()}
        elif key in LISTS and isinstance(value, list):
            out[key] = [_below(v, definitions, depth - (key != "allOf"), words, path) for v in value]
        elif key in SINGLES and isinstance(value, dict):
            out[key] = _below(value, definitions, depth - 1, words, path)
        elif key == "enum" and isinstance(value, list):
            out[key] = value[:40]
        elif key not in {"title", "pattern"} or (key == "pattern" and len(str(value)) <= 80):
            out[key] = value
    return _merged(out)


def _below(schema: Any, definitions: dict[str, Schema], depth: int, words: int, path: tuple[str, ...]) -> Any:
    if depth < 0 and isinstance(schema, dict):
        return {"type": schema["type"]} if "type" in schema else {}
    return _unfold(schema, definitions, depth, words, path)


def _merged(schema: Schema) -> Schema:
    """`allOf` of one part is that part; FastAPI writes it around every reference with a description."""
    parts = schema.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
        return {**parts[0], **{k: v for k, v in schema.items() if k != "allOf"}}
    return schema


def _fewer_fields(schema: Schema, limit: int) -> Schema:
    """Required fields, then as many optional ones as fit."""
    fields, required = schema.get("properties", {}), set(schema.get("required", ()))
    kept = {name: item for name, item in fields.items() if name in required}
    for name, item in fields.items():
        if name not in kept and len(json.dumps({**schema, "properties": {**kept, name: item}})) <= limit:
            kept[name] = item
    return {**schema, "properties": {name: item for name, item in fields.items() if name in kept}}
