"""The plain facts of an object that a tool returned, as a person reads them: named, dated, people by name."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tools.labels import field_label, state_label
from tools.language import moment
from tools.results import person
from tools.toolset import Lang

MOST = 16
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)")
FOR_MACHINES = {"etag", "limit", "offset"}
PERSON = {"id", "name", "name_ru"}


def facts(data: Mapping[str, Any], lang: Lang) -> list[list[Any]]:
    """Names and values in the reader's language; what is nested is left to the raw answer below them."""
    return list(_told(data, lang))[:MOST]


def _told(data: Mapping[str, Any], lang: Lang) -> Iterator[list[Any]]:
    for name, value in data.items():
        shown = None if name in FOR_MACHINES else _shown(name, value, lang)
        if shown not in (None, ""):
            label = field_label(lang, name)
            yield [label.replace("_", " ") if label == name else label, shown]


def _shown(name: str, value: Any, lang: Lang) -> Any:
    """A plain value; None for what is nested."""
    if isinstance(value, dict):
        return person(lang, value) if value.keys() == PERSON else None
    if isinstance(value, list):
        return ", ".join(value) if all(isinstance(item, str) for item in value) else None
    if isinstance(value, str) and INSTANT.fullmatch(value):
        return moment(lang, value)
    return state_label(lang, value) if name == "state" else value
