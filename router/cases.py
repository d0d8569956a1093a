"""Labelled queries: one JSON object a line, with the tools a query needs and those it must not be offered."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
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


@dataclass(frozen=True)
class BadLine:
    """A line that is no labelled query: its number, which kind of mistake, and what exactly.

    `reason` is `json`, `field` (one is missing, `detail` names it), `shape` or `tool` (unknown, `detail` names it).
    """

    number: int
    reason: str
    detail: str = ""

    @property
    def text(self) -> str:
        """The mistake in words."""
        return _REASONS[self.reason].format(detail=self.detail)


_REASONS = {
    "json": "is not JSON: {detail}.",
    "field": "has no {detail}.",
    "shape": "needs query (text) and needed (list of tool names).",
    "tool": "names a tool that the catalogue does not have: {detail}.",
}


def read_lines(text: str, tools: Container[str] | None = None) -> tuple[dict[int, Case], list[BadLine]]:
    """Cases by line number, and the lines that are none; blank ones are skipped. Labels may name only `tools`."""
    cases: dict[int, Case] = {}
    bad: list[BadLine] = []
    for number, line in enumerate(text.splitlines(), 1):
        read = _read(line, number, tools) if line.strip() else None
        if isinstance(read, Case):
            cases[number] = read
        elif read:
            bad.append(read)
    return cases, bad


def parse_cases(text: str, source: str = "line") -> list[Case]:
    """Cases from JSON lines; blank lines are skipped. Raises `CasesError`."""
    cases, bad = read_lines(text)
    if bad:
        raise CasesError(f"{source}, line {bad[0].number}: {bad[0].text}")
    if not cases:
        raise CasesError(f"{source}: holds no labelled query.")
    return list(cases.values())


def _read(line: str, number: int, tools: Container[str] | None) -> Case | BadLine:
    try:
        case = _case(json.loads(line), number)
    except json.JSONDecodeError as error:
        return BadLine(number, "json", error.msg)
    except KeyError as error:
        return BadLine(number, "field", str(error))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return BadLine(number, "shape")
    unknown = [n for n in sorted(case.needed | case.forbidden) if tools is not None and n not in tools]
    return BadLine(number, "tool", ", ".join(unknown)) if unknown else case


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
    """Entries from a JSON list of objects with the fields of `Entry`, or from names with English descriptions.

    Raises `CasesError`.
    """
    try:
        read = json.loads(path.read_text("utf-8"))
        return _described(read) if isinstance(read, dict) else [Entry(**row) for row in read]
    except (OSError, ValueError, TypeError) as error:
        raise CasesError(f"{path}: is no catalogue, a JSON list of entries: {error}") from error


def _described(texts: Mapping[str, Any]) -> list[Entry]:
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError("a description is not a text")
    return [Entry(name, {"en": text}) for name, text in texts.items()]


def unknown_tools(cases: Iterable[Case], entries: Sequence[Entry]) -> set[str]:
    """Tools that the labels name and the catalogue does not have."""
    named = set().union(*(case.needed | case.forbidden for case in cases))
    return named - {entry.name for entry in entries}
