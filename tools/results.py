"""An answer of the backend as a `ToolResult`: JSON for the model, a table or an object for the card."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tools.client import Answer
from tools.context import current
from tools.language import moment, number, say, shown_name, size
from tools.problems import describe, problem_summary
from tools.text import MODEL_LIMIT, clean_text, cut, visible
from tools.toolset import Lang, Problem, ToolResult

Returned = tuple[str, ToolResult]
Show = Callable[[Lang, Any], Any]
Summary = Callable[[dict[str, Any], Lang], str]
_TO_THE_MINUTE = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?Z$")
_NOT_FOR_THE_MODEL = {"etag", "limit", "offset"}
_UNKNOWN = (
    "The call was sent but its outcome is unknown: it may or may not have happened. "
    "Do not send it again; look up the current state first, and tell the person."
)


def as_is(lang: Lang, value: Any) -> Any:
    """A value for a table cell, unchanged but for lists, which are joined."""
    return ", ".join(str(item) for item in value) if isinstance(value, list) else value


def person(lang: Lang, value: Any) -> str:
    """A person by name in the language."""
    if not isinstance(value, dict):
        return str(value or "")
    return str((lang == "ru" and value.get("name_ru")) or value.get("name") or value.get("id") or "")


def instant(lang: Lang, value: Any) -> str:
    """A time for reading."""
    return moment(lang, value if isinstance(value, str) else None)


def amount(lang: Lang, value: Any) -> str:
    """A number of bytes for reading."""
    return size(lang, value) if isinstance(value, int) else ""


@dataclass(frozen=True, slots=True)
class Column:
    """One property of the items of a list: its key, its heading in both languages, how a cell shows it."""

    key: str
    en: str
    ru: str
    show: Show = as_is


def listed(answer: Answer, columns: Sequence[Column]) -> Returned:
    """A page of a list (`items`, `total`) in the properties that `columns` name, or the refusal."""
    return refused(answer) or _returned(_list_result(answer, columns))


def table(columns: Sequence[Column], rows: Sequence[dict[str, Any]], total: int | None, lang: Lang) -> dict[str, Any]:
    """The card's table: headings and cells in the language, and how many there are in all."""
    cells = [[visible(column.show(lang, row.get(column.key))) for column in columns] for row in rows]
    return {"columns": [say(lang, c.en, c.ru) for c in columns], "rows": cells, "total": total or len(rows)}


def _list_result(answer: Answer, columns: Sequence[Column]) -> ToolResult:
    lang = current.get().call.lang
    rows = [row for row in answer.body.get("items") or [] if isinstance(row, dict)]
    count = answer.body.get("total") or len(rows)
    kept = [{c.key: row[c.key] for c in columns if row.get(c.key) not in (None, "", [])} for row in rows]
    return ToolResult(
        ok=True,
        status=answer.status,
        text=_items_text(kept, count),
        summary=found(lang, count),
        data=table(columns, rows, count, lang),
    )


def found(lang: Lang, count: int) -> str:
    """ "4 found" in the language."""
    return say(lang, f"{number(lang, count)} found", f"найдено: {number(lang, count)}")


def _items_text(items: list[dict[str, Any]], total: int) -> str:
    """As many whole items as fit, so that what the model reads is always valid JSON."""
    lines: list[str] = []
    room = MODEL_LIMIT - 100
    for item in items:
        line = compact(item)
        room -= len(line) + 2
        if room < 0:
            break
        lines.append(line)
    note = f'"truncated":"{len(lines)} of {total}",' if len(lines) < total else ""
    return f'{{"total":{total},{note}"items":[' + ",\n".join(lines) + "]}"


def detailed(answer: Answer, summary: str | Summary = "", data: Any = None, limit: int = MODEL_LIMIT) -> Returned:
    """One object, or the refusal; `data` is for the card where it is not the object, `limit` in characters."""
    return refused(answer) or _returned(_detail_result(answer, summary, data, limit))


def _detail_result(answer: Answer, summary: str | Summary, data: Any, limit: int) -> ToolResult:
    body, lang = answer.body, current.get().call.lang
    words = summary(body, lang) if callable(summary) else summary
    return ToolResult(
        ok=True,
        status=answer.status,
        text=cut(compact(body), limit),
        summary=shown_name(words, 200),
        data=visible(body) if data is None else data,
        etag=answer.etag,
    )


def changed(answer: Answer, limit: int = MODEL_LIMIT) -> Returned:
    """What a change did (`Outcome`), with the way back where there is one; or the refusal."""
    return refused(answer) or _returned(_change_result(answer, limit))


def _change_result(answer: Answer, limit: int) -> ToolResult:
    outcome = answer.body
    change_id = outcome.get("change_id")
    return ToolResult(
        ok=True,
        status=answer.status,
        text=cut(compact({"done": True, **outcome}), limit),
        summary=shown_name(str(outcome.get("message") or ""), 200),
        data=visible(outcome.get("result") or outcome.get("resource")),
        etag=outcome.get("etag") or answer.etag,
        replayed=answer.replayed,
        undo=None if change_id is None else {"tool": "undo_change", "args": {"change_id": change_id}},
    )


def refused(answer: Answer) -> Returned | None:
    """The failure of a call as a result; None when it succeeded with a readable answer."""
    if answer.problem is not None:
        return _returned(failed(answer.problem, answer.outcome_unknown))
    if not isinstance(answer.body, dict):
        return _returned(_unreadable(answer))
    return None


def failed(problem: Problem, outcome_unknown: bool = False) -> ToolResult:
    """A failure of the current call; an unknown outcome says so in plain words to both readers."""
    return failed_in(current.get().call.lang, problem, outcome_unknown)


def failed_in(lang: Lang, problem: Problem, outcome_unknown: bool = False) -> ToolResult:
    """A failure in a language."""
    text = describe(problem)
    return ToolResult(
        ok=False,
        status=problem.status,
        text=f"{text}\n{_UNKNOWN}" if outcome_unknown else f"{text}\nNothing was changed by this call.",
        summary=say(lang, "outcome unknown", "исход неизвестен") if outcome_unknown else problem_summary(problem, lang),
        problem=problem,
        outcome_unknown=outcome_unknown,
    )


def _unreadable(answer: Answer) -> ToolResult:
    """A success whose body is no JSON object: too long or not what the backend promised."""
    text = str(answer.body)
    note = "[the answer was cut at the size limit]" if answer.truncated else "[the answer is not JSON]"
    return ToolResult(ok=True, status=answer.status, text=f"{clean_text(text, MODEL_LIMIT)}\n{note}", data=None)


def compact(value: Any) -> str:
    """Short JSON for the model: no nulls, no revisions, people as "name (id)", hidden characters dropped."""
    return json.dumps(_lean(value), ensure_ascii=False, separators=(",", ":"))


def _lean(value: Any) -> Any:
    if isinstance(value, str):
        return _TO_THE_MINUTE.sub(r"\1Z", clean_text(value))
    if isinstance(value, list):
        return [_lean(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"id", "name", "name_ru"}:
        return clean_text(f"{person(current.get().call.lang, value)} ({value['id']})")
    return {clean_text(k): _lean(v) for k, v in value.items() if v is not None and k not in _NOT_FOR_THE_MODEL}


def _returned(result: ToolResult) -> Returned:
    return result.text, result
