"""What is bytes: a form's files and raw bodies (OpenAPI 3.0, 4.7.14.2: `format: binary`; 3.1, 4.8.14.2)."""

import math
import re
from collections.abc import Mapping
from typing import Any

MOST_KINDS = 50
ENCODED = "the bytes of the file, base64-encoded"
STRUCTURED = ("/json", "+json", "/x-www-form-urlencoded", "*/*", "application/*")
SCALARS = (None, "string", "integer", "number", "boolean")
BINARY = re.compile(r"(image|audio|video|font)/|application/(octet-stream|pdf|zip|gzip)$")
WORDED = re.compile(r"text/|.*(xml|yaml|javascript|graphql|sql|ndjson|jsonl|json-seq|csv|toml)$")


def file_fields(schema: Any, definitions: Mapping[str, Any]) -> frozenset[str]:
    """The names of a form's fields that are files or lists of files, over references, alternatives and `allOf`."""
    forms = unfolded(schema, definitions)
    fields = [field for form in forms for field in _object(form.get("properties")).items()]
    return frozenset(name for name, field in fields if is_file(field, definitions))


def is_file(schema: Any, definitions: Mapping[str, Any]) -> bool:
    """Whether a value is a file, may be one, or is a list of them; text that says how it is encoded is text."""
    kinds = unfolded(schema, definitions, MOST_KINDS)
    items = [item for kind in kinds for item in unfolded(kind.get("items"), definitions, MOST_KINDS // len(kinds))]
    return any(_bytes(kind) for kind in (*kinds, *items))


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """A file's schema that tells the model how to write one."""
    words = str(schema.get("description") or "").rstrip(". ")
    return {**schema, "description": f"{words} ({ENCODED})" if words else ENCODED}


def is_structured(content_type: str, schema: Mapping[str, Any]) -> bool:
    """Whether a body is written from a value: JSON, a form, or a type that the document leaves open."""
    kind = _kind(content_type)
    return (kind.endswith(STRUCTURED) and not ("*" in kind and _bytes(schema))) or kind.startswith("multipart/")


def is_bytes(content_type: str, schema: Mapping[str, Any]) -> bool:
    """Whether a body that is no structure is bytes, by its schema, else by its type."""
    kind = _kind(content_type)
    return _bytes(schema) or bool(BINARY.match(kind)) or not (schema.get("type") or WORDED.match(kind))


def as_text(content_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a body that is no structure: bytes as base64, or a text."""
    kind = _kind(content_type)
    if is_bytes(content_type, schema):
        return described({**schema, "type": "string"})
    if kind.startswith("text/") and schema.get("type") in SCALARS and "properties" not in schema:
        return schema or {"type": "string"}
    return schema if schema.get("type") == "string" else {"type": "string", "description": f"the body as {kind}"}


def _kind(content_type: str) -> str:
    return content_type.split(";")[0].strip().lower()


def _bytes(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "binary" or ("contentMediaType" in schema and "contentEncoding" not in schema)


def unfolded(schema: Any, definitions: Mapping[str, Any], most: float = math.inf) -> list[dict[str, Any]]:
    """The schema, what it refers to and what it is made of, each definition once, and no more than `most`."""
    found, todo, seen = [], [schema], set()
    while todo and len(found) < most:
        node = _object(todo.pop())
        found.append(node)
        todo += [part for key in ("allOf", "anyOf", "oneOf") for part in node.get(key, ())]
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        if name in definitions and name not in seen:
            seen.add(name)
            todo.append(definitions[name])
    return found


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
