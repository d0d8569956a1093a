"""Requests as somebody else reads them: openapi-core, by the document that was made."""

import json
import re
from collections.abc import Mapping
from datetime import date, datetime
from email import message_from_bytes
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl, unquote
from uuid import UUID

from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest
from werkzeug.datastructures import ImmutableMultiDict

from tests.tools.openapi.made.arguments import Values
from tests.tools.openapi.made.documents import Made, Meant
from tests.tools.openapi.made.places import Given
from tools.client import Request

UNREAD = {
    **dict.fromkeys(("application/merge-patch+json", "application/vnd.api+json"), json.loads),
    **dict.fromkeys(("text/csv", "application/xml"), bytes.decode),
}


def for_the_validator(value: Any) -> Any:
    """openapi-core knows no lists of types in parameters and no `items: false`, and takes bytes for no text.

    Of what is deprecated it warns, and XML it would have to be taught.
    """
    if isinstance(value, list):
        return [for_the_validator(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("format") == "binary" or "contentMediaType" in value:
        return {}
    if "application/xml" in value:
        value = {**value, "application/xml": {}}
    out = {
        key: for_the_validator(item)
        for key, item in value.items()
        if (item is not False or key != "items") and key != "deprecated"
    }
    if isinstance(out.get("required"), list):  # it asks for what is read-only
        out["required"] = [name for name in out["required"] if name != "made_at"]
    if isinstance(kinds := value.get("type"), list):
        rest = {key: item for key, item in out.items() if key != "type"}
        return {"anyOf": [{**rest, "type": kind} if kind != "null" else {"type": kind} for kind in kinds]}
    return out


class Reader:
    """Reads requests by a document."""

    def __init__(self, made: Made):
        config = Config(spec_validator_cls=None, extra_media_type_deserializers=UNREAD)
        self._openapi = OpenAPI.from_dict(for_the_validator(made.root), config=config)

    def read(self, meant: Meant, request: Request) -> Values:
        """The parameters and the body as openapi-core understands them; raises what it has against the request."""
        body = json.dumps(request.body).encode() if request.body is not None else request.content
        headers = dict(request.headers)
        cookies = dict(part.split("=", 1) for part in headers.pop("Cookie", "").split("; ") if part)
        mock = MockRequest(
            "http://localhost", meant.method.lower(), request.target(), path_pattern=meant.path,
            view_args=_path_values(meant, request), headers=headers,
            cookies={name: unquote(value) for name, value in cookies.items()}, data=body,
            content_type=request.headers.get("Content-Type", "application/json"),
        )  # fmt: skip
        mock.parameters.query = ImmutableMultiDict(_pairs(meant, request))
        result = self._openapi.unmarshal_request(mock)
        result.raise_for_errors()
        asked = [p for p in meant.parameters if p.asked]
        found = {(p.place, p.wire): getattr(result.parameters, p.place).get(p.wire, result) for p in asked}
        return Values({k: plain(v) for k, v in found.items() if v is not result}, plain(result.body))


def _path_values(meant: Meant, request: Request) -> dict[str, str]:
    """The path's values as a router cuts them out; openapi-core looks for styled ones under names of RFC 6570."""
    names = re.findall(r"\{([^{}]+)\}", meant.path)
    pattern = re.escape(meant.path)
    for name in names:
        pattern = pattern.replace(re.escape("{" + name + "}"), "(.+?)")
    found = re.fullmatch(pattern, request.target())
    assert found, (meant.path, request.target())
    values = dict(zip(names, map(unquote, found.groups()), strict=True))
    given = {p.wire: p for p in meant.parameters if p.place == "path"}
    return values | {_templated(given[name]): value for name, value in values.items()}


def _templated(given: Given) -> str:
    mark = {"label": ".", "matrix": ";"}.get(given.style, "")
    return f"{mark}{given.wire}{'*' if mark and given.explode else ''}"


def _pairs(meant: Meant, request: Request) -> list[tuple[str, str]]:
    """The query; openapi-core wants the blank of `spaceDelimited` encoded, and an exploded object in one value."""
    spaced = {p.wire for p in meant.parameters if p.style == "spaceDelimited"}
    exploded = {field: p.wire for p in meant.parameters if _exploded(p) for field in p.kind.schema["properties"]}
    pairs, objects = [], {}
    for name, value in parse_qsl(request.raw_query, keep_blank_values=True):
        if name in exploded:
            objects.setdefault(exploded[name], []).append(f"{name}={value}")
        else:
            pairs.append((name, value.replace(" ", "%20") if name in spaced else value))
    return pairs + [(name, "&".join(fields)) for name, fields in objects.items()]


def _exploded(given: Given) -> bool:
    one = "properties" in given.written.get("schema", {})
    return given.place == "query" and given.style == "form" and given.explode and one


def plain(value: Any) -> Any:
    """Without the classes that openapi-core makes of formats."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, UUID | date) else value


def parts(request: Request) -> dict[str, list[Any]]:
    """The parts of a multipart body by name, as Python's own parser of messages reads them."""
    head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
    message = message_from_bytes(head + (request.content or b""), policy=HTTP)
    found: dict[str, list[Any]] = {}
    for part in message.iter_parts():
        body = part.get_payload(decode=True)
        found.setdefault(str(part.get_param("name", header="content-disposition")), []).append(body)
    return found
