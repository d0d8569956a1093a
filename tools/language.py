"""Numbers, dates, plurals and quotes in the person's language."""

from datetime import UTC, datetime

from tools.text import visible_text
from tools.toolset import Lang

NAME_LIMIT = 80
_MONTHS = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "ru": ("янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"),
}
_SIZES = {"en": ("B", "kB", "MB", "GB", "TB"), "ru": ("Б", "кБ", "МБ", "ГБ", "ТБ")}


def say(lang: Lang, en: str, ru: str) -> str:
    """The words of one language."""
    return ru if lang == "ru" else en


def plural(lang: Lang, count: int, en: tuple[str, str], ru: tuple[str, str, str]) -> str:
    """The count with its noun; forms as in CLDR: one/other and one/few/many."""
    return f"{number(lang, count)} {en[count != 1] if lang == 'en' else ru[_russian_form(count)]}"


def _russian_form(count: int) -> int:
    if count % 10 == 1 and count % 100 != 11:
        return 0
    return 1 if 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14 else 2


def number(lang: Lang, value: int | float) -> str:
    """Grouped by thousands: 1,284.5 in English, 1 284,5 (no-break space) in Russian."""
    plain = f"{value:,}"
    return plain.replace(",", "\u00a0").replace(".", ",") if lang == "ru" else plain


def size(lang: Lang, count: int) -> str:
    """A number of bytes in decimal units."""
    amount, unit = float(count), 0
    while amount >= 1000 and unit < 4:
        amount, unit = amount / 1000, unit + 1
    return f"{number(lang, round(amount, 1) if unit and amount < 100 else round(amount))} {_SIZES[lang][unit]}"


def moment(lang: Lang, iso: str | None) -> str:
    """An ISO 8601 time as day, month, year and minute, UTC; anything else as it is, hidden characters shown."""
    try:
        at = datetime.fromisoformat(iso or "").astimezone(UTC)
    except ValueError:
        return visible_text(iso or "")
    return f"{at.day} {_MONTHS[lang][at.month - 1]} {at.year}, {at:%H:%M} UTC"


def shown_name(text: str, limit: int = NAME_LIMIT) -> str:
    """A name for a card: hidden characters shown, on one line, of bounded length."""
    plain = visible_text(text)
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def quoted(lang: Lang, text: str) -> str:
    """A name in the quotes of the language."""
    return say(lang, f"“{shown_name(text)}”", f"«{shown_name(text)}»")
