import json
import time
from pathlib import Path

import pytest

from tests.tools.openapi.conftest import DATA, DOCUMENTS
from tools.client import BackendClient
from tools.openapi.document import DocumentError, load_document, parse, same_origin
from tools.openapi.operations import operations
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import ArgumentError


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_operation_of_a_real_document_is_imported(name, imported):
    paths = json.loads((DATA / name).read_text())["paths"]
    there = {
        (m.upper(), p) for p, item in paths.items() for m in item if m in {"get", "post", "put", "patch", "delete"}
    }
    assert {(o.method, o.path) for o in imported[name]} == there


def test_json_and_yaml_are_the_same(tmp_path, write):
    path = write({"/a": {"get": {"responses": {"200": {"description": "ok"}}}}})
    yaml = tmp_path / "api.yaml"
    yaml.write_text(
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    get:\n      responses:\n"
        "        200: {description: ok}\n"
    )
    assert load_document(str(yaml)).root == load_document(path).root


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b'{"swagger": "2.0", "paths": {}}', "swagger2openapi"),
        (b'{"openapi": "4.0.0"}', "OpenAPI 3.0 or 3.1"),
        (b"[]", "not an object"),
        (b'{"openapi": "3.1.0", "paths": []}', "`paths`"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a: [", "neither JSON nor YAML"),
        (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
        (('{"x":' * 200 + "1" + "}" * 200).encode(), "nested deeper"),
        (BOMB.encode(), "unfolds"),
        (b"a: &a {b: *a}", "contains itself"),
        (b" " * 10_000_001, "larger than"),
        (b"openapi: 3.1.0\nx:\n" + b"- a\n" * 2_000_000, "as YAML"),
        (b'{"x":[' + b"{}," * 2_900_000 + b"1]}", "unfolds"),
        (b'{"x":' + b"9" * 100_000 + b"}", "too long"),
        (b"!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
    ],
)
def test_a_bad_document_is_refused_clearly_and_soon(tmp_path, raw, says):
    file = tmp_path / "bad"
    file.write_bytes(raw)
    start = time.process_time()
    with pytest.raises(DocumentError, match=says):
        load_document(str(file))
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "ref",
    ["https://evil.example/x.json#/a", "http://169.254.169.254/latest", "file:///etc/passwd", "/etc/passwd", "../x"],
)
def test_a_reference_to_another_place_is_refused_and_not_read(write, ref):
    asked, raw = [], Path(write({"/a": {"get": {"parameters": [{"$ref": ref}]}}})).read_bytes()

    def fetch(uri):
        asked.append(uri)
        return raw

    document = load_document("https://api.example/v1/openapi.json", fetch)
    with pytest.raises(DocumentError, match=r"another place|names nothing|no name"):
        operations(document)
    assert all(uri.startswith("https://api.example/") for uri in asked)


def test_a_reference_to_the_same_origin_is_read():
    pages = {
        "https://api.example/v1/openapi.json": {
            "openapi": "3.0.3",
            "info": {},
            "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {
                "schema": {"$ref": "schemas.json#/Note"}}}}}}},
        },
        "https://api.example/v1/schemas.json": {
            "Note": {"type": "object", "properties": {"to": {"$ref": "#/Person"}}},
            "Person": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    }  # fmt: skip
    document = load_document("https://api.example/v1/openapi.json", lambda uri: json.dumps(pages[uri]).encode())
    assert "Person" in json.dumps(operations(document)[0].schema["$defs"])


def test_a_circle_of_references_is_refused(write):
    components = {
        "parameters": {"a": {"$ref": "#/components/parameters/b"}, "b": {"$ref": "#/components/parameters/a"}}
    }
    path = write({"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/a"}]}}}, components=components)
    with pytest.raises(DocumentError, match="circle"):
        operations(load_document(path))


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(DocumentError, match="No such file"):
        load_document(str(tmp_path / "nothing.json"))


def test_shared_yaml_nodes_are_fine():
    assert parse(b"a: &x {b: 1}\nc: *x\n") == {"a": {"b": 1}, "c": {"b": 1}}


def test_origins():
    assert same_origin("https://a/x", "https://a/y/z")
    assert not same_origin("https://a/x", "https://a:8443/x")
    assert not same_origin("https://a/x", "http://a/x")


def body(schema):
    return {"post": {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}}


def named(name):
    return {"$ref": f"#/components/schemas/{name}"}


def chain(length, make):
    return {f"S{i}": make(f"S{i + 1}") for i in range(length)} | {f"S{length}": {"type": "string"}}


@pytest.mark.parametrize(
    "schemas",
    [
        chain(8, lambda n: {"type": "object", "properties": {f"p{i}": named(n) for i in range(60)}}),
        chain(30, lambda n: {"allOf": [named(n)] * 8}),
        chain(3_000, lambda n: {"type": "object", "properties": {"next": named(n)}}),
        {"S0": {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(20_000)}}},
        {"S0": {"type": "wrong", "properties": [1], "required": "x", "enum": 3, "items": 7, "allOf": {}}},
        {"S0": {"type": "object", "required": [{}], "properties": {"x": {"type": "string", "pattern": "(?<n"}}}},
    ],
    ids=["fan", "fan of allOf", "chain", "wide", "junk", "pattern"],
)
def test_schemas_that_unfold_without_end_are_imported_cheaply_and_slim(write, schemas):
    start = time.process_time()
    document = load_document(write({"/a": body(named("S0"))}, components={"schemas": schemas}))
    tools = OpenApiToolset.from_document(document, BackendClient("http://backend.example"))
    assert time.process_time() - start < 2
    assert len(json.dumps(tools.specs["post_a"].json_schema())) < 2_500


def test_a_circle_of_conditions_is_an_argument_error_and_a_slow_pattern_is_left_to_the_backend(write):
    slow = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}}
    paths = {"/circle": body(named("A")), "/slow": body(slow)}
    components = {"schemas": {"A": {"allOf": [named("B")]}, "B": {"allOf": [named("A")]}}}
    document = load_document(write(paths, components=components))
    tools = OpenApiToolset.from_document(document, BackendClient("http://backend.example"))
    with pytest.raises(ArgumentError):
        tools.validate("post_circle", {"body": {}})
    assert tools.validate("post_slow", {"x": "a" * 60 + "!"}) == {"x": "a" * 60 + "!"}
