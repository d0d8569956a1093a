"""Text that came from outside, made harmless to read: nothing hidden, nothing that reorders, a known length.

A model reads tokens and a person reads glyphs; control, bidi, tag and private-use characters let a text say one
thing to the one and another to the other (Unicode TR36, "Trojan Source").
"""

import re
import unicodedata
from typing import Any

MODEL_LIMIT = 8_000
_TERMINAL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC: titles, hyperlinks
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\|$)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]"
)
_JOINERS = {"\u200c", "\u200d"}
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
_BLANK_GLYPHS = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\uffa0"}


def _hidden(char: str) -> bool:
    """Whether a character has no glyph of its own; variation selectors 17 to 256 can smuggle bytes."""
    return (
        unicodedata.category(char) in _HIDDEN_CATEGORIES
        or char in _BLANK_GLYPHS
        or "\U000e0000" <= char <= "\U000e0fff"
    )


def clean_text(text: str, limit: int | None = None) -> str:
    """The text without terminal sequences and hidden characters, for a model or a log.

    Line ends, tabs and the two joiners stay. `limit` is in characters, the marker not counted.
    """
    plain = _TERMINAL.sub("", text).replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    if not plain.isascii() or not plain.isprintable():
        plain = "".join(c for c in plain if c in "\n\t" or c in _JOINERS or not _hidden(c))
    return plain if limit is None else cut(plain, limit)


def visible_text(text: str) -> str:
    """The text with every hidden character written as its escape, for a card that a person signs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if _hidden(c) else c for c in text)


def shown_text(text: str) -> str:
    """A person's own words for the page: as they are, but hidden characters written as their escapes.

    Line ends, tabs and the joiners of letters and emoji stay.
    """
    kept = {"\n", "\t", *_JOINERS}
    return "".join(_escape(c) if _hidden(c) and c not in kept else c for c in text.replace("\r\n", "\n"))


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def visible(value: Any) -> Any:
    """A JSON value with `visible_text` applied to every string in it, keys included."""
    if isinstance(value, str):
        return visible_text(value)
    if isinstance(value, list):
        return [visible(item) for item in value]
    if isinstance(value, dict):
        return {visible_text(str(key)): visible(item) for key, item in value.items()}
    return value


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, with a marker that says how much of how much is left."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[truncated, {limit:,} of {len(text):,} characters]"


def mixed_words(text: str) -> list[str]:
    """Words that hold letters of two alphabets, such as a Latin word with one Cyrillic letter (Unicode UTS 39)."""
    return [word for word in re.findall(r"[^\W\d_]+", text) if len({_alphabet(c) for c in word}) > 1]


def _alphabet(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]
