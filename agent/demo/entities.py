"""Finds the values a text names: quotes, ids, environments, roles, people, tags, files, dates, durations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from agent.demo.dates import find_dates

_ENVIRONMENTS = {
    "dev": r"dev[aeu]?|development|sandbox|дев[аеу]?|девом|дев-?стенд\w*|разработк[аеиуо]\w*|песочниц\w+|pesochnic\w*",
    "stage": (
        r"stage|staging|stag|стейдж\w{0,2}|стейж\w{0,2}|стэйдж\w{0,2}|stejd?zh\w*|steid?zh\w*|предпрод\w*|pre-?prod|"
        r"(?:(?<=\bна )|(?<=\bс )|(?<=\bсо )|(?<=\bon )|(?<=\bin ))(?:тест[ае]?|test)"
    ),
    "prod": (
        r"prod[aeu]?|production|прод[аеу]?|продом|прдо|продакш[еэ]?н\w*|продовск\w+|боев(?:ой|ом|ого|ую|ая)|"
        r"(?:(?<=\bto )|(?<=\bon ))live|(?:(?<=\bна )|(?<=\bс ))бо[йюея]"
    ),
}
_ROLES = {
    "admin": r"admins?|administrators?|админ\w*|adminku",
    "publisher": r"publishers?|паблишер\w*|публикатор\w*|издател\w+|на публикацию|publish(?:ing)? (?:rights?|access)",
    "editor": r"editors?|редактор\w*|эдитор\w*|на редактирование|edit(?:ing)? (?:rights?|access|permissions?)",
    "analyst": r"analysts?|аналитик\w*",
    "viewer": r"viewers?|read-?only|вьювер\w*|зрител\w+|читател\w+|наблюдател\w+|на просмотр|на чтение",
}
_RUSSIAN_ENDING = r"(?:['’-]?[а-яё]{1,3})?"


def _named(values: dict[str, str]) -> re.Pattern[str]:
    options = "|".join(f"(?P<{name}>{words})" for name, words in values.items())
    return re.compile(rf"(?<![\w-])(?:{options}){_RUSSIAN_ENDING}(?![\w-]|\.\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entity:
    """A value found in a text: its kind, what it means, and where it stands (in characters)."""

    kind: str
    value: Any
    start: int
    end: int


_TAIL = r"((?![«\"'“])[^\n;]+?)(?=$|[\n;]|, (?:then|потом|затем)\b|[.!] )"
_LABEL = r"\b(?:message|msg|comment|note|сообщени\w+|пометк\w+|комментари\w+|заметк\w+)"
_WITH_LABEL = r"\b(?:with (?:the |a )?(?:message|msg|comment|note)|с (?:сообщением|пометкой|комментарием|заметкой)|msg)"
_FILE = r"[\w-]{1,80}\.(?:txt|pdf|csv|tsv|docx?|xlsx?|md|json|png|jpe?g|log|ya?ml|html?|zip)"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("quote", r"«([^»\n]{1,300})»|“([^”\n]{1,300})”|„([^“\n]{1,300})“|\"([^\"\n]{1,300})\"|`([^`\n]{1,300})`"),
        ("quote", r"(?<!\w)'([^'\n]{1,300})'(?!\w)|(?<!\w)‘([^’\n]{1,300})’(?!\w)"),
        ("message", rf"{_LABEL}\s*[:=]\s*{_TAIL}|{_WITH_LABEL}\s+{_TAIL}"),
        ("description", rf"(?:\bdescription|\bописани\w+)[^:«\"'\n]{{0,60}}?(?:\bto\b|\bна\b|:)\s*{_TAIL}"),
        ("login", r"(?<![\w.+-])([\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4})"),
        ("file", rf"(?<![\w./-])({_FILE})(?![\w/-])"),
        ("backup", r"(?<![\w-])(bk-[a-z0-9-]+)"),
        ("measure", r"(?<![\w:.-])(\d{1,2}:\d{2})(?![\w:])"),
        ("pointer", r"(?<![\w/:])(/[\w~-]+(?:/[\w~-]+)*)(?![\w/])"),
    )
)
_LATE_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("commit", r"(?<![\w-])((?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40})(?![\w-])"),
        ("commit", r"(?:(?<=\bcommit )|(?<=\bкоммит )|(?<=\bкоммита )|(?<=\bkomit ))([0-9a-f]{4,40})(?![\w-])"),
        ("hashtag", r"(?<!\w)#([^\W\d]\w*)"),
        (
            "measure",
            r"(?<![\w.-])(\d+(?:[.,]\d+)?\s?(?:h|hrs?|hours?|ч|час\w*|%|min|мин\w*|s|ms|gb|гб|mb|мб))(?![\w-])",
        ),
        ("number", r"(?<!\S)(?:#|№\s?)?([-−]\d{1,12})(?![\w/.,:-])"),
        ("number", r"(?<![\w.,/-])(?:#|№\s?)?(\d{1,12})(?![\w/-]|[.,:]\d)"),
        ("login", r"(?<![\w./-])([a-z]{1,3}\.[a-z]{2,40})(?![\w/]|\.\w)"),
    )
)
_TAILS = frozenset({"message", "description"})
_VALUES = (("environment", _named(_ENVIRONMENTS)), ("role", _named(_ROLES)))


def find_entities(text: str, today: date) -> list[Entity]:
    """The values in a text, in order and without overlaps; `today` is what relative dates count from."""
    taken: list[Entity] = []
    for candidate in _candidates(text, today):
        if all(candidate.end <= e.start or candidate.start >= e.end for e in taken):
            taken.append(candidate)
    return sorted(taken, key=lambda e: e.start)


def _candidates(text: str, today: date) -> Iterator[Entity]:
    """All readings, the surest kinds first."""
    yield from _matches(_PATTERNS, text)
    for span in find_dates(text, today):
        yield Entity(span.kind, span, span.start, span.end)
    yield from _matches(_LATE_PATTERNS, text)
    for kind, pattern in _VALUES:
        for match in pattern.finditer(text):
            yield Entity(kind, match.lastgroup, match.start(), match.end())


def _matches(patterns: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> Iterator[Entity]:
    for kind, pattern in patterns:
        for match in pattern.finditer(text):
            group = next(i for i, told in enumerate(match.groups(), 1) if told is not None)
            value = match[group].strip()
            start, end = match.span(group) if kind in _TAILS else match.span()
            if value:
                yield Entity(kind, int(value.replace("−", "-")) if kind == "number" else value, start, end)
