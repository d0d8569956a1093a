import json

from benchmarks.openapi import main, synthetic
from tools.openapi.document import load_document
from tools.openapi.operations import operations


def test_a_document_of_a_thousand_operations_is_imported_whole():
    raw = json.dumps(synthetic(200)).encode()
    found = operations(load_document("https://api.example/o.json", lambda _: raw))
    assert len({operation.name for operation in found}) == 1_000


def test_the_benchmark_tells_its_figures(capsys):
    main(["--json", "--operations", "50", "--rounds", "1"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["operations"] == 50
    assert 0 < figures["mean_schema_chars"] <= figures["largest_schema_chars"] <= 2_000


def test_operations_that_reach_the_same_schemas_share_them():
    """A ring of schemas, and a tail that leads into it."""
    ring = {f"S{n}": thing(f"S{(n + 1) % 50}") for n in range(50)}
    paths = {f"/s{n}": taking(f"S{n}") for n in range(50)} | {"/tail": taking("Tail"), "/lone": taking("Lone")}
    schemas = {**ring, "Tail": thing("S7"), "Lone": {"type": "object"}}
    raw = json.dumps({"openapi": "3.1.0", "info": {}, "paths": paths, "components": {"schemas": schemas}}).encode()
    *rings, tail, lone = operations(load_document("https://api.example/o.json", lambda _: raw))
    assert all(one.schema["$defs"] is rings[0].schema["$defs"] for one in rings)
    assert set(rings[0].schema["$defs"]) == set(ring)
    assert set(tail.schema["$defs"]) == {*ring, "Tail"}
    assert set(lone.schema["$defs"]) == {"Lone"}


def thing(other: str) -> dict:
    return {"type": "object", "properties": {"next": {"$ref": f"#/components/schemas/{other}"}}}


def taking(name: str) -> dict:
    body = {"application/json": {"schema": {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}}}
    return {"post": {"requestBody": {"content": body}, "responses": {}}}
