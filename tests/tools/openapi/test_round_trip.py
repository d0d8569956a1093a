"""Arguments made by schemathesis, through our schema and our request, back past openapi-core's validator."""

import json
from contextlib import suppress
from urllib.parse import parse_qsl

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from jsonschema import Draft202012Validator
from openapi_core import OpenAPI
from openapi_core.testing import MockRequest
from schemathesis import GenerationMode
from werkzeug.datastructures import ImmutableMultiDict

from tests.tools.openapi.conftest import DATA, DOCUMENTS
from tools.client import UnsafeValueError
from tools.openapi.serialize import to_request

EXAMPLES = 3


def without_security(value):
    """openapi-core also wants credentials, which are not an operation's arguments."""
    if isinstance(value, dict):
        return {k: without_security(v) for k, v in value.items() if k not in {"security", "securitySchemes", "servers"}}
    return [without_security(v) for v in value] if isinstance(value, list) else value


def typed(value, schema, definitions):
    """schemathesis has already written a query's true, null and numbers as text."""
    if isinstance(value, str) and not Draft202012Validator({**schema, "$defs": definitions}).is_valid(value):
        with suppress(ValueError):
            return json.loads(value)
    return value


def arguments(operation, case):
    """A schemathesis case under our argument names."""
    places = {
        "path": case.path_parameters or {},
        "query": case.query or {},
        "header": {k.lower(): v for k, v in (case.headers or {}).items()},
        "cookie": case.cookies or {},
    }
    args = {}
    for parameter in operation.parameters:
        wire = parameter.wire.lower() if parameter.place == "header" else parameter.wire
        if wire in places[parameter.place]:
            args[parameter.name] = typed(
                places[parameter.place][wire], parameter.schema, operation.schema.get("$defs", {})
            )
    if operation.body and type(case.body).__name__ != "NotSet":
        if operation.body.fields is None:
            args[operation.body.argument] = case.body
        elif isinstance(case.body, dict):
            args |= {name: case.body[wire] for name, wire in operation.body.fields.items() if wire in case.body}
    return args


def as_validated(operation, args, request):
    body = request.content if request.content is not None else None
    if request.body is not None:
        body = json.dumps(request.body).encode()
    mock = MockRequest(
        "http://localhost",
        operation.method.lower(),
        request.target(),
        path_pattern=operation.path,
        view_args={p.wire: str(args[p.name]) for p in operation.parameters if p.place == "path"},
        headers=dict(request.headers),
        data=body,
        content_type=request.headers.get("Content-Type", "application/json"),
    )
    mock.parameters.query = ImmutableMultiDict(parse_qsl(request.raw_query, keep_blank_values=True))
    return mock


def send_made_arguments(operation, cases, validator):
    """How many of the made cases became a request that openapi-core takes."""
    check, sent = Draft202012Validator(operation.schema), 0

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip
    @given(cases)
    def send(case):
        nonlocal sent
        assume("" not in (case.query or {}).values())  # openapi-core refuses `?tenant=`, servers take it
        args = arguments(operation, case)
        assert list(check.iter_errors(args)) == []
        with suppress(UnsafeValueError):
            validator.validate_request(as_validated(operation, args, to_request(operation, args)))
            sent += 1

    send()
    return sent


@pytest.mark.parametrize("name", DOCUMENTS)
def test_made_arguments_become_valid_requests(name, imported):
    document = without_security(json.loads((DATA / name).read_text()))
    validator, made = OpenAPI.from_dict(document), schemathesis.openapi.from_dict(document)
    for operation in imported[name]:
        cases = made[operation.path][operation.method].as_strategy(generation_mode=GenerationMode.POSITIVE)
        assert send_made_arguments(operation, cases, validator) or "{" in operation.path
