"""Dates and spans of time as people write them: ISO, "12 июня", "last week", "за 3 мая", "больше недели"."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    r"jan\w*|январ\w+", r"feb\w*|феврал\w+", r"mar(?:ch)?|март\w*", r"apr\w*|апрел\w+", r"may|ма[йяею]|майск\w+",
    r"june?|июн\w+", r"july?|июл\w+", r"aug\w*|август\w*", r"sep\w*|сентябр\w+", r"oct\w*|октябр\w+",
    r"nov\w*|ноябр\w+", r"dec\w*|декабр\w+",
)  # fmt: skip
_MONTH = "|".join(f"(?P<m{i}>{words})" for i, words in enumerate(_MONTHS, 1))
_LONE_MONTH = re.compile(
    rf"\b(?:(?<=за )|(?<=za )|(?<=in )|(?<=from )|(?<=for )|(?<=of )|(?=\w+ск[а-я]+))(?:{_MONTH})\b", re.I
)
_DAY_MONTH = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|-?го)?(?: of)? (?:{_MONTH})\b(?: (?P<year>\d{{4}}))?", re.I
)
_MONTH_DAY = re.compile(rf"\b(?:{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{{4}}))?", re.I)
_ISO = re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\w-])")
_DOTTED = re.compile(r"(?<![\w.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?![\w.])")
_UNITS = (("day|дн|ден|сут", 1), ("week|недел", 7), ("month|месяц", 30), ("quarter|квартал", 91), ("year|год|лет", 365))
_UNIT = "|".join(f"(?P<u{days}>(?:{words}))\\w*" for words, days in _UNITS)
_AGE = re.compile(
    rf"\b(?:(?:for )?(?:more than|over|longer than|older than|больше|более|дольше|старше|свыше))\s+"
    rf"(?:(?P<n>\d+|a|an|one|two|three)\s+)?(?:{_UNIT})",
    re.I,
)
_SINCE = re.compile(
    rf"\b(?:(?:the )?(?:last|past|previous)|(?:за|в течение) (?:последн\w+|прошл\w+)|на (?:прошл|этой)\w*|"
    rf"прошл\w+|this)"
    rf"(?:\s+(?P<n>\d+|two|three))?\s+(?:{_UNIT})|\bза (?:(?P<k>\d+) )?(?:недел\w+|месяц\w*|сутки|год|(?<=\d )дн\w+)",
    re.I,
)
_WEEKDAYS = (
    r"monday|понедельник\w*", r"tuesday|вторник\w*", r"wednesday|сред[уы]", r"thursday|четверг\w*",
    r"friday|пятниц\w+", r"saturday|суббот\w+", r"sunday|воскресень\w+",
)  # fmt: skip
_WEEKDAY = re.compile(
    r"\b(?:(?<=on )|(?<=в )|(?<=за )|(?<=last )|(?<=from ))(?:"
    + "|".join(f"(?P<w{i}>{words})" for i, words in enumerate(_WEEKDAYS))
    + r")(?:'s)?\b",
    re.I,
)
_NIGHT = re.compile(
    r"\blast (?:night|nigth|nihgt)(?:'s)?\b|\b(?:прошлой )?ночью\b|\bза ночь\b|\bночн(?:ой|ого|ому)\b", re.I
)
_DAYS_AGO = (
    (re.compile(r"\bпозавчера(?:шн\w+)?\b|\bday before yesterday\b", re.I), 2),
    (
        re.compile(r"\b(?:yesterday(?:'s)?|вчера(?:шн\w+)?|vchera\w*)\b", re.I),
        1,
    ),
    (re.compile(r"\b(?:today(?:'s)?|tonight|сегодня(?:шн\w+)?|с утра)\b", re.I), 0),
)
_WORD_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}


@dataclass(frozen=True, slots=True)
class DateSpan:
    """Days that a text names, both ends included; for the kind `age`, how many days something is old."""

    kind: str
    start: int
    end: int
    since: date | None = None
    until: date | None = None
    days: int = 0


def find_dates(text: str, today: date) -> Iterator[DateSpan]:
    """The days named in a text. A day without a year is the latest such day that is not after `today`."""
    for pattern in (_ISO, _DOTTED, _DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            if day := _day(match, today):
                yield DateSpan("date", match.start(), match.end(), day, day)
    for pattern, reader in _SPANS:
        for match in pattern.finditer(text):
            yield reader(match, today)
    for pattern, ago in _DAYS_AGO:
        for match in pattern.finditer(text):
            day = today - timedelta(days=ago)
            yield DateSpan("date", match.start(), match.end(), day, day)


def _day(match: re.Match[str], today: date) -> date | None:
    groups = match.groupdict()
    month = int(groups["month"]) if groups.get("month") else _month(match)
    year = int(groups["year"]) if groups.get("year") else None
    try:
        day = date(year or today.year, month, int(groups["day"]))
        return day.replace(year=today.year - 1) if year is None and day > today else day
    except ValueError:
        return None


def _month(match: re.Match[str]) -> int:
    return next(i for i in range(1, 13) if match.group(f"m{i}"))


def _whole_month(match: re.Match[str], today: date) -> DateSpan:
    month = _month(match)
    first = date(today.year if month <= today.month else today.year - 1, month, 1)
    following = (first + timedelta(days=31)).replace(day=1)
    return DateSpan("date", match.start(), match.end(), first, following - timedelta(days=1))


def _count(match: re.Match[str]) -> int:
    """Days of "2 weeks"; a unit without a number counts once."""
    groups = match.groupdict()
    told = (groups.get("n") or groups.get("k") or "1").lower()
    unit = next((days for _, days in _UNITS if groups.get(f"u{days}")), None)
    return (_WORD_NUMBERS.get(told) or int(told[:4])) * (unit or _plain_unit(match[0]))


def _plain_unit(text: str) -> int:
    return next((days for words, days in _UNITS if re.search(words, text, re.I)), 1)


def _age(match: re.Match[str], today: date) -> DateSpan:
    return DateSpan("age", match.start(), match.end(), days=min(_count(match), 3650))


def _since(match: re.Match[str], today: date) -> DateSpan:
    days = min(_count(match), 3650)
    return DateSpan("date", match.start(), match.end(), today - timedelta(days=days), today)


def _night(match: re.Match[str], today: date) -> DateSpan:
    return DateSpan("date", match.start(), match.end(), today - timedelta(days=1), today)


def _weekday(match: re.Match[str], today: date) -> DateSpan:
    wanted = next(i for i in range(7) if match.group(f"w{i}"))
    day = today - timedelta(days=(today.weekday() - wanted) % 7 or 7)
    return DateSpan("date", match.start(), match.end(), day, day)


_SPANS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], DateSpan]], ...] = (
    (_AGE, _age),
    (_SINCE, _since),
    (_LONE_MONTH, _whole_month),
    (_WEEKDAY, _weekday),
    (_NIGHT, _night),
)
