"""Which fields of a form are files (OpenAPI 3.0, 4.7.14.2: `format: binary`; 3.1, 4.8.14.2: `contentMediaType`)."""

from collections.abc import Mapping
from typing import Any

DEEPEST = 8
ENCODED = "the bytes of the file, base64-encoded"


def file_fields(schema: Any, definitions: Mapping[str, Any], depth: int = DEEPEST) -> frozenset[str]:
    """The names of a form's fields that are files or lists of files, over references, alternatives and `allOf`."""
    schema = _object(schema)
    if depth == 0:
        return frozenset()
    own = {name for name, field in _object(schema.get("properties")).items() if is_file(field, definitions)}
    return frozenset(own).union(*(file_fields(part, definitions, depth - 1) for part in _parts(schema, definitions)))


def is_file(schema: Any, definitions: Mapping[str, Any], depth: int = DEEPEST) -> bool:
    """Whether a value is a file, may be one, or is a list of them; text that says how it is encoded is text."""
    schema = _object(schema)
    if depth == 0:
        return False
    if schema.get("format") == "binary" or ("contentMediaType" in schema and "contentEncoding" not in schema):
        return True
    return any(is_file(part, definitions, depth - 1) for part in [schema.get("items"), *_parts(schema, definitions)])


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """A file's schema that tells the model how to write one."""
    words = str(schema.get("description") or "").rstrip(". ")
    return {**schema, "description": f"{words} ({ENCODED})" if words else ENCODED}


def _parts(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[Any]:
    """What the schema refers to and is made of."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    inner = [part for key in ("allOf", "anyOf", "oneOf") for part in schema.get(key, ())]
    return [definitions[name], *inner] if name in definitions else inner


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
