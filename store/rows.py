"""Rows as frozen dataclasses, and values as PostgreSQL can keep them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, TypeVar

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from store.pool import Connection

Row = TypeVar("Row")
Parameters = Mapping[str, Any] | Sequence[Any]


async def one(connection: Connection, row: type[Row], query: LiteralString, parameters: Parameters = ()) -> Row | None:
    """The first row of a query as a `row`, or None."""
    async with connection.cursor(row_factory=class_row(row)) as cursor:
        await cursor.execute(query, parameters)
        return await cursor.fetchone()


async def many(connection: Connection, row: type[Row], query: LiteralString, parameters: Parameters = ()) -> list[Row]:
    """All rows of a query as `row`s."""
    async with connection.cursor(row_factory=class_row(row)) as cursor:
        await cursor.execute(query, parameters)
        return await cursor.fetchall()


async def value(connection: Connection, query: LiteralString, parameters: Parameters = ()) -> Any:
    """The only column of the first row, or None."""
    row = await (await connection.execute(query, parameters)).fetchone()
    return next(iter(row.values())) if row else None


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which PostgreSQL refuses, as replacement characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def jsonb(content: Any) -> Jsonb:
    """A JSON value as a parameter, made storable."""
    return Jsonb(content, dumps=_dumps)


def _dumps(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False)
    if "\\u0000" in text or storable(text) != text:
        return json.dumps(_clean(content), ensure_ascii=False)
    return text


def _clean(content: Any) -> Any:
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, Mapping):
        return {storable(str(key)): _clean(item) for key, item in content.items()}
    if isinstance(content, list | tuple):
        return [_clean(item) for item in content]
    return content
