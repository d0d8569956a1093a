"""The keywords of a schema that can be relied on, and the one validator that checks by them.

Documents are written by many hands: a keyword of a wrong shape is left out rather than believed, for the backend
checks again whatever is sent to it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

TYPES = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})
LONGEST_CHECKED = 1_000
# A repeated group with a repetition inside: such patterns can take longer than anybody waits (OWASP, ReDoS).
NESTED_REPEAT = re.compile(r"\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)[*+{]")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_schema(item) for item in value)


def _map(value: Any) -> bool:
    return isinstance(value, dict) and all(_schema(item) for item in value.values())


def _patterns(value: Any) -> bool:
    return _map(value) and all(_pattern(key) for key in value)


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _type(value: Any) -> bool:
    return value in TYPES if isinstance(value, str) else _names(value) and bool(value) and set(value) <= TYPES


def _pattern(value: Any) -> bool:
    """Whether Python can check the pattern, soon: some of ECMA 262 it does not know, some it would not finish."""
    if not isinstance(value, str) or NESTED_REPEAT.search(value):
        return False
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


SHAPES: dict[str, Callable[[Any], bool]] = {
    "type": _type, "enum": lambda value: isinstance(value, list) and bool(value), "required": _names,
    "pattern": _pattern, "properties": _map, "patternProperties": _patterns, "dependentSchemas": _map,
    "dependentRequired": lambda value: isinstance(value, dict) and all(_names(item) for item in value.values()),
    "multipleOf": lambda value: _number(value) and value > 0, "uniqueItems": lambda value: isinstance(value, bool),
    "exclusiveMinimum": lambda value: isinstance(value, int | float),
    "exclusiveMaximum": lambda value: isinstance(value, int | float),
    **dict.fromkeys(("minimum", "maximum"), _number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
                     "minContains", "maxContains"), _count),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _schemas),
    **dict.fromkeys(("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
                     "unevaluatedProperties", "unevaluatedItems"), _schema),
}  # fmt: skip


def sound(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the keywords that say nothing."""
    return {key: value for key, value in schema.items() if key not in SHAPES or SHAPES[key](value)}


def _short(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    """`pattern` for texts that it can check soon; longer ones are the backend's to check."""
    if isinstance(value, str) and len(value) <= LONGEST_CHECKED and not re.search(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


ExactValidator: Any = extend(Draft202012Validator, {"pattern": _short})
