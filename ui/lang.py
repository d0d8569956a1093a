"""In which language a person reads: `?lang`, else the cookie that the page keeps, else what the browser prefers.

A program that says nothing of it is answered in the language that it writes.
"""

import re
from collections.abc import Mapping

from tools.toolset import Lang

COOKIE = "cs_lang"
CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
PREFERENCE = re.compile(r"\s*([a-z]{2,3})[^,;]*(?:;\s*q=([0-9.]+))?", re.IGNORECASE)


def language(query: Mapping[str, str], cookies: Mapping[str, str], headers: Mapping[str, str], said: str = "") -> Lang:
    """The language that was asked for (RFC 9110, 12.5.4 for the header); else that of what was `said`, else English."""
    for choice in (query.get("lang"), cookies.get(COOKIE)):
        if choice in ("en", "ru"):
            return choice  # type: ignore[return-value]
    preferred = _preferred(headers.get("accept-language", ""))
    return "ru" if preferred == "ru" or (preferred is None and CYRILLIC.search(said)) else "en"


def _preferred(header: str) -> str | None:
    matches = filter(None, (PREFERENCE.match(part) for part in header[:500].split(",")))
    known = [(_weight(m[2]), m[1].lower()) for m in matches if m[1].lower() in ("en", "ru")]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _weight(text: str | None) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0
