"""Sentences that reach a person, in English and Russian."""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Lang = Literal["en", "ru"]


@cache
def _sentences(book: str) -> dict[str, dict[Lang, str]]:
    return json.loads(files("backend").joinpath("sentences", f"{book}.json").read_text("utf-8"))


def say(lang: Lang, key: str, /, **values: Any) -> str:
    """The sentence `key` in this language with its values filled in; raises KeyError for an unknown key."""
    return _sentences("previews")[key][lang].format(**values)


def describe_problem(lang: Lang, code: str, values: dict[str, Any]) -> tuple[str, str]:
    """Title and detail of the problem `code`."""
    book = _sentences("problems")
    return book[code][f"title_{lang}"], book[code][lang].format(**values)  # type: ignore[index]


def preferred_language(accept_language: str) -> Lang:
    """Russian when it is what the header (RFC 9110, 12.5.4) asks for first, English otherwise."""
    return "ru" if accept_language.strip().lower().startswith("ru") else "en"
