"""The operations of a document: what each takes, under which argument names, and what it is for."""

import hashlib
import json
import re
import uuid
from dataclasses import dataclass, field
from typing import Any

from tools.openapi.document import Document, DocumentError
from tools.openapi.effects import Facts
from tools.openapi.files import as_text, described, file_fields, is_bytes, is_structured, unfolded
from tools.openapi.names import Names, argument, argument_names, tool_names
from tools.openapi.schemas import Schema, Schemas
from tools.text import clean_text

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MAX_OPERATIONS = 2_000
MAX_PATH = 8_000  # what RFC 9110, 4.1, recommends for a whole address
MAX_ID = 500
MAX_REQUIRED = 100
CONDITION = "if-match"
# OpenAPI 3.1, 4.8.12: header parameters of the first three names are ignored; the client sends keys and conditions.
IGNORED_HEADERS = frozenset({
    "accept", "content-type", "authorization", "idempotency-key",
    CONDITION, "if-none-match", "if-modified-since", "if-unmodified-since",
})  # fmt: skip
NAMED = re.compile(r"\{([^{}]+)\}")
STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
BODY_PREFERENCE = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2


@dataclass(frozen=True)
class Parameter:
    """One argument that travels outside the body. `name` is the argument's, `wire` the document's."""

    name: str
    wire: str
    place: str
    style: str
    explode: bool
    required: bool
    schema: Schema
    allow_reserved: bool = False
    content_type: str | None = None


@dataclass(frozen=True)
class Body:
    """The request body. `fields` maps argument names to body fields; None means one argument `body`.

    `files` are the fields of a multipart form that are sent as files; `raw`: it is bytes, which are given as base64.
    """

    content_type: str
    required: bool
    schema: Schema
    argument: str = "body"
    fields: dict[str, str] | None = None
    encoding: dict[str, Any] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    raw: bool = False


@dataclass(frozen=True)
class Operation:
    """One operation with its references resolved. `schema` checks the arguments exactly.

    `conditional`: it names `If-Match` among its headers, which the client sends.
    """

    name: str
    method: str
    path: str
    operation_id: str
    summary: str
    description: str
    tags: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    body: Body | None
    schema: Schema
    facts: Facts
    sha256: str
    security: tuple[dict[str, list[str]], ...] | None
    extension: Any = None
    conditional: bool = False


@dataclass(frozen=True)
class Broken:
    """An operation that the document does not describe soundly, and why; it is not offered."""

    name: str
    method: str
    path: str
    reason: str


@dataclass(frozen=True)
class Survey:
    """All that a document holds: the operations that can be offered and those that cannot, in its order."""

    sound: list[Operation]
    broken: list[Broken]


def operations(document: Document) -> list[Operation]:
    """The sound operations of the document; raises `DocumentError` like `survey`."""
    return survey(document).sound


def survey(document: Document) -> Survey:
    """Every operation of the document; raises `DocumentError` when none of them is sound, or there are too many."""
    found, broken = _raw(document)
    if len(found) > MAX_OPERATIONS:
        raise DocumentError(f"the document has {len(found)} operations; the limit is {MAX_OPERATIONS}")
    names = tool_names([(method, path, _id(raw)) for method, path, _, raw, _ in found])
    schemas, sound = Schemas(document), []
    for name, (method, path, item, raw, base) in zip(names, found, strict=True):
        try:
            sound.append(_operation(schemas, name, method, path, item, raw, base))
        except DocumentError as error:
            broken.append(Broken(name, method.upper(), path, str(error)))
        except RecursionError:
            broken.append(Broken(name, method.upper(), path, "its schemas are nested too deeply"))
    if broken and not sound:
        first = broken[0]
        raise DocumentError(f"{first.method} {first.path[:200]}: {first.reason}")
    return Survey(sound, broken)


Raw = tuple[str, str, dict[str, Any], dict[str, Any], str]


def _raw(document: Document) -> tuple[list[Raw], list[Broken]]:
    """The operations as they are written, and the paths that hold none that can be read."""
    found: list[Raw] = []
    broken: list[Broken] = []
    for key, entry in document.root.get("paths", {}).items():
        path = str(key)
        if path.startswith("x-"):
            continue
        if len(path) > MAX_PATH:
            broken.append(Broken(path[:MAX_ID], "*", path[:MAX_ID], f"the path is longer than {MAX_PATH} characters"))
            continue
        try:
            item, base = document.resolve(entry)
        except DocumentError as error:
            broken.append(Broken(path, "*", path, str(error)))
            continue
        if wrong := _wrong(item, path):
            broken.append(Broken(path, "*", path, wrong))
            continue
        for method in METHODS:
            if isinstance(item.get(method), dict):
                found.append((method, path, item, item[method], base))
            elif item.get(method) is not None:
                broken.append(Broken(f"{method} {path}", method.upper(), path, "an operation must be an object"))
    return found, broken


def _wrong(item: Any, path: str) -> str:
    """Why nothing can be called under the path, if so."""
    if not isinstance(item, dict) or not path.startswith("/"):
        return "a path must begin with / and be an object"
    if set(NAMED.sub("", path)) & set("{}#"):
        return "a path must name every parameter in braces and hold no #"
    return ""


def _operation(
    schemas: Schemas, name: str, method: str, path: str, item: dict[str, Any], raw: dict[str, Any], base: str
) -> Operation:
    document = schemas.document
    written = _written(document, path, item, raw, base)
    parameters = _parameters(schemas, path, written)
    body = _body(schemas, raw, base, {p.name for p in parameters})
    schema = _argument_schema(parameters, body, schemas)
    if len(schema["required"]) > MAX_REQUIRED:
        raise DocumentError(f"it needs {len(schema['required'])} arguments; a model is offered at most {MAX_REQUIRED}")
    summary, description = _words(raw.get("summary")), _words(raw.get("description"))
    body_schema = _flat(body.schema, schemas.definitions) if body else {}
    facts = Facts(
        method=method.upper(),
        path=path,
        operation_id=_id(raw),
        summary=summary,
        description=description,
        parameters=tuple(p.wire for p in parameters),
        body_fields=tuple(body_schema.get("properties", {})),
        body_is_list=body_schema.get("type") == "array",
        answers=tuple(str(status) for status in _object(raw.get("responses")) if str(status).startswith("2")),
    )
    security = raw.get("security", document.root.get("security"))
    return Operation(
        name=name,
        method=method.upper(),
        path=path,
        operation_id=facts.operation_id,
        summary=summary,
        description=description,
        tags=tuple(t for t in _list(raw.get("tags")) if isinstance(t, str)),
        parameters=tuple(parameters),
        body=body,
        schema=schema,
        facts=facts,
        sha256=_sha256(method, path, raw, schema, schemas),
        security=tuple(security) if isinstance(security, list) else None,
        extension=raw.get("x-countersign"),
        conditional=any(place == "header" and wire.lower() == CONDITION for place, wire in written),
    )


def _sha256(method: str, path: str, raw: dict[str, Any], schema: Schema, schemas: Schemas) -> str:
    """Hash of all that a reviewer relied on: where it goes, what it says, what it takes."""
    place = uuid.uuid4().hex  # the text of what many operations share is made once, and put here
    shown = [method, path, raw.get("operationId"), raw.get("summary"), raw.get("description"),
             {**schema, "$defs": place}]  # fmt: skip
    text = json.dumps(shown, sort_keys=True, default=str)
    shared = schemas.digests(frozenset(schema.get("$defs", ())))
    return hashlib.sha256(text.replace(f'"{place}"', shared).encode()).hexdigest()


Written = dict[tuple[str, str], tuple[dict[str, Any], str]]


def _written(document: Document, path: str, item: dict[str, Any], raw: dict[str, Any], base: str) -> Written:
    """By place and name the path's parameters and the operation's own, which win (OpenAPI 3.1, 4.8.10)."""
    merged: Written = {}
    for source in (item.get("parameters"), raw.get("parameters")):
        for entry in _list(source):
            parameter, where = document.resolve(entry, base)
            if not (isinstance(parameter, dict) and parameter.get("name") and parameter.get("in") in STYLES):
                raise DocumentError("a parameter has no name or no place")
            merged[str(parameter["in"]), str(parameter["name"])] = parameter, where
    for name in NAMED.findall(path):  # some documents leave out what the path already says
        merged.setdefault(("path", name), ({"name": name, "schema": {"type": "string"}}, base))
    return merged


def _parameters(schemas: Schemas, path: str, written: Written) -> list[Parameter]:
    kept = {key: entry for key, entry in written.items() if _asked(path, *key)}
    names = argument_names(list(kept))
    return [_parameter(schemas, place, wire, names[place, wire], *kept[place, wire]) for place, wire in kept]


def _asked(path: str, place: str, wire: str) -> bool:
    """Whether a parameter can be sent; raises `DocumentError` for a header that none can carry."""
    if place == "path":
        return "{" + wire + "}" in path
    if place == "header" and not HEADER_NAME.fullmatch(wire):
        raise DocumentError(f"no header can have the name {wire[:100]!r}")
    return not (place == "header" and wire.lower() in IGNORED_HEADERS)


def _parameter(schemas: Schemas, place: str, wire: str, name: str, raw: dict[str, Any], base: str) -> Parameter:
    content = _object(raw.get("content"))
    content_type = next(iter(content), None)
    source = _object(content[content_type]).get("schema", {}) if content_type else raw.get("schema", {})
    style = str(raw.get("style") or STYLES[place])
    schema = schemas.convert(source, base)
    if isinstance(schema, dict) and raw.get("description"):
        schema = {**schema, "description": _words(raw["description"])}
    return Parameter(
        name=name,
        wire=wire,
        place=place,
        style=style,
        explode=bool(raw.get("explode", style == "form")),
        required=place == "path" or raw.get("required") is True,
        schema=schema if isinstance(schema, dict) else {},
        allow_reserved=raw.get("allowReserved") is True,
        content_type=content_type,
    )


def _body(schemas: Schemas, raw: dict[str, Any], base: str, taken: set[str]) -> Body | None:
    body, where = schemas.document.resolve(raw.get("requestBody"), base)
    content = body.get("content") if isinstance(body, dict) else None
    if not isinstance(content, dict) or not content:
        return None
    content_type = _preferred(content)
    media = _object(content[content_type])
    schema = schemas.convert(media.get("schema", {}), where)
    schema = schema if isinstance(schema, dict) else {}
    plain = _follow(schema, schemas.definitions)
    structured = is_structured(content_type, plain)
    raw_bytes = not structured and is_bytes(content_type, plain)
    if not structured:
        schema = plain = as_text(content_type, plain)
    multipart = content_type.lower().startswith("multipart/")
    return Body(
        content_type=content_type,
        required=body.get("required") is True,
        schema=schema,
        argument=Names(taken).take("body" if "body" not in taken else "request_body"),
        fields=_fields(plain, taken),
        encoding=_object(media.get("encoding")),
        files=file_fields(schema, schemas.definitions) if multipart else frozenset(),
        raw=raw_bytes,
    )


def _preferred(content: dict[str, Any]) -> str:
    """JSON first, then forms, then text, then whatever is not XML, which nobody writes from a schema."""
    kinds = {key.split(";")[0].strip().lower(): key for key in content}
    for kind in BODY_PREFERENCE:
        if kind in kinds:
            return kinds[kind]
    json_kind = next((key for kind, key in kinds.items() if kind.endswith("+json")), None)
    return json_kind or next((key for kind, key in kinds.items() if not kind.endswith("xml")), next(iter(content)))


def _fields(schema: Schema, taken: set[str]) -> dict[str, str] | None:
    """The body's fields as arguments of their own, when the body is one plain object of named fields."""
    plain = schema.get("type") == "object" and isinstance(schema.get("properties"), dict) and schema["properties"]
    if not plain or set(schema) & {"allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "propertyNames"}:
        return None
    if schema.get("additionalProperties") not in (None, False):
        return None
    names, fields = Names(taken), {}
    for wire in schema["properties"]:
        name = argument(wire)
        fields[names.take(f"body_{name}" if name in names else name)] = wire
    return fields


def _argument_schema(parameters: list[Parameter], body: Body | None, schemas: Schemas) -> Schema:
    fields: dict[str, Any] = {p.name: p.schema for p in parameters}
    required, together = [p.name for p in parameters if p.required], {}
    if body and body.fields is None:
        fields[body.argument] = body.schema
        required += [body.argument] if body.required else []
    elif body and body.fields is not None:
        source = _follow(body.schema, schemas.definitions)
        fields |= {name: _field(source["properties"][wire], wire in body.files) for name, wire in body.fields.items()}
        needed = [name for name, wire in body.fields.items() if wire in source.get("required", ())]
        required += needed if body.required else []
        together = dict.fromkeys(body.fields, needed) if needed and not body.required else {}
    schema: Schema = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
    if together:  # whoever sends a body at all sends what it needs
        schema["dependentRequired"] = together
    used = schemas.reached(schema)
    return {**schema, "$defs": used} if used else schema


def _field(schema: Any, file: bool) -> Any:
    return described(schema) if file and isinstance(schema, dict) else schema


def _follow(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """The schema that a chain of references names."""
    seen: set[str] = set()
    while isinstance(schema.get("$ref"), str):
        name = schema["$ref"].removeprefix("#/$defs/")
        if name in seen:
            return {}
        seen.add(name)
        target = definitions.get(name, {})
        schema = target if isinstance(target, dict) else {}
    return schema


def _flat(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """All fields a body can have, over references and alternatives; for judging what it may change."""
    parts = unfolded(schema, definitions)
    fields = {name: field for part in parts for name, field in part.get("properties", {}).items()}
    return {"type": next((part["type"] for part in parts if part.get("type")), None), "properties": fields}


def _id(raw: dict[str, Any]) -> str:
    return str(raw.get("operationId") or "")[:MAX_ID]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _words(text: Any) -> str:
    return clean_text(text.strip())[:2_000] if isinstance(text, str) else ""
