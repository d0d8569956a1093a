"""Labelled queries: one JSON object a line, with the tools a query needs and those it must not be offered."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from router.entry import Entry


@dataclass(frozen=True)
class Case:
    """One labelled query; nothing needed means out of scope. `recent` holds the tools of the turns before."""

    id: str
    query: str
    needed: frozenset[str]
    forbidden: frozenset[str] = frozenset()
    kind: str = "plain"
    lang: str = "en"
    recent: tuple[tuple[str, ...], ...] = ()


class CasesError(ValueError):
    """A labelled file cannot be read; the message names the line and what is wrong with it."""


def load_cases(path: Path) -> list[Case]:
    """All cases of a file. Raises `CasesError`."""
    try:
        return parse_cases(path.read_text("utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise CasesError(f"{path}: cannot be read: {error}") from error


def parse_cases(text: str, source: str = "line") -> list[Case]:
    """Cases from JSON lines; blank lines are skipped. Raises `CasesError`."""
    cases = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                cases.append(_case(json.loads(line), number))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise CasesError(f"{source}, line {number}: {_reason(error)}") from error
    if not cases:
        raise CasesError(f"{source}: holds no labelled query.")
    return cases


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON: {error.msg}."
    return f"has no {error}." if isinstance(error, KeyError) else "needs query (text) and needed (list of tool names)."


def _case(row: dict[str, Any], number: int) -> Case:
    recent = tuple(tuple(turn["tools"]) for turn in row.get("history", []) if turn.get("role") == "assistant")
    return Case(
        id=str(row.get("id", number)),
        query=str(row["query"]),
        needed=_names(row["needed"]),
        forbidden=_names(row.get("forbidden", [])),
        kind=str(row.get("kind", "plain")),
        lang=str(row.get("lang", "en")),
        recent=recent,
    )


def _names(value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise TypeError("not a list of names")
    return frozenset(value)


def load_catalogue(path: Path) -> list[Entry]:
    """Entries from a JSON list of objects with the fields of `Entry`. Raises `CasesError`."""
    try:
        return [Entry(**row) for row in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise CasesError(f"{path}: is no catalogue, a JSON list of entries: {error}") from error


def unknown_tools(cases: Iterable[Case], entries: Sequence[Entry]) -> set[str]:
    """Tools that the labels name and the catalogue does not have."""
    named = set().union(*(case.needed | case.forbidden for case in cases))
    return named - {entry.name for entry in entries}
