"""Failures of the backend as `Problem`s (RFC 9457) and as short words for the model and the person."""

import re
from collections.abc import Mapping
from typing import Any

import httpx

from tools.httpdate import seconds_until
from tools.language import say, shown_name
from tools.text import clean_text
from tools.toolset import Lang, Problem

DETAIL_LIMIT = 500
MOST_ERRORS = 10
_CODES = {
    400: "bad_request",
    403: "forbidden",
    404: "not_found",
    405: "not_allowed",
    408: "timeout",
    409: "conflict",
    410: "gone",
    412: "changed_meanwhile",
    413: "too_large",
    422: "invalid",
    428: "revision_needed",
    429: "too_many_requests",
}
_SUMMARIES: dict[str, tuple[str, str]] = {
    "auth": ("sign-in needed", "нужен вход"),
    "bad_request": ("refused", "отказано"),
    "forbidden": ("not allowed", "нет прав"),
    "not_found": ("not found", "не найдено"),
    "conflict": ("conflict", "конфликт"),
    "changed_meanwhile": ("changed meanwhile", "уже изменилось"),
    "invalid": ("not valid", "не подходит"),
    "too_many_requests": ("too many requests", "слишком много запросов"),
    "unreachable": ("backend unreachable", "сервис недоступен"),
    "timeout": ("no answer in time", "нет ответа вовремя"),
    "connection_lost": ("connection lost", "связь прервалась"),
}


def problem_of(status: int, body: Any, headers: Mapping[str, str]) -> Problem | None:
    """The problem an answer tells of; None for a success. A 401 always has the code `auth`."""
    if 200 <= status < 300:
        return None
    told = body if isinstance(body, dict) else {}
    return Problem(
        status=status,
        code=_code(status, told),
        title=_short(told.get("title")) or f"HTTP {status}",
        detail=_detail(told, body),
        errors=_errors(told),
        retry_after=_wait(headers),
    )


def failure(error: Exception) -> Problem:
    """The problem of not getting an answer at all."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        return Problem(code="unreachable", title="The backend cannot be reached")
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return Problem(code="timeout", title="The backend did not answer in time")
    return Problem(code="connection_lost", title="The connection to the backend broke")


def describe(problem: Problem) -> str:
    """The problem as one short text for the model."""
    head = f"Error {problem.status} {problem.code}" if problem.status else f"Error {problem.code}"
    lines = [f"{head}: {problem.title}"]
    if problem.detail and problem.detail != problem.title:
        lines.append(problem.detail)
    lines += [f"- {error['field']}: {error['message']}" for error in problem.errors]
    return "\n".join(lines)


def problem_summary(problem: Problem, lang: Lang) -> str:
    """A few words for the person: ours for common failures, else the backend's own title."""
    if problem.code in _SUMMARIES:
        return say(lang, *_SUMMARIES[problem.code])
    known = problem.title and not problem.title.startswith("HTTP ")
    return shown_name(problem.title) if known else say(lang, "failed", "ошибка")


def _code(status: int, told: dict[str, Any]) -> str:
    if status == 401:
        return "auth"
    named = told.get("code") or str(told.get("type") or "").rstrip("/").rpartition("/")[2]
    if re.fullmatch(r"[a-z][a-z0-9_-]{1,60}", str(named)):
        return str(named).replace("-", "_")
    return _CODES.get(status, "redirect" if status < 400 else "refused" if status < 500 else "backend_error")


def _detail(told: dict[str, Any], body: Any) -> str:
    """The `detail` of a problem, or the start of a plain-text answer; never an HTML page."""
    if isinstance(told.get("detail"), str):
        return _short(told["detail"])
    if isinstance(body, str) and not body.lstrip().startswith("<"):
        return _short(body)
    return ""


def _errors(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Field errors of RFC 9457 extensions (`errors`) and of FastAPI (`detail` as a list)."""
    listed = told.get("errors") or told.get("detail")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    return [{"field": _field(row), "message": _message(row)} for row in rows[:MOST_ERRORS]]


def _field(row: dict[str, Any]) -> str:
    place = row.get("field") or row.get("loc") or row.get("pointer") or ""
    parts = place if isinstance(place, list) else [place]
    return _short(".".join(str(part) for part in parts))


def _message(row: dict[str, Any]) -> str:
    return _short(row.get("message") or row.get("msg") or row.get("detail"))


def _short(text: Any) -> str:
    return clean_text(text, DETAIL_LIMIT).strip() if isinstance(text, str) else ""


def _wait(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds (RFC 9110, 10.2.3); a date counts from the answer's own `Date`, not from our clock."""
    value = headers.get("Retry-After", "")
    if re.fullmatch(r"\d{1,6}", value):
        return float(value)
    return seconds_until(value, headers.get("Date", ""))
