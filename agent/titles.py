"""A conversation's title, made from its first message."""

import re

from tools.text import shown_text

LONGEST = 60
_MARKUP = re.compile(
    r"^\s*(?:#{1,6}|>|[-*+])\s+"  # a heading, a quotation, an item
    r"|`+|(?<!\w)(?:\*{1,3}|~~)(?=\w)|(?<=\w)(?:\*{1,3}|~~)(?!\w)"  # around words, never inside of a name
    r"|\[([^\]]*)\]\([^)]*\)"
)
_OPENING = re.compile(
    r"^(please|hi|hello|hey|could you|can you"
    r"|привет|здравствуйте|пожалуйста|можешь|не мог(ли)? бы (ты|вы))\b[\s,!.:]*",
    re.IGNORECASE,
)


def title_of(message: str) -> str:
    """At most 60 characters: the first line with words, without markup and greeting, cut between words."""
    lines = (" ".join(_MARKUP.sub(r"\1", line).split()) for line in shown_text(message).splitlines())
    line = next((line for line in lines if any(c.isalnum() for c in line)), "")
    short = _OPENING.sub("", _OPENING.sub("", line)) or line
    return _cut(short[:1].upper() + short[1:])


def _cut(words: str) -> str:
    if len(words) <= LONGEST:
        return words.rstrip(" .")
    head = words[:LONGEST]
    return (head.rsplit(" ", 1)[0] if " " in head[LONGEST // 2 :] else head[:-1]).rstrip(" ,.;:") + "…"
