"""`countersign.toml` as a file to review: written once, brought up to date when the backend has changed.

What people wrote stays, with their comments. To bring it up to date is to say that the changes are seen: the difference
of the file is what a reviewer reads.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError

from tools.openapi.operations import Operation
from tools.openapi.policy import Policy, PolicyError, Ruling
from tools.toolset import Effect

STRICTNESS = {Effect.DANGER: 0, Effect.WRITE: 1, Effect.READ: 2}


@dataclass(frozen=True)
class Review:
    """The text of the file, and the names of operations that it has anew, changed, or no longer."""

    text: str
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def write_policy(operations: Sequence[Operation]) -> str:
    """A first `countersign.toml`: every operation with its effect and why, dangers first."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment("Effects of your operations: read never asks, write asks on demand, danger always asks.")
    )
    document.add(
        tomlkit.comment("Review, correct, commit. sha256 marks what you reviewed; a changed operation is off.")
    )
    table: Any = tomlkit.table(is_super_table=True)
    for operation, ruling in _judged(operations):
        table[operation.name] = _entry(operation, ruling)
    document["operations"] = table
    return tomlkit.dumps(document)


def refresh(text: str, operations: Sequence[Operation], broken: Collection[str] = ()) -> Review:
    """The same file for the operations as they are now; raises `PolicyError`.

    A changed operation gets its new hash, and an effect that is at least as strict as what the rules say now. Entries
    without a hash are left alone, and so are those of operations that are broken now.
    """
    try:
        document = tomlkit.parse(text)
    except ParseError as error:
        raise PolicyError(f"the file cannot be read as TOML: {error}") from None
    table: Any = document.setdefault("operations", tomlkit.table(is_super_table=True))
    there = {operation.name for operation in operations}
    gone = [name for name in table if name not in there and name not in broken]
    for name in gone:
        del table[name]
    new, changed = [], []
    for operation, ruling in _judged(operations):
        if operation.name not in table:
            table[operation.name] = _entry(operation, ruling)
            new.append(operation.name)
        elif table[operation.name].get("sha256", operation.sha256) != operation.sha256:
            _renew(table[operation.name], operation, ruling)
            changed.append(operation.name)
    return Review(tomlkit.dumps(document), tuple(new), tuple(changed), tuple(gone))


def _judged(operations: Sequence[Operation]) -> list[tuple[Operation, Ruling]]:
    judged = [(operation, Policy().judge(operation)) for operation in operations]
    return sorted(judged, key=lambda pair: (STRICTNESS[pair[1].effect], pair[0].path, pair[0].method))


def _entry(operation: Operation, ruling: Ruling) -> Any:
    entry: Any = tomlkit.table()
    entry.add(tomlkit.comment(f"{operation.method} {operation.path}"))
    for reason in ruling.reasons[:3]:
        entry.add(tomlkit.comment(" ".join(reason.split())))
    entry["effect"] = str(ruling.effect)
    entry["sha256"] = operation.sha256
    return entry


def _renew(entry: Any, operation: Operation, ruling: Ruling) -> None:
    entry["sha256"] = operation.sha256
    written = entry.get("effect")
    if written in list(Effect) and STRICTNESS[ruling.effect] < STRICTNESS[Effect(written)]:
        entry["effect"] = str(ruling.effect)
        entry["effect"].comment(" ".join(f"was {written}; {ruling.reasons[0]}".split()))
