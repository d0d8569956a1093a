"""The pages of a list: which arguments ask for the next one, and all of them up to a bound.

The next page is what the backend says it is: a `Link` of the same path (RFC 8288), a cursor in the answer, else the
page or offset after this one while pages are full. An address in an answer is never followed; only its parameters are
used.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tools.client import Answer
from tools.openapi.operations import Operation, Parameter
from tools.openapi.results import rows_of

MOST_PAGES = 50
MOST_ROWS = 1_000
ALL = "all_pages"
PAGES = frozenset({"page", "page_number", "pagenumber", "page_num"})
OFFSETS = frozenset({"offset", "skip", "start", "startat", "start_at"})
SIZES = frozenset({"limit", "per_page", "perpage", "page_size", "pagesize", "size", "max_results", "maxresults"})
CURSORS = frozenset({
    "cursor", "page_token", "pagetoken", "next_token", "nexttoken", "continuation_token", "after", "starting_after",
    "start_cursor", "continue", "marker",
})  # fmt: skip
NEXT_KEYS = ("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken",
             "next_page", "nextPage", "continuation_token", "cursor", "next")  # fmt: skip
ARGUMENT = {"type": "boolean", "description": f"true reads all pages, up to {MOST_ROWS} rows"}

Read = Callable[[dict[str, Any]], Awaitable[Answer]]


@dataclass(frozen=True)
class Paged:
    """What was read: one page and the arguments for more of it, or all pages, perhaps cut."""

    answer: Answer
    more: dict[str, Any] | None = None
    cut: bool = False


def pageable(operation: Operation) -> bool:
    """Whether an operation reads a list page by page."""
    known = PAGES | OFFSETS | CURSORS
    asks = any(p.place == "query" and p.wire.lower() in known for p in operation.parameters)
    return operation.method == "GET" and asks and ALL not in operation.schema["properties"]


def next_page(operation: Operation, args: Mapping[str, Any], answer: Answer) -> dict[str, Any] | None:
    """The arguments that ask for the page after this one; None when this is the last, or nothing tells."""
    rows, total = rows_of(answer.body)
    if not answer.ok or not rows:
        return None
    told = _linked(operation, answer.next) or _in_body(operation, answer.body)
    if told is None and answer.next is None:
        told = _counted(operation, args, rows, total if isinstance(answer.body, dict) else None)
    asked = {**args, **told} if told else None
    return asked if asked != dict(args) else None


async def all_pages(operation: Operation, args: dict[str, Any], read: Read) -> Paged:
    """One answer with the rows of all pages, as far as the bounds go; the first failure ends it with what there is."""
    first = answer = await read(args)
    rows: list[Any] = []
    asked: dict[str, Any] | None = args
    for _ in range(MOST_PAGES):
        found, _total = rows_of(answer.body)
        rows += found or []
        asked = next_page(operation, asked, answer) if asked is not None else None
        if asked is None or len(rows) >= MOST_ROWS:
            break
        answer = await read(asked)
    if not first.ok or rows_of(first.body)[0] is None:
        return Paged(first)
    cut = asked is not None or not answer.ok or len(rows) > MOST_ROWS
    return Paged(replace(first, body=rows[:MOST_ROWS], next=None), cut=cut)


def _linked(operation: Operation, link: str | None) -> dict[str, Any] | None:
    """The parameters of a link, when the operation has them all."""
    if not link:
        return None
    by_wire = {p.wire: p for p in operation.parameters if p.place == "query"}
    pairs = parse_qsl(urlsplit(link).query)
    if not pairs or not {key for key, _ in pairs} <= set(by_wire) or len(dict(pairs)) != len(pairs):
        return None
    return {by_wire[key].name: _typed(by_wire[key], value) for key, value in pairs}


def _in_body(operation: Operation, body: Any) -> dict[str, Any] | None:
    """A cursor, a page number or an address under one of the usual keys."""
    value = next((body[key] for key in NEXT_KEYS if body.get(key)), None) if isinstance(body, dict) else None
    if isinstance(value, str) and ("?" in value or "://" in value):
        return _linked(operation, value)
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    wanted = PAGES if isinstance(value, int) else CURSORS
    parameter = _one(operation, wanted) or _one(operation, CURSORS)
    return {parameter.name: _typed(parameter, str(value))} if parameter else None


def _counted(
    operation: Operation, args: Mapping[str, Any], rows: list[Any], total: int | None
) -> dict[str, Any] | None:
    """The page or the offset after this one, while there is more by the total, or this page is full."""
    page, offset, size = (_one(operation, names) for names in (PAGES, OFFSETS, SIZES))
    asked = _given(size, args)
    if offset is not None:
        begin = _given(offset, args) or 0
        more = begin + len(rows) < total if total is not None else asked is not None and len(rows) >= asked
        return {offset.name: begin + len(rows)} if more else None
    if page is not None and asked:
        number = _given(page, args)
        number = 1 if number is None else number
        more = number * asked < total if total is not None and number else len(rows) >= asked
        return {page.name: number + 1} if more else None
    return None


def _one(operation: Operation, names: frozenset[str]) -> Parameter | None:
    return next((p for p in operation.parameters if p.place == "query" and p.wire.lower() in names), None)


def _given(parameter: Parameter | None, args: Mapping[str, Any]) -> int | None:
    """The number that is asked for, or the document's default."""
    value = args.get(parameter.name, parameter.schema.get("default")) if parameter else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _typed(parameter: Parameter, text: str) -> Any:
    kinds = [parameter.schema, *parameter.schema.get("anyOf", ())]
    whole = any(isinstance(kind, dict) and kind.get("type") in ("integer", "number") for kind in kinds)
    return int(text) if whole and text.lstrip("-").isdigit() else text


async def read_paged(operation: Operation, args: dict[str, Any], read: Read) -> Paged:
    """One page, or with `all_pages` all of them."""
    mine = {key: value for key, value in args.items() if key != ALL}
    if args.get(ALL) is True:
        return await all_pages(operation, mine, read)
    answer = await read(mine)
    return Paged(answer, next_page(operation, mine, answer))
