"""A transcript of protocol dicts as the messages of the chatbot: text as safe HTML, everything else as cards.

Neighbouring tool calls share one card with the thoughts between them, and so do neighbouring requests for the same
tool. What was drawn is kept by the id and `seq` of its parts, so an update costs what changed and not the length of
the conversation.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

from ui import cards
from ui.cards import CONFIRM, Part
from ui.render import markdown, plain
from ui.steps import TOOLS, Titles, is_thought, is_tool, steps

Drawn = dict[str, Any]
KEPT = 4096
ALONE = ("alone",)
WORK = ("work",)
MANY = 2
REFUSED = "refused-"  # begins the id of a refusal, which is stored nowhere


class Artist:
    """Draws parts, and remembers what it drew. Safe to share: a drawing depends on the part and its reader's language.

    `titles` are what tools are called, by name and language; others keep the title that came with the call.
    """

    def __init__(self, titles: Titles | None = None, keep: int = KEPT):
        self._titles = titles or {}
        self._drawn: OrderedDict[tuple, Drawn] = OrderedDict()
        self._keep = keep

    def draw(self, parts: Iterable[Part]) -> list[Drawn]:
        """The messages for these parts, in order; parts that are already drawn pass through."""
        return [drawn for group in _groups(parts) for drawn in self._group(group)]

    def _group(self, group: Sequence[Part]) -> Iterator[Drawn]:
        key = _key(group)
        if key is None:
            yield _draw(group, self._titles)
            return
        if key not in self._drawn:
            self._drawn[key] = _draw(group, self._titles)
            if len(self._drawn) > self._keep:
                self._drawn.popitem(last=False)
        self._drawn.move_to_end(key)
        yield self._drawn[key]


def _key(group: Sequence[Part]) -> tuple | None:
    """Scope, id, seq and reader of every part; None for what has no such identity (a person's words just typed)."""
    keys = []
    for part in group:
        meta = part.get("metadata") or {}
        if not {"scope", "id", "seq"} <= meta.keys():
            return None
        shown = (meta.get("lang"), meta.get("cut"), len(part["content"]))
        keys.append((meta["scope"], meta["id"], meta["seq"], meta["type"], *shown))
    return tuple(keys)


def _groups(parts: Iterable[Part]) -> Iterator[list[Part]]:
    shown = (part for part in _one_refusal(list(parts)) if not _told_by_receipt(part))
    for kind, group in groupby(shown, key=_kinship):
        members = list(group)
        few = kind == WORK and sum(map(is_tool, members)) < MANY
        if few or kind == ALONE or _asked_again(members):
            yield from ([member] for member in members)
        else:
            yield members


def _one_refusal(parts: list[Part]) -> Iterator[Part]:
    """Only the newest refusal of what was typed is shown, and no message that says nothing."""
    newest = next((part for part in reversed(parts) if _is_refusal(part)), None)
    for part in parts:
        if part is newest or not (_is_refusal(part) or (part["role"] == "user" and not _words(part).strip())):
            yield part


def _is_refusal(part: Part) -> bool:
    return str((part.get("metadata") or {}).get("id", "")).startswith(REFUSED)


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
    """What makes neighbours share a card: work, or requests for one tool that need no name typed."""
    meta = part.get("metadata") or {}
    if meta.get("drawn"):
        return ALONE
    if is_tool(part) or is_thought(part):
        return WORK
    if meta.get("type") in CONFIRM and not meta["approval"]["card"].get("type_to_sign"):
        return ("confirm", meta["tool"])
    return ALONE


def _draw(group: Sequence[Part], titles: Titles) -> Drawn:
    part = group[0]
    meta = part.get("metadata") or {}
    kind, lang = meta.get("type"), meta.get("lang", "en")
    if meta.get("drawn"):
        return dict(part)
    if part["role"] == "user":
        return _message("user", _text("\n".join([plain(_words(part)), *map(_file, meta.get("files", ()))])), meta)
    if kind in ("view", "actions"):
        return _message("assistant", meta["value"], meta)
    if _kinship(part) == WORK and (len(group) > 1 or kind in TOOLS):
        return _message("assistant", steps(group, lang, titles), meta)
    if kind in CONFIRM:
        card = cards.confirm(part, lang) if len(group) == 1 else cards.batch(group, lang)
        return _message("assistant", card, meta)
    if kind == "notice":
        return _message("assistant", cards.notice(part, lang), meta)
    if kind == "error":
        return _message("assistant", cards.error(part, meta.get("turn_id")), meta)
    if kind in SIMPLE:
        return _message("assistant", SIMPLE[kind](part), meta)
    if meta.get("reasoning"):
        return _message("assistant", cards.reasoning(part), meta)
    going_on = meta.get("status") == "pending"
    text = markdown(part["content"], unfinished=going_on or bool(meta.get("cut")), going_on=going_on)
    return _message("assistant", _text(text), meta)


SIMPLE = {"ask_user": cards.ask, "usage": cards.usage}


def _words(part: Part) -> str:
    """A person's words, as a string or as Gradio's list of contents."""
    content = part["content"]
    return content if isinstance(content, str) else "\n".join(item.get("text", "") for item in content)


def _file(file: dict[str, str]) -> str:
    """The name of an attached file as the way to it."""
    return f'<a class="cs-file" href="/ui/files/{quote(file["id"], safe="")}" download>{plain(file["name"])}</a>'


def _text(html: str) -> dict[str, str]:
    return {"type": "text", "text": html}


def _message(role: str, content: dict[str, Any], meta: dict[str, Any]) -> Drawn:
    kept = {name: meta[name] for name in ("type", "id", "seq", "call_id") if name in meta}
    return {"role": role, "content": [content], "metadata": {**kept, "drawn": True}}
