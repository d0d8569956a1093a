"""The OpenAPI document is what a tool generator wants to read."""

import re
from typing import Any

from openapi_spec_validator import validate

from backend.openapi import TAGS
from tests.backend.operations import CHANGES, READS
from tests.backend.world import World

PUBLIC = {"issue_token", "read_jwks", "healthz", "readyz"}
METHODS = {"get", "put", "post", "patch", "delete"}


async def operations(world: World) -> dict[str, dict[str, Any]]:
    paths = (await world.http.get("/openapi.json")).json()["paths"]
    found = [(method, path, item) for path, items in paths.items() for method, item in items.items()]
    assert all(method in METHODS for method, _, _ in found)
    return {item["operationId"]: {**item, "method": method, "path": path} for method, path, item in found}


async def test_it_is_valid(still: World) -> None:
    validate((await still.http.get("/openapi.json")).json())


async def test_its_operations_are_those_of_the_workspace(still: World) -> None:
    found = await operations(still)
    tried = {operation.id: operation for operation in [*READS, *CHANGES]}
    assert set(found) == set(tried) | PUBLIC
    for name, operation in tried.items():
        pattern = re.sub(r"\{\w+\}", "[^/]+", found[name]["path"])
        assert found[name]["method"].upper() == operation.method
        assert re.fullmatch(pattern, operation.path.split("?")[0])


async def test_every_operation_explains_itself(still: World) -> None:
    for name, operation in (await operations(still)).items():
        assert re.fullmatch(r"[a-z][a-z_]{2,40}", name)
        assert 3 < len(operation["summary"]) <= 40, name
        assert operation["description"].endswith("."), name
        assert len(operation["tags"]) == 1
        assert operation["tags"][0] in TAGS, name


async def test_every_parameter_and_field_of_a_request_is_described(still: World) -> None:
    for name, operation in (await operations(still)).items():
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["in"] == "path", (name, parameter["name"])


async def test_every_refusal_is_a_problem(still: World) -> None:
    for name, operation in (await operations(still)).items():
        errors = {code: answer for code, answer in operation["responses"].items() if code[0] in "45"}
        assert {"401", "403", "422"} <= set(errors) or name in PUBLIC, name
        for answer in errors.values():
            assert list(answer["content"]) == ["application/problem+json"], name
        if operation["method"] != "get" and name not in PUBLIC:
            assert {"404", "409", "412"} <= set(errors), name


async def test_every_change_takes_a_dry_run_a_key_and_an_etag(still: World) -> None:
    changes = {operation.id for operation in CHANGES}
    for name, operation in (await operations(still)).items():
        taken = {parameter["name"] for parameter in operation.get("parameters", [])}
        wanted = {"dry_run", "idempotency-key", "if-match", "x-approval-id"}
        assert (wanted <= taken) == (name in changes), name
        if name in changes:
            assert "Preview" in str(operation["responses"]["200"]), name


async def test_both_identities_are_declared(still: World) -> None:
    document = (await still.http.get("/openapi.json")).json()
    assert set(document["components"]["securitySchemes"]) >= {"service", "user"}
    for name, operation in (await operations(still)).items():
        assert ({"service", "user"} <= {scheme for need in operation.get("security", []) for scheme in need}) == (
            name not in PUBLIC
        ), name


async def test_there_are_examples(still: World) -> None:
    schemas = (await still.http.get("/openapi.json")).json()["components"]["schemas"]
    with_examples = [name for name, schema in schemas.items() if "examples" in str(schema)]
    assert {"Preview", "ProblemDocument", "Dashboard", "Dataset", "Document", "Task", "User"} <= set(with_examples)
    assert not [name for name in schemas if "ValidationError" in name]
