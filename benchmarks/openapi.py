"""How long a large OpenAPI document takes to become tools, and how much of a request their schemas take."""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from tools.client import BackendClient
from tools.openapi.document import load_document
from tools.openapi.toolset import OpenApiToolset

TARGET_SECONDS = 3.0
TARGET_TURN_TOKENS = 4_000
OFFERED = 6
CHARS_A_TOKEN = 4
NOUNS = ("order", "invoice", "customer", "shipment", "ticket", "report", "device", "contract", "room", "recipe")
FIELDS = ("name", "description", "status", "colour", "weight", "owner_id", "starts_at", "tags", "note", "position")


def synthetic(resources: int) -> dict[str, Any]:
    """A document with five operations for each of so many resources, their schemas nested three deep."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {"Address": _object({"street": _text(), "city": _text(), "next": _ref("Address")})}
    for number in range(resources):
        noun = f"{NOUNS[number % len(NOUNS)]}{number // len(NOUNS)}"
        schemas[f"{noun}_part"] = _object({"amount": {"type": "integer"}, "address": _ref("Address")})
        fields = {field: _text(f"The {field} of the {noun}.") for field in FIELDS}
        schemas[noun] = _object({**fields, "parts": {"type": "array", "items": _ref(f"{noun}_part")}})
        body = {"required": True, "content": {"application/json": {"schema": _ref(noun)}}}
        one = {"name": f"{noun}_id", "in": "path", "required": True, "schema": {"type": "integer"}}
        limit = {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 20}}
        paths[f"/{noun}s"] = {
            "get": _operation("list", noun, parameters=[limit]),
            "post": _operation("create", noun, requestBody=body),
        }
        paths[f"/{noun}s/{{{noun}_id}}"] = {
            "parameters": [one],
            "get": _operation("read", noun),
            "put": _operation("update", noun, requestBody=body),
            "delete": _operation("delete", noun),
        }
    info = {"title": "Synthetic", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": [next(iter(fields))], "properties": fields}


def _text(description: str = "") -> dict[str, Any]:
    return {"type": "string", "maxLength": 200, **({"description": description} if description else {})}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _operation(verb: str, noun: str, **more: Any) -> dict[str, Any]:
    summary = f"{verb.title()} {noun}"
    return {"operationId": f"{verb}_{noun}", "summary": summary, "responses": {"200": {"description": "ok"}}, **more}


def measure(operations: int, rounds: int) -> dict[str, Any]:
    """Seconds from bytes to tools, and the size of their schemas as a provider gets them."""
    raw = json.dumps(synthetic(operations // 5)).encode()
    client = BackendClient("http://backend.example")
    times, toolset = [], None
    for _ in range(rounds):
        begin = time.perf_counter()
        toolset = OpenApiToolset.from_document(load_document("https://api.example/o.json", lambda _: raw), client)
        times.append(time.perf_counter() - begin)
    sizes = [len(json.dumps(spec.json_schema())) for spec in toolset.specs.values()] if toolset else []
    return {
        "operations": len(sizes),
        "document_bytes": len(raw),
        "median_seconds": round(statistics.median(times), 3),
        "best_seconds": round(min(times), 3),
        "mean_schema_chars": round(statistics.mean(sizes)),
        "largest_schema_chars": max(sizes),
        "turn_tokens": round(OFFERED * statistics.mean(sizes) / CHARS_A_TOKEN),
        "largest_turn_tokens": round(sum(sorted(sizes)[-OFFERED:]) / CHARS_A_TOKEN),
    }


def main(argv: Sequence[str]) -> int:
    """Print the figures; 1 when the import or the schemas of a turn miss their targets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks openapi", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--operations", type=int, default=1_000, help="operations in the document (default: 1000)")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    figures = measure(options.operations, options.rounds)
    good = figures["median_seconds"] <= TARGET_SECONDS and figures["largest_turn_tokens"] <= TARGET_TURN_TOKENS
    figures |= {"target_seconds": TARGET_SECONDS, "target_turn_tokens": TARGET_TURN_TOKENS, "holds": good}
    print(json.dumps(figures, indent=1) if options.json else "\n".join(f"{k}: {v}" for k, v in figures.items()))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
