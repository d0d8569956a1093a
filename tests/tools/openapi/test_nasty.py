"""Documents written to break importers: names, schemas, and every call back through a validator."""

import json
import re
from datetime import date
from urllib.parse import parse_qsl, unquote
from uuid import UUID

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest
from schemathesis import GenerationMode
from werkzeug.datastructures import ImmutableMultiDict

from tests.tools.openapi.conftest import DATA
from tests.tools.openapi.test_operations import LEGAL
from tests.tools.openapi.test_round_trip import without_security
from tools.client import UnsafeValueError
from tools.openapi.document import load_document
from tools.openapi.operations import operations
from tools.openapi.schemas import whole_numbers
from tools.openapi.serialize import to_request

FILES = ("thirty_one.yaml", "thirty.json")
JSON_KINDS = ("application/merge-patch+json", "application/vnd.api+json")


def for_the_validator(value):
    """openapi-core knows no lists of types in parameters, no `items: false` and no `$defs` around a reference."""
    if isinstance(value, list):
        return [for_the_validator(item) for item in value]
    if not isinstance(value, dict):
        return value
    if str(value.get("$ref")).startswith("#/$defs/"):
        return {}
    out = {key: for_the_validator(item) for key, item in value.items() if item is not False}
    if isinstance(kinds := value.get("type"), list):
        rest = {key: item for key, item in out.items() if key != "type"}
        return {"anyOf": [{**rest, "type": kind} if kind != "null" else {"type": kind} for kind in kinds]}
    return out


def read(name):
    document = load_document(str(DATA / "nasty" / name))
    config = Config(spec_validator_cls=None, extra_media_type_deserializers=dict.fromkeys(JSON_KINDS, json.loads))
    return operations(document), OpenAPI.from_dict(for_the_validator(without_security(document.root)), config=config)


READ = {name: read(name) for name in FILES}
OPERATIONS = [pytest.param(name, o, id=f"{o.method} {o.path}") for name in FILES for o in READ[name][0]]
BY_PLACE = {(o.method, o.path): o for name in FILES for o in READ[name][0]}


def made_arguments(operation):
    """Arguments that fit the exact schema: schemathesis makes them as the body of an operation."""
    body = {"required": True, "content": {"application/json": {"schema": operation.schema}}}
    paths = {"/": {"post": {"requestBody": body, "responses": {"200": {"description": "ok"}}}}}
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    made = schemathesis.openapi.from_dict({**document, "$defs": operation.schema.get("$defs", {})})
    return made["/"]["POST"].as_strategy(generation_mode=GenerationMode.POSITIVE)


def path_values(operation, request):
    """The path's values as a router cuts them out."""
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<v_\1>.+?)", re.escape(operation.path)) + "$"
    return {k[2:]: unquote(v) for k, v in re.match(pattern, request.target()).groupdict().items()}


def mock(operation, request):
    body = json.dumps(request.body).encode() if request.body is not None else request.content
    headers = dict(request.headers)
    cookies = dict(part.split("=", 1) for part in headers.pop("Cookie", "").split("; ") if part)
    made = MockRequest(
        "http://localhost", operation.method.lower(), request.target(), path_pattern=operation.path,
        view_args=path_values(operation, request), headers=headers, cookies=cookies, data=body,
        content_type=request.headers.get("Content-Type", "application/json"),
    )  # fmt: skip
    made.parameters.query = ImmutableMultiDict(parse_qsl(request.raw_query, keep_blank_values=True))
    return made


def test_names_are_legal_unique_and_readable():
    for name in FILES:
        names = [o.name for o in READ[name][0]]
        assert all(LEGAL.fullmatch(n) for n in names)
        assert len({n.lower() for n in names}) == len(names)
    assert BY_PLACE["POST", "/файлы/{имя}"].name == "zagruzit_fayl"
    assert len(READ["thirty_one.yaml"][0]) == 16  # no webhook, no callback, no extension of paths
    assert len(READ["thirty.json"][0]) == 10


@pytest.mark.parametrize(
    ("place", "args", "fits"),
    [
        (("GET", "/things/{id}"), {"id": "x", "limit": None}, True),
        (("GET", "/things/{id}"), {"id": "x", "limit": 51}, False),
        (("GET", "/things/{id}"), {"id": "x", "Accept": "x"}, False),
        (("GET", "/things"), {"filter": {"name": "a", "other": 1}}, False),
        (("GET", "/things"), {"body": {"any": 1}}, True),
        (("GET", "/things"), {"since": "2024-02-29"}, True),
        (("PUT", "/things"), {"body": {"kind": "whole", "when": None, "more": 1}}, True),
        (("PUT", "/things"), {"body": {"kind": "part"}}, False),
        (("PUT", "/things"), {"body": {"kind": "whole", "more": "x"}}, False),
        (("POST", "/things"), {"name": "a", "size": 5}, True),
        (("POST", "/things"), {"name": "a", "size": 6}, False),
        (("POST", "/things"), {"name": "a", "price": True}, False),
        (("POST", "/things"), {"name": "a", "pair": ["x", 1, 2]}, False),
        (("POST", "/things"), {"name": "a", "labels": {"A": "x"}}, False),
        (("POST", "/pets"), {"body": {"kind": "Cat", "lives": 9}}, True),
        (("POST", "/pets"), {"body": {"kind": "Cat", "tricks": []}}, False),
        (("PUT", "/tree"), {"value": 1, "left": {"value": 2, "left": None}}, True),
        (("PUT", "/tree"), {"value": 1, "left": {"value": 2, "leaf": 1}}, False),
        (("POST", "/local"), {"part": {"n": 1, "more": {"n": 2}}}, True),
        (("POST", "/local"), {"part": {"n": 1, "more": {"m": 2}}}, False),
        (("POST", "/switch"), {"on": True, "404": 1, "pin": "x"}, True),
        (("POST", "/switch"), {"off": None}, False),
        (("POST", "/switch"), {"on": True, "id": 1}, False),
        (("PUT", "/c/{id}"), {"path_id": 1, "query_id": "q", "id": None, "body_id": "b"}, True),
        (("PUT", "/c/{id}"), {"path_id": 0, "id": None}, False),
        (("POST", "/a"), {"secret": "s", "n": None, "mode": None}, True),
        (("POST", "/a"), {"secret": "s", "n": 3}, False),
        (("PATCH", "/h"), {"body": {"secret": "s"}}, False),
        (("GET", "/i/{bad}"), {"bad": "x"}, True),
        (("GET", "/i/{bad}"), {}, False),
    ],
)
def test_the_schema_says_what_the_document_says(place, args, fits):
    assert Draft202012Validator(BY_PLACE[place].schema).is_valid(args) is fits


@pytest.mark.parametrize(
    ("place", "args", "query"),
    [
        (("GET", "/things"), {"filter": {"name": "a b", "size": 1}}, "filter[name]=a%20b&filter[size]=1"),
        (("GET", "/things"), {"ids": [1, 2]}, "ids=1%202"),
        (("GET", "/things"), {"tags": ["red", "blue"]}, "tags=red%7Cblue"),
        (("GET", "/things"), {"sort": ["a", "b"]}, "sort%5B%5D=a&sort%5B%5D=b"),
        (("GET", "/things"), {"where": {"a": 1}}, "where=%7B%22a%22%3A%201%7D"),
    ],
)
def test_the_query_is_written_as_the_document_says(place, args, query):
    assert to_request(BY_PLACE[place], args).raw_query == query


def test_a_form_and_a_multipart_follow_their_encoding():
    form = to_request(BY_PLACE["POST", "/form"], {"colours": ["red", "b c"], "place": {"x": 1}})
    assert form.content == b"colours=red,b%20c&place[x]=1"
    upload = {"path": "a", "file": "aGk=", "more": ["eA==", "eQ=="], "meta": {"note": "n"}}
    args = {("имя" if k == "path" else k): v for k, v in upload.items()}
    operation = BY_PLACE["POST", "/файлы/{имя}"]
    names = {p.wire: p.name for p in operation.parameters}
    sent = to_request(operation, {names.get(k, k): v for k, v in args.items()})
    parts = sent.content.decode().split("--" + sent.headers["Content-Type"].partition("boundary=")[2])[1:-1]
    assert [p.partition("Content-Type: ")[2].splitlines()[0] for p in parts] == [
        "image/png", "application/octet-stream", "application/octet-stream", "application/json",
    ]  # fmt: skip
    assert parts[3].endswith('{"note": "n"}\r\n')


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "ключ", ""])
def test_a_header_value_that_is_none_is_refused_before_it_is_sent(value):
    with pytest.raises(UnsafeValueError, match="visible ASCII"):
        to_request(BY_PLACE["DELETE", "/things/{id}"], {"id": "x", "trace": value})


def plain(value):
    return str(value) if isinstance(value, UUID | date) else value


@pytest.mark.parametrize(("name", "operation"), OPERATIONS)
def test_every_call_is_understood_as_it_was_meant(name, operation):
    sent = 0

    @settings(
        max_examples=10, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip
    @given(made_arguments(operation))
    def send(case):
        nonlocal sent
        args = whole_numbers(case.body)
        try:
            request = to_request(operation, args)
        except UnsafeValueError:
            return
        understood = READ[name][1].unmarshal_request(mock(operation, request))
        for place in ("path", "query", "header", "cookie"):
            meant = {p.wire: args.get(p.name) for p in operation.parameters if p.place == place}
            got = getattr(understood.parameters, place)
            assert {k: plain(v) for k, v in got.items() if v} == {k: v for k, v in meant.items() if v and k in got}
        sent += 1

    send()
    assert sent
