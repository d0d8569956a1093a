"""Finding things by words: every word must occur, as a part of the text or by its stem in Russian or English."""

import re
from typing import Any

from backend.database import Connection

CYRILLIC = re.compile("[а-я]")
MIN_STEM = 4
FOLDED = str.maketrans("ё", "е", "")


class Filter:
    """A `where` clause that is built condition by condition; conditions with a None value are left out."""

    def __init__(self) -> None:
        self._conditions: list[str] = []
        self.values: dict[str, Any] = {}

    def add(self, condition: str, **values: Any) -> "Filter":
        """Add `condition` with its named values, unless one of them is None."""
        if None not in values.values():
            self._conditions.append(f"({condition})")
            self.values.update(values)
        return self

    def text(self, text: str | None, column: str = "words") -> "Filter":
        """Keep rows whose folded `column` holds all words of `text`."""
        for word in fold(text or "").split():
            self._word(word, column, "{}")
        return self

    def person(self, who: str | None, column: str) -> "Filter":
        """Keep rows whose person (a user id in `column`) is the one meant: login, name or e-mail in any language."""
        for word in fold(who or "").split():
            self._word(word, "u.words", f"{column} in (select u.id from user_view u where {{}})")
        return self

    def _word(self, word: str, column: str, frame: str) -> None:
        name = f"word{len(self.values)}"
        condition = (
            f"{column} like any (%({name}_parts)s)"
            f" or to_tsvector('russian', {column}) @@ plainto_tsquery('russian', %({name})s)"
        )
        self.add(frame.format(condition), **{name: word, f"{name}_parts": _parts(word)})

    @property
    def sql(self) -> str:
        """The clause, `true` when nothing is filtered."""
        return " and ".join(self._conditions) or "true"


def fold(text: str) -> str:
    """The text as the database folds it: lower case, ё as е."""
    return text.lower().translate(FOLDED)


def _parts(word: str) -> list[str]:
    """LIKE patterns of a word: itself, and without the ending of a Russian name that no stemmer knows."""
    endless = word[: -min(2, len(word) - MIN_STEM)] if len(word) > MIN_STEM and CYRILLIC.search(word) else word
    return [f"%{escape(part)}%" for part in dict.fromkeys((word, endless))]


def escape(word: str) -> str:
    """The word with the wildcards of LIKE taken literally."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


async def page(
    connection: Connection, view: str, wanted: Filter, order: str, limit: int, offset: int
) -> tuple[list[dict[str, Any]], int]:
    """One page of the rows of `view`, and how many there are in all."""
    count = f"select count(*) as total from {view} where {wanted.sql}"
    row = await (await connection.execute(count.encode(), wanted.values)).fetchone()
    rows = f"select * from {view} where {wanted.sql} order by {order} limit %(limit)s offset %(offset)s"
    found = await connection.execute(rows.encode(), {**wanted.values, "limit": limit, "offset": offset})
    return await found.fetchall(), row["total"] if row else 0
