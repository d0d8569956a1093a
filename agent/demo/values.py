"""Values of tool answers as a person reads them, in English or Russian; text from outside never acts as Markdown."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from agent.demo.answers import LABELS
from agent.demo.language import Lang

_MARKDOWN = re.compile(r"([\\|*`\[\]<>])")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*")
_LONGEST = 200
_STATES: Mapping[str, tuple[str, str]] = {
    "ok": ("in order", "в порядке"),
    "degraded": ("degraded", "есть сбои"),
    "down": ("down", "не работает"),
    "maintenance": ("in maintenance", "на обслуживании"),
    "warning": ("warning", "внимание"),
    "failed": ("failed", "сбой"),
    "queued": ("queued", "в очереди"),
    "running": ("running", "выполняется"),
    "succeeded": ("succeeded", "завершена"),
    "canceled": ("canceled", "отменена"),
    "unavailable": ("unavailable", "недоступен"),
    "nightly": ("nightly", "ночная"),
    "manual": ("manual", "ручная"),
}
_UNITS = (("GB", "ГБ", 1 << 30), ("MB", "МБ", 1 << 20), ("KB", "КБ", 1 << 10))


def plain(text: str, limit: int = _LONGEST) -> str:
    """Text from outside on one line, at most `limit` characters, its Markdown marks escaped."""
    line = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", line if len(line) <= limit else line[: limit - 1] + "…")


def shown(value: Any, lang: Lang, key: str = "") -> str:
    """One value for a cell or a fact; empty when there is nothing to show."""
    if value is None or value == "" or value == []:
        return ""
    if isinstance(value, bool):
        return {"en": ("no", "yes"), "ru": ("нет", "да")}[lang][value]
    if isinstance(value, int | float):
        return size(value, lang) if key.endswith("bytes") else number(value, lang) if key != "id" else str(value)
    if isinstance(value, list):
        return ", ".join(filter(None, (shown(v, lang) for v in value[:8]))) + (", …" if len(value) > 8 else "")
    if isinstance(value, Mapping):
        return _named(value)
    return _text(str(value), lang)


def _named(value: Mapping[str, Any]) -> str:
    """A thing inside another, in short."""
    named = value.get("name") or value.get("title") or value.get("summary")
    place = f"{value['environment']} {value.get('id', '')}" if "environment" in value else value.get("id")
    return plain(str(named or place or ""))


def _text(text: str, lang: Lang) -> str:
    if text in _STATES:
        return _STATES[text][lang == "ru"]
    return moment(text) if _INSTANT.fullmatch(text) else plain(text)


def moment(text: str) -> str:
    """A time to the minute; the text itself when it is none."""
    try:
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return plain(text)


def number(value: float, lang: Lang) -> str:
    """A number with thousands apart: "1,234" or "1 234" with a no-break space."""
    text = f"{value:,}"
    return text.replace(",", "\u00a0").replace(".", ",") if lang == "ru" else text


def size(value: float, lang: Lang) -> str:
    """Bytes in the unit that fits."""
    for en, ru, unit in _UNITS:
        if value >= unit:
            return f"{number(round(value / unit, 1), lang)} {ru if lang == 'ru' else en}"
    return f"{number(value, lang)} {'Б' if lang == 'ru' else 'B'}"


def counted(count: int, forms: tuple[str, ...], lang: Lang) -> str:
    """A number with its noun: English has two forms, Russian three (1 дашборд, 2 дашборда, 5 дашбордов)."""
    if lang == "en":
        return f"{number(count, lang)} {forms[0] if count == 1 else forms[1]}"
    last, teens = count % 10, 11 <= count % 100 <= 14
    form = 2 if teens or last == 0 or last >= 5 else 0 if last == 1 else 1
    return f"{number(count, lang)} {forms[form]}"


def label(key: str, lang: Lang, tool: str = "") -> str:
    """What a property is called, in the answers of this tool."""
    told = LABELS.get(f"{tool}.{key}") or LABELS.get(key)
    return told[lang == "ru"] if told else key.replace("_", " ")


def table(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], lang: Lang, tool: str = "") -> str:
    """A Markdown table of those properties that hold anything."""
    cells = [[shown(row.get(key), lang, key) for key in keys] for row in rows]
    kept = [i for i in range(len(keys)) if any(row[i] for row in cells)]
    head = [plain(label(keys[i], lang, tool)) for i in kept]
    lines = [head, ["---"] * len(kept), *([row[i] for i in kept] for row in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if kept else ""


def facts(told: Mapping[str, Any], keys: Sequence[str], lang: Lang) -> str:
    """Properties as a list, those without a value left out."""
    pairs = [(plain(label(key, lang)), shown(told.get(key), lang, key)) for key in keys]
    return "\n".join(f"- {name}: {value}" for name, value in pairs if value)
