"""Every state of every card, in English and Russian: one conversation each, for looking at and for screenshots."""

import hashlib
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from store.usage import Spent
from tests.ui.fake_turns import FakeConversation, FakeTurn
from tests.ui.gallery_words import CARDS, FORM, KINDS, QUESTION, STEPS, Words, pick
from tools.toolset import Lang

NUMBERS = count()
EXPIRES = (datetime.now(UTC) + timedelta(minutes=9, seconds=40)).isoformat()
AT = datetime.now(UTC).replace(hour=12, minute=2).isoformat()
DECIDED = {"decided_at": AT}
BY: Words = ("Anna Petrova", "Анна Петрова")
UNDO = {"tool": "undo_change", "args": {"change_id": "c1"}}


def gallery(owner: str, lang: Lang) -> dict[str, FakeConversation]:
    """State -> a conversation that shows it."""
    return {name: _conversation(owner, name, make, lang) for name, make in STATES.items()}


def _conversation(owner: str, name: str, make: Any, lang: Lang) -> FakeConversation:
    conversation = FakeConversation(owner, title=name)
    turn = FakeTurn(conversation, name, f"{pick(CARDS['said'], lang)} ({name})", "succeeded")
    make(turn, lang)
    if any(part["metadata"]["type"] in ("confirm_required", "ask_user") for part in turn.parts):
        turn.state = "waiting_approval"
    conversation.turns.append(turn)
    return conversation


def spent(owner: str) -> list[Spent]:
    """Tokens of a month, less at its weekends, by two models."""
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=n) for n in range(29, -1, -1)]
    return [
        Spent(day, model, owner, "Ilya Sorokin", n // 300, n // 900, n, n // 3, n // 60, n // 20)
        for at, day in enumerate(days)
        for model, n in (("gpt-small", 9000 + at * 731 % 5000), ("gpt-large", 0 if day.weekday() > 4 else 4000))
        if n
    ]


def approval(card: str, lang: Lang, state: str = "pending", **more: Any) -> dict[str, Any]:
    shown = pick(CARDS[card], lang)
    args = shown.pop("args")
    digest = hashlib.sha256(f"{card}{lang}".encode()).hexdigest()
    return {
        "id": f"{card}-{next(NUMBERS)}", "state": state, "version": 1, "tool": shown.pop("tool"),
        "effect": "danger",
        "args": args, "card": shown, "card_sha256": digest, "expires_at": EXPIRES, **more,
    }  # fmt: skip


def one(card: str, state: str = "pending", **more: Any) -> Any:
    """A conversation with one request in that state; words in `more` are chosen by language."""

    def make(turn: FakeTurn, lang: Lang) -> None:
        said = {name: pick(value, lang) for name, value in more.items()}
        if state not in ("pending", "expired", "superseded"):
            said |= {**DECIDED, "decided_by": pick(BY, lang)}
        shown = approval(card, lang, state, **said)
        kind = "confirm_required" if state == "pending" else "confirm_resolved"
        turn.put("stream_token", pick(CARDS["intro"], lang))
        turn.put(kind, call_id="c1", tool=shown["tool"], approval=shown)

    return make


def result(text: Words, **more: Any) -> tuple[dict, dict]:
    return tuple({"ok": True, "summary": words, **more} for words in text)  # type: ignore[return-value]


def batch(turn: FakeTurn, lang: Lang) -> None:
    for i in range(3):
        shown = approval("delete", lang, edited=i)
        shown = {
            **shown,
            "id": f"batch-{i}",
            "card": {**shown["card"], "title": f"{shown['card']['title'][:-1]} {i + 1}?"},
        }
        turn.put("confirm_required", call_id=f"c{i}", tool=shown["tool"], approval=shown)


def settled_batch(turn: FakeTurn, lang: Lang) -> None:
    for i, state in enumerate(("consumed", "denied", "failed")):
        shown = {**approval("delete", lang, state, **DECIDED), "id": f"settled-{i}"}
        turn.put("confirm_resolved", call_id=f"c{i}", tool=shown["tool"], approval=shown)


def superseded(turn: FakeTurn, lang: Lang) -> None:
    one("delete", "superseded")(turn, lang)
    shown = approval("fields", lang)
    turn.put("confirm_required", call_id="c2", tool=shown["tool"], approval=shown)


def question(turn: FakeTurn, lang: Lang, answer: str | None = None) -> None:
    asked = {"id": "q1", "state": "answered" if answer else "pending", "answer": answer, "free": True}
    turn.put("ask_user", call_id="q1", question=asked | pick(QUESTION, lang))


def steps(turn: FakeTurn, lang: Lang) -> None:
    for kind, meta in pick(STEPS, lang):
        turn.put(kind, call_id=str(len(turn.parts)), **meta)
    turn.put("stream_token", pick(CARDS["intro"], lang))
    turn.put("usage", model="gpt", input=12480, cached=9000, reasoning=320, output=1906, cost=0.04)


def single(turn: FakeTurn, lang: Lang) -> None:
    kind, meta = pick(STEPS, lang)[1]
    turn.put(kind, call_id="c", **meta)
    turn.put("notice", pick(CARDS["notice"], lang), code="context_cut")
    turn.put("stream_token", pick(CARDS["thoughts"], lang), reasoning=True)


def kinds(turn: FakeTurn, lang: Lang) -> None:
    """Thoughts and every kind of call in one group."""
    turn.put("stream_token", pick(CARDS["thoughts"], lang), reasoning=True)
    for kind, meta in pick(KINDS, lang):
        turn.put(kind, call_id=str(len(turn.parts)), **meta)
    turn.put("stream_token", pick(CARDS["thoughts"], lang), reasoning=True)
    turn.put("stream_token", pick(CARDS["intro"], lang))


def running(turn: FakeTurn, lang: Lang) -> None:
    for kind, meta in pick(STEPS, lang)[:2]:
        turn.put(kind, call_id=str(len(turn.parts)), **meta)
    turn.put("tool_start", call_id="r", status="pending", tool="list_tasks", title=pick(CARDS["running"], lang))


def failed(turn: FakeTurn, lang: Lang) -> None:
    turn.put("error", pick(CARDS["error"], lang), code="model", retry=True, ref="r-8842")


STATES = {
    "pending": one("delete"),
    "fields": one("fields"),
    "moved": one("moved"),
    "document": one("document"),
    "bulk": one("bulk"),
    "typed": one("typed"),
    "form": one("form", args_schema=FORM),
    "form_wrong": one("form", args_schema=FORM),
    "form_changed": one("form", args_schema=FORM),
    "edited": one("form", version=2, args_schema=FORM),
    "reason": one("delete"),
    "typed_wrong": one("typed"),
    "signing": one("delete"),
    "denying": one("delete"),
    "unsignable": one("needs"),
    "batch": batch,
    "batch_settled": settled_batch,
    "approved": one("delete", "consumed", result=result(CARDS["deleted"], undo=UNDO)),
    "running_now": one("delete", "approved"),
    "call_failed": one("delete", "failed", result=result(CARDS["locked"], ok=False)),
    "undone": one("delete", "consumed", result=result(CARDS["back"], undone={"n": "Anna Petrova", "t": AT})),
    "denied": one("delete", "denied", reason=CARDS["reason"]),
    "expired": one("delete", "expired"),
    "superseded": superseded,
    "question": question,
    "answered": lambda turn, lang: question(turn, lang, "net"),
    "steps": steps,
    "single": single,
    "kinds": kinds,
    "patched": kinds,
    "running": running,
    "error": failed,
}
