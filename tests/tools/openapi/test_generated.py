"""Documents of a thousand operations, made by chance: each a tool as it was meant, or off for its fault."""

import json
import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
import yaml

from tests.tools.openapi.made.arguments import NOTHING, Values, arguments, fitting, parts_of, spoiled
from tests.tools.openapi.made.documents import Made, Meant, document
from tests.tools.openapi.made.reader import Reader, parts
from tests.tools.openapi.test_operations import LEGAL
from tools.client import Request
from tools.openapi.document import load_document
from tools.openapi.keywords import ExactValidator
from tools.openapi.operations import Operation, Survey, survey
from tools.openapi.schemas import SLIM_CHARS, slim
from tools.openapi.serialize import to_request

ARGUMENT = re.compile(r"[a-zA-Z0-9_-]{1,64}")
Write = Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Case:
    """A document to make. One of `every` operations gets the slow checks, one of `read` is read by openapi-core."""

    seed: int
    operations: int
    modern: bool
    write: Write
    every: int = 1
    read: int = 10
    rounds: int = 2


def as_yaml(root: dict[str, Any]) -> str:
    return yaml.dump(root, allow_unicode=True, sort_keys=False, Dumper=yaml.CSafeDumper)


QUICK = [
    pytest.param(Case(1, 1_000, True, json.dumps, every=2, read=24, rounds=1), id="3.1 JSON"),
    pytest.param(Case(2, 200, False, as_yaml, read=8, rounds=1), id="3.0 YAML"),
]
LONG = [
    pytest.param(Case(seed, 1_000, modern, write), marks=pytest.mark.long, id=f"{seed}")
    for seed, modern, write in [(n, n % 2 == 0, as_yaml if n % 4 < 2 else json.dumps) for n in range(10, 22)]
]


@dataclass(frozen=True)
class Imported:
    """A made document, and what became of it."""

    case: Case
    made: Made
    found: Survey

    def tools(self, every: int = 1) -> list[tuple[Meant, Operation]]:
        """What each sound operation means, and the tool that it is; or one of so many."""
        by_place = {(o.method, o.path): o for o in self.found.sound}
        return [(m, by_place[m.method, m.path]) for m in self.made.operations if not m.off][::every]


@pytest.fixture(scope="module", params=[*QUICK, *LONG])
def imported(request) -> Imported:
    case = request.param
    made = document(case.seed, case.operations, case.modern)
    return Imported(case, made, survey(read(case.write(made.root))))


def read(text: str):
    return load_document("https://api.example/openapi", lambda _: text.encode())


def test_every_operation_is_a_tool_or_off_with_its_reason(imported):
    expected = {(m.method, m.path): m.off for m in imported.made.operations}
    reasons = {(b.method, b.path): b.reason for b in imported.found.broken}
    assert {(o.method, o.path) for o in imported.found.sound} == {key for key, off in expected.items() if not off}
    assert set(reasons) == {key for key, off in expected.items() if off}
    assert [key for key, reason in reasons.items() if expected[key] not in reason] == []


def test_the_arguments_are_the_parameters_and_the_body(imported):
    for meant, tool in imported.tools():
        assert {(p.place, p.wire) for p in tool.parameters} == {(p.place, p.wire) for p in meant.parameters if p.asked}
        assert all(ARGUMENT.fullmatch(name) for name in tool.schema["properties"])
        assert (tool.body is None) == (meant.body is None)
        assert tool.body is None or tool.body.content_type == meant.body.content_type


def test_names_are_legal_and_unique(imported):
    names = [tool.name for tool in imported.found.sound]
    assert all(LEGAL.fullmatch(name) for name in names)
    assert len({name.lower() for name in names}) == len(names)


def test_names_and_hashes_do_not_depend_on_the_order(imported):
    some = list(imported.made.root["paths"].items())[:: imported.case.every]
    first, last = (survey(read(json.dumps({**imported.made.root, "paths": dict(p)}))) for p in (some, some[::-1]))
    assert hashes(first) == hashes(last)


def hashes(found: Survey) -> dict[tuple[str, str, str], str]:
    return {(tool.name, tool.method, tool.path): tool.sha256 for tool in found.sound}


def test_a_schema_takes_what_was_meant_and_nothing_else(imported):
    random = Random(imported.case.seed)
    for meant, tool in imported.tools(imported.case.every):
        check = ExactValidator(tool.schema)
        for _ in range(imported.case.rounds):
            values = fitting(meant, random)
            assert [error.message for error in check.iter_errors(arguments(tool, values))] == []
            for wrong in spoiled(meant, tool, values, random):
                assert not check.is_valid(arguments(tool, wrong)), (tool.method, tool.path, wrong)


def test_what_a_model_is_told_rules_nothing_out(imported):
    random = Random(imported.case.seed)
    for meant, tool in imported.tools(imported.case.every):
        told = slim(tool.schema)
        assert len(json.dumps(told, ensure_ascii=False)) <= SLIM_CHARS
        args = {k: v for k, v in arguments(tool, fitting(meant, random)).items() if k in told["properties"]}
        assert [error.message for error in ExactValidator(told).iter_errors(args)] == []


def test_every_call_carries_what_was_meant(imported):
    random, reader = Random(imported.case.seed), Reader(imported.made)
    for number, (meant, tool) in enumerate(imported.tools()):
        for _ in range(imported.case.rounds):
            values = fitting(meant, random)
            request = to_request(tool, arguments(tool, values))
            understood = reader.read(meant, request) if number % imported.case.read == 0 else None
            if understood is not None:
                sent = {key: value for key, value in values.given.items() if value is not None}
                assert {key: value for key, value in understood.given.items() if value is not None} == sent
            if values.body is not NOTHING:
                carries(meant, values, request, understood)


def carries(meant: Meant, values: Values, request: Request, understood: Values | None) -> None:
    """The body of the request is the one that was meant."""
    assert meant.body is not None
    kind = meant.body.content_type.split(";")[0].lower()
    if kind.endswith("json"):
        assert json.loads(request.content or json.dumps(request.body)) == values.body
    elif kind == "multipart/form-data":
        assert parts(request) == parts_of(meant, values.body)
    elif kind == "application/x-www-form-urlencoded":
        assert understood is None or understood.body == values.body
    else:
        assert request.content == (b64decode(values.body) if meant.body.kind.type == "bytes" else values.body.encode())
