"""A stretch of a conversation as what the chatbot takes: a marker, then a person's words and the protocol's parts."""

import hashlib
from collections.abc import Sequence
from typing import Any

from agent.turns import Message, Page, Spent
from tools.toolset import Lang
from ui import cards

Part = dict[str, Any]
MESSAGES = 30
TAIL = 4
WAITING = {"waiting_approval", "waiting_answer", "waiting_auth"}


def running(page: Page) -> bool:
    """Whether an answer is being written right now."""
    return page.active_turn is not None and page.active_turn.state not in WAITING


def version(page: Page) -> str:
    """Changes whenever the newest messages do; two tabs compare it to see that the other one acted."""
    tail = [(m.id, m.state, [(p["metadata"]["id"], p["metadata"]["seq"]) for p in _parts(m)]) for m in page.messages]
    state = page.active_turn and (page.active_turn.turn_id, page.active_turn.state)
    return hashlib.sha256(repr((tail[-TAIL:], state)).encode()).hexdigest()[:12]


def transcript(
    page: Page, lang: Lang, *, newest: bool = True, without: str | None = None, spent: Spent | None = None
) -> list[Part]:
    """The messages of a page for a reader; `without` leaves out the answer of one turn (its parts come from the tail).

    Each answer begins with a marker, as it does while it is streamed, so that nothing moves when it is complete.
    """
    shown = [part for m in page.messages if _kept(m, without) for part in _shown(page, m, lang)]
    top = view(earlier=page.earlier, older=not newest) if page.earlier or not newest else None
    if without is None:
        _mark_newest(shown, view(page.conversation_id, version(page) if newest else "", spent=spent))
    return [top, *shown] if top else shown


def _mark_newest(shown: list[Part], marker: Part) -> None:
    """The newest answer tells which conversation and version this is."""
    for index in range(len(shown) - 1, -1, -1):
        if shown[index]["metadata"]["type"] == "view":
            shown[index] = marker
            return
    shown.append(marker)


def view(
    conversation_id: str = "",
    seen: str = "",
    earlier: int | None = None,
    *,
    older: bool = False,
    running: bool = False,
    spent: Spent | None = None,
) -> Part:
    """A marker: which conversation and version this is, or the way to earlier and newer messages."""
    value = cards.view(conversation_id, seen, earlier, older=older, running=running, spent=spent)
    return {"role": "assistant", "content": "", "metadata": {"type": "view", "value": value}}


def answer(conversation_id: str, turn_id: str, parts: Sequence[Part], lang: Lang) -> list[Part]:
    """Parts of a turn as fresh dicts that know their turn and reader: ids of parts are unique within a turn only."""
    own = {"turn_id": turn_id, "scope": f"{conversation_id}/{turn_id}", "lang": lang}
    return [{**part, "metadata": {**part["metadata"], **own}} for part in parts]


def _kept(message: Message, without: str | None) -> bool:
    return not (message.role == "assistant" and message.turn_id == without)


def _shown(page: Page, message: Message, lang: Lang) -> list[Part]:
    if message.role == "user":
        meta = {"type": "user", "id": message.id, "seq": message.seq, "scope": page.conversation_id}
        return [{"role": "user", "content": message.text, "metadata": meta | {"files": files_of(message)}}]
    parts = _stopped(message.parts) if message.state == "canceled" else message.parts
    return [view(), *answer(page.conversation_id, message.turn_id, _with_actions(page, message, parts), lang)]


def files_of(message: Message) -> list[dict[str, str]]:
    """The files that went with a person's words: their ids and names."""
    files = (part for part in message.parts if part["metadata"]["type"] == "file")
    return [{"id": part["metadata"]["id"], "name": part["content"]} for part in files]


def _with_actions(page: Page, message: Message, parts: Sequence[Part]) -> Sequence[Part]:
    """The parts of an answer that is complete, with what may be done with it in the place of its usage."""
    if message.state == "draft":
        return parts
    said = {other.turn_id: other.text for other in page.messages if other.role == "user"}
    spent = next((part for part in parts if part["metadata"]["type"] == "usage"), None)
    question = said.get(message.turn_id)
    value = cards.actions(message.turn_id, message.text, question, message.rating, spent)
    seq = spent["metadata"]["seq"] if spent else 0
    meta = {"type": "actions", "id": f"actions.{message.rating}.{question is None}", "seq": seq, "value": value}
    kept = [part for part in parts if part is not spent]
    return [*kept, {"role": "assistant", "content": "", "metadata": meta}]


def _stopped(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts of an answer that the person stopped: its words end where they were cut, and a mark says so.

    An answer that new words replaced says that by its request or question.
    """
    if any(_open_to_answer(part).get("state") == "superseded" for part in parts):
        return parts
    cut = [{**part, "metadata": {**part["metadata"], "cut": True}} for part in parts]
    at = next((i for i, part in enumerate(cut) if part["metadata"]["type"] == "usage"), len(cut))
    mark = {"type": "notice", "code": "stopped", "id": "stopped", "seq": 0, "status": "done"}
    return [*cut[:at], {"role": "assistant", "content": "", "metadata": mark}, *cut[at:]]


def _open_to_answer(part: Part) -> dict[str, Any]:
    meta = part["metadata"]
    return meta.get("approval") or meta.get("question") or {}


def _parts(message: Message) -> list[Part]:
    return message.parts if message.role == "assistant" else []
