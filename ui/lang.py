"""In which language a person reads: `?lang`, else the cookie that the page keeps, else what the browser prefers."""

import re
from collections.abc import Mapping

from tools.toolset import Lang

COOKIE = "cs_lang"
PREFERENCE = re.compile(r"\s*([a-z]{2,3})[^,;]*(?:;\s*q=([0-9.]+))?", re.IGNORECASE)


def language(query: Mapping[str, str], cookies: Mapping[str, str], headers: Mapping[str, str]) -> Lang:
    """English unless Russian was asked for (RFC 9110, 12.5.4 for the header)."""
    for choice in (query.get("lang"), cookies.get(COOKIE)):
        if choice in ("en", "ru"):
            return choice  # type: ignore[return-value]
    return "ru" if _preferred(headers.get("accept-language", "")) == "ru" else "en"


def _preferred(header: str) -> str:
    matches = filter(None, (PREFERENCE.match(part) for part in header[:500].split(",")))
    known = [(_weight(m[2]), m[1].lower()) for m in matches if m[1].lower() in ("en", "ru")]
    return max(known, key=lambda pair: pair[0])[1] if known else "en"


def _weight(text: str | None) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0
