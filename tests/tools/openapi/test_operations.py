import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tools.openapi.document import load_document
from tools.openapi.keywords import ExactValidator
from tools.openapi.names import tool_names
from tools.openapi.operations import operations, survey
from tools.openapi.schemas import slim

LEGAL = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")


def one(write, operation, path="/a", item=None, **root):
    return operations(load_document(write({path: {"post": operation, **(item or {})}}, **root)))[0]


def json_body(schema, **more):
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, **more}}


operation_ids = st.tuples(st.sampled_from(["get", "post"]), st.text(max_size=90), st.text(max_size=90))


@given(st.lists(operation_ids, max_size=30, unique_by=lambda o: o[:2]))
def test_names_are_legal_unique_and_independent_of_the_order(found):
    names = tool_names(found)
    assert all(LEGAL.fullmatch(name) for name in names)
    assert len({n.lower() for n in names}) == len(names)
    assert dict(zip(found, names, strict=True)) == dict(zip(found[::-1], tool_names(found[::-1]), strict=True))


def test_a_name_sheds_the_path_that_fastapi_appends():
    assert tool_names([("get", "/items/{id}", "read_item_items__id__get")]) == ["read_item"]


def test_parameters_of_the_path_and_references_are_there(write):
    operation = one(
        write,
        {"parameters": [{"$ref": "#/components/parameters/Limit"}]},
        "/things/{id}",
        {"parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}]},
        components={"parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}}},
    )
    assert set(operation.schema["properties"]) == {"id", "limit"}
    assert operation.schema["required"] == ["id"]


def test_the_operations_own_parameter_wins(write):
    operation = one(
        write,
        {"parameters": [{"name": "q", "in": "query", "required": True, "schema": {"type": "integer"}}]},
        item={"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}]},
    )
    assert operation.schema["properties"]["q"] == {"type": "integer"}


def test_a_body_field_with_a_parameters_name_keeps_both(write):
    schema = {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}
    operation = one(
        write,
        {"parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}], **json_body(schema)},
        "/things/{id}",
    )
    assert set(operation.schema["properties"]) == {"id", "body_id", "name"}
    assert operation.body.fields == {"body_id": "id", "name": "name"}


def test_one_name_in_two_places_keeps_both(write):
    places = [{"name": "version", "in": place, "schema": {"type": "string"}} for place in ("query", "header", "cookie")]
    assert set(one(write, {"parameters": places}).schema["properties"]) == {
        "query_version",
        "header_version",
        "cookie_version",
    }


def test_two_parameters_of_a_place_never_share_a_name(write):
    wires = ["a.b", "a_b", "a b", "ключ", "名", "x" * 70, "x" * 80]
    operation = one(write, {"parameters": [{"name": n, "in": "query", "schema": {}} for n in wires]})
    assert {p.wire for p in operation.parameters} == set(wires)
    assert len(operation.schema["properties"]) == len(wires)
    assert all(LEGAL.fullmatch(name) for name in operation.schema["properties"])


def test_a_body_that_need_not_be_sent_is_whole_when_it_is(write):
    schema = {"type": "object", "required": ["a"], "properties": {"a": {}, "b": {}}}
    check = ExactValidator(one(write, json_body(schema)).schema)
    assert [check.is_valid(args) for args in ({}, {"a": 1}, {"a": 1, "b": 2}, {"b": 2})] == [True, True, True, False]


def test_a_parameter_that_its_path_does_not_name_is_not_asked_for(write):
    path_id = {"name": "id", "in": "path", "required": True, "schema": {}}
    assert set(one(write, {"parameters": [path_id]}, "/things/{thing_id}").schema["properties"]) == {"thing_id"}


@pytest.mark.parametrize(
    ("path", "parameter", "reason"),
    [
        ("/a#b", {}, "hold no #"), ("/a/{id", {}, "in braces"), ("/a/{}", {}, "in braces"),
        ("/a", {"name": "X Bad", "in": "header"}, "no header"), ("/a", {"name": "ключ", "in": "header"}, "no header"),
    ],
)  # fmt: skip
def test_what_no_request_can_carry_is_off(write, path, parameter, reason):
    operation = {"post": {"parameters": [parameter] if parameter else []}}
    (broken,) = survey(load_document(write({"/fine": {"get": {}}, path: operation}))).broken
    assert reason in broken.reason


def test_headers_that_are_not_parameters_are_left_out(write):
    headers = [{"name": n, "in": "header", "schema": {"type": "string"}} for n in ("Authorization", "Accept", "X-A")]
    assert set(one(write, {"parameters": headers}).schema["properties"]) == {"X-A"}


def test_nullable_and_optional_are_kept_apart(write):
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string", "nullable": True}, "b": {"type": "string"}},
    }
    operation = one(write, json_body(schema, required=True), openapi="3.0.3")
    check = Draft202012Validator(operation.schema)
    assert check.is_valid({"a": None})
    assert not check.is_valid({"b": "x"})
    assert not check.is_valid({"a": "x", "b": None})


def test_exclusive_bounds_of_3_0(write):
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}}
    check = Draft202012Validator(one(write, json_body(schema), openapi="3.0.3").schema)
    assert check.is_valid({"n": 1})
    assert not check.is_valid({"n": 0})


def test_read_only_fields_cannot_be_sent(write):
    schema = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}},
    }
    operation = one(write, json_body(schema, required=True))
    assert (set(operation.schema["properties"]), operation.schema["required"]) == ({"name"}, ["name"])


def test_recursive_schemas_check_at_every_depth(write):
    node = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}},
            "additionalProperties": False}  # fmt: skip
    operation = one(write, json_body({"$ref": "#/components/schemas/Node"}), components={"schemas": {"Node": node}})
    check = Draft202012Validator(operation.schema)
    assert check.is_valid({"kids": [{"kids": [{"kids": []}]}]})
    assert not check.is_valid({"kids": [{"kids": [{"other": 1}]}]})
    assert "$ref" not in json.dumps(slim(operation.schema))


def test_alternatives_stay_one_argument(write):
    cat = {"type": "object", "required": ["meow"], "properties": {"meow": {"type": "boolean"}}}
    dog = {"type": "object", "required": ["bark"], "properties": {"bark": {"type": "boolean"}}}
    operation = one(write, json_body({"oneOf": [cat, dog], "discriminator": {"propertyName": "kind"}}, required=True))
    check = Draft202012Validator(operation.schema)
    assert check.is_valid({"body": {"meow": True}})
    assert not check.is_valid({"body": {}})
    assert {"meow", "bark"} <= set(operation.facts.body_fields)


def test_of_very_many_choices_a_model_is_told_some_and_forbidden_none():
    told = slim({"type": "string", "enum": [f"v{n}" for n in range(41)], "description": "Which one"})
    assert told == {
        "type": "string",
        "description": "Which one. 41 values, such as " + ", ".join(f"v{n}" for n in range(40))[:130],
    }
    assert slim({"enum": ["a", "b"]}) == {"enum": ["a", "b"]}


def test_slim_schemas_of_real_documents_fit(imported):
    for found in imported.values():
        for operation in found:
            small = slim(operation.schema)
            assert len(json.dumps(small, ensure_ascii=False)) <= 1_600
            assert set(operation.schema["required"]) <= set(small["properties"])


def test_a_changed_operation_has_another_hash(write):
    first = one(write, {"summary": "Rename"})
    assert one(write, {"summary": "Rename"}).sha256 == first.sha256
    assert one(write, {"summary": "Rename it"}).sha256 != first.sha256


def test_hidden_characters_of_a_description_are_dropped(write):
    operation = one(write, {"summary": "Read\u202e it", "description": "ok\U000e0041\U000e0042 \x1b[31mred"})
    assert operation.summary == "Read it"
    assert operation.description == "ok red"


def test_no_product_name_is_in_the_rules():
    rules = ("effects", "facts", "ordinary", "sentences", "small", "words")
    words = "".join(Path(f"tools/openapi/{name}.py").read_text() for name in rules)
    assert not re.search(r"prefect|chroma|webui|fastapi-users|/flows|/collections", words, re.I)
