"""A transcript of protocol dicts as the messages of the chatbot: text as safe HTML, everything else as cards.

Neighbouring tool calls share one card, and so do neighbouring requests for the same tool. What was drawn is kept by
the id and `seq` of its parts, so an update costs what changed and not the length of the conversation.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ui import cards
from ui.cards import CONFIRM, TOOLS, Part
from ui.render import markdown, plain

Drawn = dict[str, Any]
KEPT = 4096
ALONE = ("alone",)


class Artist:
    """Draws parts, and remembers what it drew. Safe to share: a drawing depends on the part alone."""

    def __init__(self, keep: int = KEPT):
        self._drawn: OrderedDict[tuple, Drawn] = OrderedDict()
        self._keep = keep

    def draw(self, parts: Iterable[Part]) -> list[Drawn]:
        """The messages for these parts, in order; parts that are already drawn pass through."""
        return [drawn for group in _groups(parts) for drawn in self._group(group)]

    def _group(self, group: Sequence[Part]) -> Iterator[Drawn]:
        key = _key(group)
        if key is None:
            yield _draw(group)
            return
        if key not in self._drawn:
            self._drawn[key] = _draw(group)
            if len(self._drawn) > self._keep:
                self._drawn.popitem(last=False)
        self._drawn.move_to_end(key)
        yield self._drawn[key]


def _key(group: Sequence[Part]) -> tuple | None:
    """Scope, id and seq of every part; None for what has no such identity (a person's words just typed)."""
    keys = []
    for part in group:
        meta = part.get("metadata") or {}
        if not {"scope", "id", "seq"} <= meta.keys():
            return None
        keys.append((meta["scope"], meta["id"], meta["seq"], meta["type"], len(part["content"])))
    return tuple(keys)


def _groups(parts: Iterable[Part]) -> Iterator[list[Part]]:
    for kind, group in groupby((part for part in parts if not _told_by_receipt(part)), key=_kinship):
        members = list(group)
        if kind == ALONE or _asked_again(members):
            yield from ([member] for member in members)
        else:
            yield members


def _asked_again(parts: Sequence[Part]) -> bool:
    """Whether these are requests for one call in several rounds, each of which says what moved: not a table."""
    calls = [(part.get("metadata") or {}).get("call_id") for part in parts if _is_confirm(part)]
    return len(set(calls)) < len(calls)


def _is_confirm(part: Part) -> bool:
    return (part.get("metadata") or {}).get("type") in CONFIRM


def _told_by_receipt(part: Part) -> bool:
    """The receipt of a signed call says what came of it; the call is not shown once more."""
    meta = part.get("metadata") or {}
    return meta.get("type") in TOOLS and bool(meta.get("approval_id")) and not meta.get("drawn")


def _kinship(part: Part) -> tuple:
    """What makes neighbours share a card: all tools, or requests for one tool that need no name typed."""
    meta = part.get("metadata") or {}
    if meta.get("drawn"):
        return ALONE
    if meta.get("type") in TOOLS:
        return ("tools",)
    if meta.get("type") in CONFIRM and not meta["approval"]["card"].get("type_to_sign"):
        return ("confirm", meta["tool"])
    return ALONE


def _draw(group: Sequence[Part]) -> Drawn:
    part = group[0]
    meta = part.get("metadata") or {}
    kind = meta.get("type")
    if meta.get("drawn"):
        return dict(part)
    if part["role"] == "user":
        return _message("user", _text(plain(_words(part))), meta)
    if kind == "view":
        return _message("assistant", meta["value"], meta)
    if kind in TOOLS:
        return _message("assistant", cards.steps(group), meta)
    if kind in CONFIRM:
        return _message("assistant", cards.confirm(part) if len(group) == 1 else cards.batch(group), meta)
    if kind == "error":
        return _message("assistant", cards.error(part, meta.get("turn_id")), meta)
    if kind in SIMPLE:
        return _message("assistant", SIMPLE[kind](part), meta)
    if meta.get("reasoning"):
        return _message("assistant", cards.reasoning(part), meta)
    return _message("assistant", _text(markdown(part["content"])), meta)


SIMPLE = {"ask_user": cards.ask, "notice": cards.notice, "usage": cards.usage}


def _words(part: Part) -> str:
    """A person's words, as a string or as Gradio's list of contents."""
    content = part["content"]
    return content if isinstance(content, str) else "\n".join(item.get("text", "") for item in content)


def _text(html: str) -> dict[str, str]:
    return {"type": "text", "text": html}


def _message(role: str, content: dict[str, Any], meta: dict[str, Any]) -> Drawn:
    kept = {name: meta[name] for name in ("type", "id", "seq", "call_id") if name in meta}
    return {"role": role, "content": [content], "metadata": {**kept, "drawn": True}}
