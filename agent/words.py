"""Is this text fit to be stored, searched and sent to a model? Checks of what a person wrote, with a clear refusal."""

from agent.refused import Refused
from tools.toolset import Lang

MAX_ANSWER = 4000
MAX_TITLE = 200
MAX_REASON = 1000
MAX_TURN_ID = 255


def message(text: str, limit: int, lang: Lang) -> str:
    """The message, or `Refused`: empty, more than `limit` bytes of UTF-8, NUL, half of a surrogate pair."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Refused("broken_characters", lang) from None
    if "\0" in text:
        raise Refused("control_characters", lang)
    if not text.strip():
        raise Refused("empty", lang)
    if size > limit:
        raise Refused("too_long", lang, size=size, limit=limit)
    return text


def short(text: str, limit: int, lang: Lang) -> str:
    """A reason, an answer or a title of at most `limit` characters, or `Refused`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refused("broken_characters", lang) from None
    if len(text) > limit or "\0" in text:
        raise Refused("bad_text", lang, limit=limit)
    return text.strip()


def turn_id(text: str, lang: Lang) -> str:
    """The client's id of a turn, or `Refused`."""
    if not (0 < len(text) <= MAX_TURN_ID and text.isprintable()):
        raise Refused("bad_turn_id", lang)
    return text
