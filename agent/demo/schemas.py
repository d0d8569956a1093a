"""Function schemas as they are bound: reading them, and fitting values to them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

_NONE = object()


@dataclass(frozen=True)
class Tool:
    """A bound tool: its name and the JSON schema of its arguments."""

    name: str
    schema: Mapping[str, Any]
    description: str = ""

    @property
    def properties(self) -> Mapping[str, Any]:
        """The arguments by name."""
        told = self.schema.get("properties")
        return told if isinstance(told, Mapping) else {}

    @property
    def required(self) -> Sequence[str]:
        """The arguments that must be given."""
        return [name for name in self.schema.get("required", ()) if name in self.properties]


def bound(tools: Sequence[Mapping[str, Any]]) -> dict[str, Tool]:
    """The tools by name, in order; entries of another form are left out."""
    functions = [t.get("function", t) for t in tools if isinstance(t, Mapping)]
    return {
        f["name"]: Tool(f["name"], _inlined(f.get("parameters") or {}), f.get("description") or "")
        for f in functions
        if isinstance(f, Mapping) and isinstance(f.get("name"), str)
    }


def _inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its local references resolved one level deep, which is what function schemas have."""
    definitions = schema.get("$defs") or schema.get("definitions") or {}

    def resolve(value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            name = str(value.get("$ref", "")).rpartition("/")[2]
            if name in definitions and depth < 8:
                return resolve({**definitions[name], **{k: v for k, v in value.items() if k != "$ref"}}, depth + 1)
            return {k: resolve(v, depth) for k, v in value.items() if k not in {"$defs", "definitions"}}
        return [resolve(v, depth) for v in value] if isinstance(value, list) else value

    return resolve(schema, 0)


@lru_cache(maxsize=512)
def _validator(schema: str) -> Draft202012Validator | None:
    validator = Draft202012Validator(json.loads(schema))
    try:
        validator.check_schema(validator.schema)
    except SchemaError:
        return None
    return validator


def without_defaults(args: Mapping[str, Any], tool: Tool | None) -> dict[str, Any]:
    """The arguments that say more than the schema's defaults do; a caller may have filled those in."""
    known = tool.properties if tool else {}
    return {name: value for name, value in args.items() if value is not None and value != _default(known.get(name))}


def _default(schema: Any) -> Any:
    return schema.get("default", _NONE) if isinstance(schema, Mapping) else _NONE


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a JSON value is valid; nothing fits a schema that is none."""
    validator = _validator(json.dumps(schema, sort_keys=True, default=str))
    return validator is not None and validator.is_valid(value)


def fitted(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value in the first form that fits: as it is, as text, as a number, as a list; None when none does."""
    if value is None:
        return None
    forms = [value, str(value), [value], [str(value)]]
    if isinstance(value, str) and value.strip().isdecimal():
        forms[1:1] = [int(value), [int(value)]]
    return next((form for form in forms if fits(form, schema)), None)


def options_of(schema: Mapping[str, Any]) -> list[Any]:
    """The values of an enumeration, also behind `anyOf`."""
    choices = schema.get("enum") or [o for part in schema.get("anyOf", ()) for o in part.get("enum", ())]
    return list(choices)


def type_of(schema: Mapping[str, Any]) -> str:
    """The JSON type of an argument that is not null; empty when the schema does not say."""
    told = schema.get("type") or next(
        (p["type"] for p in schema.get("anyOf", ()) if p.get("type") not in (None, "null")), ""
    )
    return told if isinstance(told, str) else next((t for t in told if t != "null"), "")
