"""Rows as a file that spreadsheets and programs open."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


async def csv_lines(columns: Sequence[str], rows: AsyncIterator[Mapping[str, Any]]) -> AsyncIterator[str]:
    """RFC 4180, with a byte order mark for spreadsheets; no cell is a formula."""
    yield "\ufeff" + _line(columns)
    async for row in rows:
        yield _line(_cell(row[name]) for name in columns)


async def json_lines(rows: AsyncIterator[Mapping[str, Any]]) -> AsyncIterator[str]:
    """One JSON array."""
    mark = "["
    async for row in rows:
        yield f"{mark}\n{json.dumps(row, ensure_ascii=False)}"
        mark = ","
    yield "[]" if mark == "[" else "\n]"


def attached(name: str) -> dict[str, str]:
    """The headers of an answer that is kept as a file of this name; the name is ours, in plain ASCII."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> str:
    text = "" if value is None else json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text
