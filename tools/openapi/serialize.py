"""Checked arguments as one HTTP request, the way the document says: styles, explode, forms, files.

Sources: OpenAPI 3.1, 4.8.12 (parameter styles) and 4.8.15 (encoding); RFC 6570; RFC 7578 (multipart).
"""

import base64
import binascii
import json
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from tools.client import Request, UnsafeValueError, header_value, path_segment
from tools.openapi.operations import Body, Operation, Parameter

RESERVED = ":/?#[]@!$&'()*+,;="
NOTHING = object()
DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def to_request(operation: Operation, args: Mapping[str, Any]) -> Request:
    """The request of one call; raises `UnsafeValueError` for a value that could lead it elsewhere."""
    given = [(p, args[p.name]) for p in operation.parameters if _sent(p, args)]
    headers = {p.wire: header_value(_simple(p, v, _unsplit if isinstance(v, list | dict) else str))
               for p, v in given if p.place == "header"}  # fmt: skip
    if cookies := [_cookie(p, v) for p, v in given if p.place == "cookie"]:
        headers["Cookie"] = "; ".join(cookies)
    body, content, content_type = _body(operation.body, args)
    if content_type:
        headers["Content-Type"] = content_type
    return Request(
        method=operation.method,
        path=_path(operation.path, {p.wire: _segment(p, v) for p, v in given if p.place == "path"}),
        body=body,
        content=content,
        headers=headers,
        raw_query="&".join(_query(p, v) for p, v in given if p.place == "query" and v != []),
    )


def _sent(parameter: Parameter, args: Mapping[str, Any]) -> bool:
    """Whether there is something to write: null is a value in JSON alone."""
    return parameter.name in args and (args[parameter.name] is not None or parameter.content_type is not None)


def _path(template: str, segments: Mapping[str, str]) -> str:
    for name, value in segments.items():
        if not value.strip("."):
            raise UnsafeValueError(f"{name} is part of the path and must not be empty")
        template = template.replace("{" + name + "}", value)
    if "{" in template:
        raise UnsafeValueError("a value for the path is missing")
    return template


def _segment(parameter: Parameter, value: Any) -> str:
    """A path value, every part encoded whole, in the styles simple, label and matrix."""
    if parameter.style == "label":
        return "." + _simple(parameter, value, path_segment, "." if parameter.explode else ",")
    if parameter.style == "matrix":
        return _matrix(parameter, value)
    return _simple(parameter, value, path_segment)


def _matrix(parameter: Parameter, value: Any) -> str:
    name = quote(parameter.wire, safe="")
    if parameter.explode and isinstance(value, list):
        return "".join(f";{name}={path_segment(_text(item))}" for item in value)
    if parameter.explode and isinstance(value, dict):
        return "".join(f";{quote(k, safe='')}={path_segment(_text(v))}" for k, v in value.items())
    return f";{name}={_simple(parameter, value, path_segment)}"


def _simple(parameter: Parameter, value: Any, encode: Any, joint: str = ",") -> str:
    """`a,b` for lists, `k,v` or `k=v` for objects."""
    if parameter.content_type:
        return encode(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        return joint.join(encode(_text(item)) for item in value)
    if isinstance(value, dict):
        pairs = [(encode(str(k)), encode(_text(v))) for k, v in value.items()]
        return joint.join("=".join(p) if parameter.explode else joint.join(p) for p in pairs)
    return encode(_text(value))


def _unsplit(text: str) -> str:
    if "," in text:
        raise UnsafeValueError("a part of a list in a header must not hold a comma, which would make it two")
    return text


def _query(parameter: Parameter, value: Any) -> str:
    """One parameter of the query, encoded: form, spaceDelimited, pipeDelimited, deepObject."""
    name, safe = quote(parameter.wire, safe=""), RESERVED if parameter.allow_reserved else ""

    def encode(item: Any) -> str:
        return quote(_text(item), safe=safe.replace("&", "").replace("#", "").replace("+", ""))

    if parameter.content_type:
        return f"{name}={quote(json.dumps(value, ensure_ascii=False), safe='')}"
    if isinstance(value, dict):
        return _query_object(parameter, name, value, encode)
    if isinstance(value, list):
        if parameter.explode:
            return "&".join(f"{name}={encode(item)}" for item in value)
        return f"{name}=" + DELIMITERS.get(parameter.style, ",").join(encode(item) for item in value)
    return f"{name}={encode(value)}"


def _query_object(parameter: Parameter, name: str, value: dict[str, Any], encode: Any) -> str:
    pairs = [(quote(str(k), safe=""), encode(v)) for k, v in value.items() if v is not None]
    if parameter.style == "deepObject":
        return "&".join(f"{name}[{k}]={v}" for k, v in pairs)
    if parameter.explode:
        return "&".join(f"{k}={v}" for k, v in pairs)
    return f"{name}=" + DELIMITERS.get(parameter.style, ",").join(part for pair in pairs for part in pair)


def _cookie(parameter: Parameter, value: Any) -> str:
    return f"{parameter.wire}={_simple(parameter, value, lambda text: quote(text, safe=''))}"


def _text(value: Any) -> str:
    """A value as text; true and false as in JSON, nested values as JSON."""
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _body(body: Body | None, args: Mapping[str, Any]) -> tuple[Any, bytes | None, str | None]:
    """(JSON body, other body, content type)."""
    if body is None or (value := _body_value(body, args)) is NOTHING:
        return None, None, None
    written = _concrete(body)
    kind = written.split(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded" and isinstance(value, dict):
        return None, _form(body, value).encode(), kind
    if kind == "multipart/form-data" and isinstance(value, dict):
        return _multipart(body, value)
    if kind == "application/json" or kind.endswith("+json"):
        return (value, None, written) if value is not None else (None, b"null", written)
    if isinstance(value, str):
        return None, _bytes(value) if body.raw else value.encode(), written
    return None, json.dumps(value, ensure_ascii=False).encode(), written


def _concrete(body: Body) -> str:
    """The type that is sent: a document may write a range, such as `*/*`, which no request can carry."""
    if "*" not in body.content_type:
        return body.content_type
    if body.content_type.startswith(("*/", "application/")) and not body.raw:
        return "application/json"
    return "text/plain" if body.content_type.startswith("text/") else "application/octet-stream"


def _body_value(body: Body, args: Mapping[str, Any]) -> Any:
    if body.fields is None:
        return args.get(body.argument, NOTHING)
    value = {wire: args[name] for name, wire in body.fields.items() if name in args}
    return value if value or body.required else NOTHING


def _form(body: Body, value: dict[str, Any]) -> str:
    return "&".join(_form_field(body, name, item) for name, item in value.items() if item is not None and item != [])


def _form_field(body: Body, name: str, value: Any) -> str:
    """One field: as its encoding object says, else every item of a list under the name (OpenAPI 3.1, 4.8.15)."""
    encoding = body.encoding.get(name)
    if isinstance(encoding, dict) and {"style", "explode"} & set(encoding):
        style = str(encoding.get("style", "form"))
        explode = bool(encoding.get("explode", style == "form"))
        return _query(Parameter(name, name, "query", style, explode, required=False, schema={}), value)
    return urlencode([(name, _text(item)) for item in (value if isinstance(value, list) else [value])])


def _multipart(body: Body, value: dict[str, Any]) -> tuple[None, bytes, str]:
    boundary = secrets.token_hex(16)
    items = [(k, one) for k, v in value.items() for one in (v if isinstance(v, list) else [v]) if one is not None]
    parts = [_part(body, name, one, file=name in body.files and isinstance(one, str)) for name, one in items]
    mark = f"--{boundary}\r\n".encode()
    content = b"".join(mark + part for part in parts) + f"--{boundary}--\r\n".encode()
    return None, content, f"multipart/form-data; boundary={boundary}"


def _part(body: Body, name: str, value: Any, *, file: bool) -> bytes:
    """One part: files have a file name, objects are JSON, and `encoding` may name another type."""
    encoding = body.encoding.get(name)
    kind = encoding.get("contentType") if isinstance(encoding, dict) else None
    kind = str(kind).split(",")[0].strip() if kind else None
    if kind is None and (file or isinstance(value, dict)):
        kind = "application/octet-stream" if file else "application/json"
    quoted = str(name).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")  # as browsers do (WHATWG)
    head = f'Content-Disposition: form-data; name="{quoted}"' + (f'; filename="{quoted}"' if file else "")
    head += f"\r\nContent-Type: {header_value(kind)}" if kind else ""
    return head.encode() + b"\r\n\r\n" + (_bytes(str(value)) if file else _text(value).encode()) + b"\r\n"


def _bytes(text: str) -> bytes:
    """Base64 as bytes; text that is not base64 goes as it is."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text.encode()
