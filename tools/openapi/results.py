"""A backend's answer as a `ToolResult`, without knowing the backend: lists become tables, objects stay objects."""

import json
from collections.abc import Mapping
from typing import Any

from tools.client import Answer
from tools.language import number, say
from tools.results import failed
from tools.text import MODEL_LIMIT, clean_text, cut, visible
from tools.toolset import Lang, ToolResult

MOST_COLUMNS = 7
MOST_ROWS = 100
LIST_KEYS = ("items", "data", "results", "rows", "records", "entries")
TOTAL_KEYS = ("total", "count", "total_count", "totalCount")
CELL_LIMIT = 200


def result_of(answer: Answer, lang: Lang) -> ToolResult:
    """The answer for the model, the person and the card."""
    if answer.problem is not None:
        return failed(answer.problem, answer.outcome_unknown)
    rows, total = rows_of(answer.body)
    return ToolResult(
        ok=True,
        status=answer.status,
        text=_text(answer, rows, total),
        summary=say(lang, f"{number(lang, total)} found", f"найдено: {number(lang, total)}")
        if rows is not None
        else "",
        data=table(rows, total) if rows else visible(answer.body),
        etag=answer.etag,
        replayed=answer.replayed,
    )


def rows_of(body: Any) -> tuple[list[Any] | None, int]:
    """The list that an answer is, or holds under one of the usual keys, and how many there are in all."""
    if isinstance(body, list):
        return body, len(body)
    if isinstance(body, dict):
        lists = [key for key in LIST_KEYS if isinstance(body.get(key), list)]
        if len(lists) == 1:
            rows = body[lists[0]]
            total = next((body[key] for key in TOTAL_KEYS if type(body.get(key)) is int), len(rows))
            return rows, total
    return None, 0


def table(rows: list[Any], total: int) -> dict[str, Any] | list[Any]:
    """The card's table: the plain fields of the rows, at most seven; rows that are no objects stay a list."""
    if not all(isinstance(row, dict) for row in rows):
        return visible(rows[:MOST_ROWS])
    columns = _columns(rows)
    cells = [[_cell(row.get(column)) for column in columns] for row in rows[:MOST_ROWS]]
    return {"columns": [visible(c) for c in columns], "rows": cells, "total": total}


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    """Names first, then the fields most rows fill with plain values."""
    filled = {key: 0 for row in rows for key in row}
    for row in rows:
        for key, value in row.items():
            filled[key] += value is not None and not isinstance(value, dict | list)
    telling = {"name": 0, "title": 0, "id": 1, "key": 1, "status": 2, "state": 2}
    kept = [key for key in filled if filled[key]]
    return sorted(kept, key=lambda key: (telling.get(key, 3), -filled[key]))[:MOST_COLUMNS]


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return cut(visible(value), CELL_LIMIT) if isinstance(value, str) else value


def _text(answer: Answer, rows: list[Any] | None, total: int) -> str:
    if not isinstance(answer.body, dict | list):
        text = clean_text(str(answer.body or ""), MODEL_LIMIT)
        return f"{text}\n[the answer was cut at the size limit]" if answer.truncated else text or "Done; no content."
    whole = _json(answer.body)
    if len(whole) <= MODEL_LIMIT or rows is None:
        return cut(whole, MODEL_LIMIT)
    return _whole_rows(rows, total)


def _whole_rows(rows: list[Any], total: int) -> str:
    """As many whole rows as fit, so that what the model reads is valid JSON."""
    lines: list[str] = []
    room = MODEL_LIMIT - 100
    for row in rows:
        line = cut(_json(row), MODEL_LIMIT // 4)
        room -= len(line) + 2
        if room < 0:
            break
        lines.append(line)
    return f'{{"total":{total},"truncated":"{len(lines)} of {total}","items":[' + ",\n".join(lines) + "]}"


def _json(value: Any) -> str:
    return clean_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def changed_fields(before: Any, after: Mapping[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """The fields that a change touches, as rows of the card (before, after), and how many it leaves alone."""
    known = before if isinstance(before, dict) else {}
    rows = [
        {"field": visible(str(key)), "before": _cell(known.get(key)), "after": _cell(value)}
        for key, value in after.items()
        if known.get(key) != value
    ]
    return rows, len(set(known) - {key for key, value in after.items() if known.get(key) != value})
