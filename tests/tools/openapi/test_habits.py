"""What the generators of other frameworks write, through the schema and the request."""

import json

import pytest

from tools.openapi.document import load_document
from tools.openapi.keywords import ExactValidator
from tools.openapi.operations import Operation, operations
from tools.openapi.serialize import to_request

PET = {"type": "object", "properties": {"kind": {"type": "string"}, "n": {"type": "integer"}}, "required": ["kind"]}
BY_KIND = {
    "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat"}},
}
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


def one(path: str, content: dict | None = None, version: str = "3.0.3", **operation) -> Operation:
    """The one operation of a document."""
    if content:
        operation["requestBody"] = {"required": True, "content": content}
    components = {"schemas": {"Cat": PET, "Dog": PET}}
    root = {"openapi": version, "info": {}, "components": components, "paths": {path: {"post": operation}}}
    return operations(load_document("https://api.example/o.json", lambda _: json.dumps(root).encode()))[0]


@pytest.mark.parametrize(
    ("path", "args", "target"),
    [
        ("/x/{id}.json", {"id": "a b"}, "/x/a%20b.json"),
        ("/x/{a}-{b}", {"a": "1", "b": "2"}, "/x/1-2"),
        ("/x/{id}:archive", {"id": "1"}, "/x/1:archive"),
    ],
)
def test_parameters_inside_of_a_segment(path, args, target):
    operation = one(path)
    assert ExactValidator(operation.schema).is_valid(args)
    assert to_request(operation, args).path == target


@pytest.mark.parametrize(
    ("written", "schema", "value", "sent"),
    [
        ("*/*", OBJECT, {"a": "x"}, "application/json"),
        ("application/*+json", OBJECT, {"a": "x"}, "application/json"),
        ("application/*", OBJECT, {"a": "x"}, "application/json"),
        ("image/*", {"type": "string", "format": "binary"}, {"body": "aGk="}, "application/octet-stream"),
        ("*/*", {"type": "string", "format": "binary"}, {"body": "aGk="}, "application/octet-stream"),
        ("text/*", {"type": "string"}, {"body": "hi"}, "text/plain"),
    ],
)
def test_a_range_of_types_is_sent_as_one_type(written, schema, value, sent):
    request = to_request(one("/x", {written: {"schema": schema}}), value)
    assert request.headers["Content-Type"] == sent
    assert request.body == value if sent == "application/json" else request.content == b"hi"


@pytest.mark.parametrize(
    ("value", "fits"), [({"kind": "cat", "n": 1}, True), ({"kind": 1}, False), ({"kind": "cat", "n": "x"}, False)]
)
def test_a_field_decides_between_kinds_that_look_alike(value, fits):
    operation = one("/x", {"application/json": {"schema": BY_KIND}})
    assert ExactValidator(operation.schema).is_valid({"body": value}) is fits
