"""Arguments that fit what an operation means, arguments with one thing wrong, and what a request must carry of them."""

import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.tools.openapi.made.documents import Meant
from tools.openapi.operations import Operation

NOTHING = object()


@dataclass(frozen=True)
class Values:
    """The parameters by place and name, and the body."""

    given: dict[tuple[str, str], Any]
    body: Any = NOTHING


def fitting(meant: Meant, random: Random) -> Values:
    """What is required, and some of what is not; a body that need not be is not sent empty."""
    asked = [p for p in meant.parameters if p.asked and (p.required or random.random() < 0.6)]
    sends = meant.body is not None and (meant.body.required or random.random() < 0.7)
    body = meant.body.kind.fits(random) if meant.body is not None and sends else NOTHING
    empty = body == {} and meant.body is not None and not meant.body.required
    return Values({(p.place, p.wire): p.kind.fits(random) for p in asked}, NOTHING if empty else body)


def spoiled(meant: Meant, operation: Operation, values: Values, random: Random) -> Iterator[Values]:
    """The same with one thing wrong, in each place where something can be."""
    for given in meant.parameters:
        key = given.place, given.wire
        if given.asked:
            yield replace(values, given={**values.given, key: given.kind.misfits(random)})
        if given.asked and given.required:
            yield replace(values, given={k: v for k, v in values.given.items() if k != key})
    if meant.body is None or operation.body is None:
        return
    wrong, needed = meant.body.kind.misfits(random), meant.body.kind.required
    spread = operation.body.fields is not None  # a spread body is always an object, and without a field it is none
    if not spread or (isinstance(wrong, dict) and (wrong or meant.body.required)):
        yield replace(values, body=wrong)
    if meant.body.required and (needed or not spread):
        yield replace(values, body=NOTHING)


def arguments(operation: Operation, values: Values) -> dict[str, Any]:
    """The values under the names of the tool's arguments."""
    names = {(p.place, p.wire): p.name for p in operation.parameters}
    args = {names[key]: value for key, value in values.given.items()}
    assert len(args) == len(values.given), "two parameters have one name"
    if values.body is NOTHING or operation.body is None:
        return args
    if operation.body.fields is None:
        return {**args, operation.body.argument: values.body}
    wires = {wire: name for name, wire in operation.body.fields.items()}
    return args | {wires.get(wire, wire): value for wire, value in values.body.items()}


def parts_of(meant: Meant, body: dict[str, Any]) -> dict[str, list[bytes]]:
    """The parts that a multipart body must have."""
    assert meant.body is not None
    kinds = {name: kind.type for name, kind in meant.body.kind.fields.items()}
    lists = {name: value if isinstance(value, list) else [value] for name, value in body.items()}
    return {name: [_part(kinds[name], value) for value in values] for name, values in lists.items()}


def _part(kind: str, value: Any) -> bytes:
    if kind.startswith("file"):
        return b64decode(value)
    return json.dumps(value, ensure_ascii=False).encode() if isinstance(value, dict) else str(value).encode()
