"""Arguments on the wire: the examples of the OpenAPI specification (3.1.1, 4.8.12.6), and what is refused."""

import pytest
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser

from tests.tools.calls import make_call
from tests.tools.recorder import reply
from tools.client import UnsafeValueError
from tools.openapi.document import load_document
from tools.openapi.keywords import ExactValidator
from tools.openapi.operations import operations
from tools.openapi.serialize import to_request

ARRAY, OBJECT = ["blue", "black", "brown"], {"R": 100, "G": 200, "B": 150}


@pytest.fixture
def imported_one(write):
    """The one operation with these parameters or this body."""

    def _one(path="/a", parameters=(), content=None):
        operation = {"parameters": list(parameters)}
        if content:
            operation["requestBody"] = {"required": True, "content": content}
        return operations(load_document(write({path: {"post": operation}})))[0]

    return _one


def color(place, style, explode, **more):
    return {"name": "color", "in": place, "style": style, "explode": explode, "required": True, "schema": {}, **more}


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("matrix", False, "blue", ";color=blue"),
        ("matrix", False, ARRAY, ";color=blue,black,brown"),
        ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
        ("matrix", True, ARRAY, ";color=blue;color=black;color=brown"),
        ("matrix", True, OBJECT, ";R=100;G=200;B=150"),
        ("label", False, "blue", ".blue"),
        ("label", False, ARRAY, ".blue,black,brown"),
        ("label", False, OBJECT, ".R,100,G,200,B,150"),
        ("label", True, ARRAY, ".blue.black.brown"),
        ("label", True, OBJECT, ".R=100.G=200.B=150"),
        ("simple", False, "blue", "blue"),
        ("simple", False, ARRAY, "blue,black,brown"),
        ("simple", False, OBJECT, "R,100,G,200,B,150"),
        ("simple", True, OBJECT, "R=100,G=200,B=150"),
        ("simple", False, "a b&c?d#e%2F", "a%20b%26c%3Fd%23e%252F"),
    ],
)
def test_path_styles(imported_one, style, explode, value, expected):
    operation = imported_one("/a/{color}/b", [color("path", style, explode)])
    assert to_request(operation, {"color": value}).path == f"/a/{expected}/b"


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("form", False, "", "color="),
        ("form", False, "blue", "color=blue"),
        ("form", False, ARRAY, "color=blue,black,brown"),
        ("form", False, OBJECT, "color=R,100,G,200,B,150"),
        ("form", True, ARRAY, "color=blue&color=black&color=brown"),
        ("form", True, OBJECT, "R=100&G=200&B=150"),
        ("spaceDelimited", False, ARRAY, "color=blue%20black%20brown"),
        ("spaceDelimited", False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
        ("pipeDelimited", False, ARRAY, "color=blue%7Cblack%7Cbrown"),
        ("pipeDelimited", False, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
        ("deepObject", True, OBJECT, "color[R]=100&color[G]=200&color[B]=150"),
        ("form", True, "a&b=c d", "color=a%26b%3Dc%20d"),
        ("form", True, True, "color=true"),
        ("form", True, [], ""),
    ],
)
def test_query_styles(imported_one, style, explode, value, expected):
    assert to_request(imported_one("/a", [color("query", style, explode)]), {"color": value}).raw_query == expected


def test_a_query_that_may_hold_reserved_characters_keeps_its_borders(imported_one):
    operation = imported_one("/a", [color("query", "form", True, allowReserved=True)])
    assert to_request(operation, {"color": "/a?b=c&d#e"}).raw_query == "color=/a?b=c%26d%23e"


def test_a_parameter_with_a_content_type_is_json(imported_one):
    parameter = {"name": "filter", "in": "query", "content": {"application/json": {"schema": {}}}}
    assert to_request(imported_one("/a", [parameter]), {"filter": {"a": 1}}).raw_query == "filter=%7B%22a%22%3A%201%7D"


def test_headers_and_cookies(imported_one):
    parameters = [
        {"name": "X-Tags", "in": "header", "schema": {}},
        {"name": "X-Point", "in": "header", "explode": True, "schema": {}},
        {"name": "theme", "in": "cookie", "schema": {}},
        {"name": "size", "in": "cookie", "schema": {}},
    ]
    args = {"X-Tags": ["a", "b"], "X-Point": {"x": 1, "y": 2}, "theme": "dark; admin=1", "size": 3}
    assert to_request(imported_one("/a", parameters), args).headers == {
        "X-Tags": "a,b",
        "X-Point": "x=1,y=2",
        "Cookie": "theme=dark%3B%20admin%3D1; size=3",
    }


@pytest.mark.parametrize("style", ["simple", "label", "matrix"])
@pytest.mark.parametrize("value", ["", ".", "..", "a/b", "../x", "a\\b", "a\nb", [], {}, [".."], ["a", "b/c"]])
def test_a_value_that_leads_elsewhere_is_refused(imported_one, style, value):
    operation = imported_one("/a/{color}", [color("path", style, False)])
    if style == "matrix" and value in ([], {}):
        assert to_request(operation, {"color": value}).path == "/a/;color="
        return
    with pytest.raises(UnsafeValueError):
        to_request(operation, {"color": value})


def test_a_missing_path_value_is_refused(imported_one):
    with pytest.raises(UnsafeValueError, match="missing"):
        to_request(imported_one("/a/{color}", [color("path", "simple", False)]), {"color": None})


@pytest.mark.parametrize("name", ["Host", "Content-Length", "Transfer-Encoding", "Connection"])
async def test_a_document_cannot_steer_the_connection(imported_one, client, recorder, name):
    recorder.answers(reply({}))
    request = to_request(imported_one("/a", [{"name": name, "in": "header", "schema": {}}]), {name: "evil.example"})
    with pytest.raises(UnsafeValueError):
        await client.send(request, make_call())
    assert recorder.seen == []


OBJECT_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "tags": {"type": "array"}}}


def test_a_form_body(imported_one):
    content = {"application/x-www-form-urlencoded": {"schema": OBJECT_SCHEMA}}
    request = to_request(imported_one(content=content), {"name": "a & b", "tags": [1, 2]})
    assert request.content == b"name=a+%26+b&tags=1&tags=2"
    assert request.headers["Content-Type"] == "application/x-www-form-urlencoded"


async def test_a_multipart_body_is_read_back_by_a_parser_of_others(imported_one):
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "file": {"type": "string", "format": "binary"}},
    }
    operation = imported_one(content={"multipart/form-data": {"schema": schema}})
    request = to_request(operation, {"name": 'x"\r\ny', "file": "AAEC"})

    async def stream():
        yield request.content

    form = await MultiPartParser(Headers(request.headers), stream()).parse()
    assert form["name"] == 'x"\r\ny'
    assert await form["file"].read() == b"\x00\x01\x02"
    await form.close()


@pytest.mark.parametrize(
    ("kind", "schema", "value", "sent"),
    [
        ("text/plain", {}, "héllo", "héllo".encode()),
        ("text/plain", {"type": "integer"}, 5, b"5"),
        ("application/octet-stream", {}, "AAEC", b"\x00\x01\x02"),
        ("application/octet-stream", {"type": "string"}, "AAEC", b"\x00\x01\x02"),
        ("image/png", {"type": "string", "format": "binary"}, "AAEC", b"\x00\x01\x02"),
        ("application/xml", {"type": "object"}, "<a/>", b"<a/>"),
        ("application/yaml", {"type": "string"}, "test", b"test"),
        ("application/sql", {"type": "string"}, "test", b"test"),
        ("application/json", {}, None, b"null"),
    ],
)
def test_a_raw_body(imported_one, kind, schema, value, sent):
    operation = imported_one(content={kind: {"schema": schema}})
    assert ExactValidator(operation.schema).is_valid({"body": value})
    request = to_request(operation, {"body": value})
    assert (request.content, request.headers["Content-Type"]) == (sent, kind)


def test_of_several_types_the_one_that_can_be_written_is_sent(imported_one):
    xml = {"application/xml": {"schema": {"type": "object"}}}
    for kind in ("text/csv", "image/png", "application/problem+json", "application/json"):
        assert imported_one(content={**xml, kind: {}}).body.content_type == kind


def test_the_names_of_a_forms_parts_are_written_as_browsers_write_them(imported_one):
    schema = {"type": "object", "properties": {"tags[]": {"type": "array"}, "имя": {}, 'a"b': {}}}
    operation = imported_one(content={"multipart/form-data": {"schema": schema}})
    names = {wire: name for name, wire in operation.body.fields.items()}
    content = to_request(operation, {names["tags[]"]: ["x"], names["имя"]: "y", names['a"b']: "z"}).content
    assert [f'name="{name}"'.encode() in content for name in ("tags[]", "имя", "a%22b")] == [True] * 3


def test_a_list_in_a_header_cannot_hold_what_would_divide_it(imported_one):
    operation = imported_one("/a", [color("header", "simple", False)])
    with pytest.raises(UnsafeValueError, match="comma"):
        to_request(operation, {"color": ["a,b", "c"]})
    assert to_request(operation, {"color": "a,b"}).headers == {"color": "a,b"}


def test_null_is_a_value_in_json_alone(imported_one):
    parameters = [
        {"name": "filter", "in": "query", "content": {"application/json": {"schema": {}}}},
        {"name": "plain", "in": "query", "schema": {}},
    ]
    assert to_request(imported_one("/a", parameters), {"filter": None, "plain": None}).raw_query == "filter=null"


def test_a_json_body_of_another_json_type(imported_one):
    kind = "application/merge-patch+json"
    request = to_request(imported_one(content={kind: {"schema": OBJECT_SCHEMA}}), {"name": "a"})
    assert (request.body, request.headers["Content-Type"]) == ({"name": "a"}, kind)
