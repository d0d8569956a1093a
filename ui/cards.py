"""Protocol parts as the values that `static/js` draws. Data only: the browser builds every element itself."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from agent.views import Spent
from store.endings import Why
from tools.labels import field_label
from tools.toolset import Lang
from ui.strings import strings, words

Part = Mapping[str, Any]
Value = dict[str, Any]

ENDS: frozenset[str] = frozenset((*get_args(Why), "edited"))
CHANGED_MEANWHILE = 412
CONFIRM = {"confirm_required", "confirm_resolved"}


def worded(card: Part, lang: Lang) -> Part:
    """The card in the reader's language, when it was drawn in that too."""
    return {**card, **card.get("other", {}).get(lang, {})}


def confirm(part: Part, lang: Lang) -> Value:
    """A request for a signature, or its receipt."""
    meta = part["metadata"]
    approval = meta["approval"]
    card = worded(approval["card"], lang)
    return {
        "kind": "confirm",
        "id": approval["id"],
        "version": approval.get("version", 1),
        "state": approval["state"],
        "risk": card.get("risk", "danger"),
        "title": card.get("title", approval["tool"]),
        "lead": card.get("lead", ""),
        "approve": card.get("approve", approval["tool"]),
        "evidence": card.get("evidence", []),
        "reasons": card.get("reasons", []),
        "type_to_sign": card.get("type_to_sign"),
        "needs": card.get("needs"),
        "schema": _form(approval.get("args_schema"), lang),
        "call": {"tool": approval["tool"], "args": approval["args"], "sha256": approval["card_sha256"]},
        "expires_at": approval["expires_at"],
        "decided": _decided(approval),
        "reason": approval.get("reason"),
        "ended": _ended(approval),
        "result": _outcome(approval.get("result")),
        "offered": meta.get("offered"),
    }


def _form(schema: Part | None, lang: Lang) -> Value | None:
    """The schema of the edit form, its fields named for the reader; what fields are for is told in English only."""
    if not schema:
        return None
    dropped = {"title"} if lang == "en" else {"title", "description"}
    fields = schema.get("properties", {})
    named = {
        name: {"title": field_label(lang, name), **{key: part for key, part in field.items() if key not in dropped}}
        for name, field in fields.items()
    }
    return {**schema, "properties": named}


def _decided(approval: Part) -> Value | None:
    if not approval.get("decided_at"):
        return None
    return {"by": approval.get("decided_by") or "", "at": approval["decided_at"]}


def _ended(approval: Part) -> str | None:
    """Why a request ended although nobody decided on it, as the end of a key of the catalogue."""
    if approval["state"] not in ("expired", "superseded"):
        return None
    why = approval.get("reason")
    return why if why in ENDS else "time" if approval["state"] == "expired" else "other"


def _outcome(result: Part | None) -> Value | None:
    if not result:
        return None
    problem = result.get("problem") or {}
    text = result.get("summary") or problem.get("detail") or problem.get("title") or ""
    return {
        "ok": result.get("ok", True),
        "text": text,
        "stale": result.get("status") == CHANGED_MEANWHILE,
        "unknown": result.get("outcome_unknown", False),
        "undo": result.get("undo"),
        "undone": result.get("undone"),
    }


def batch(parts: Sequence[Part], lang: Lang) -> Value:
    """Several calls of one tool as one table."""
    items = [confirm(part, lang) for part in parts]
    return {
        "kind": "batch",
        "id": items[0]["id"],
        "label": items[0]["approve"],
        "risk": items[0]["risk"],
        "items": items,
    }


def ask(part: Part) -> Value:
    """A question of the agent."""
    return {"kind": "ask", **part["metadata"]["question"]}


def error(part: Part, turn_id: str | None) -> Value:
    """A turn that could not go on; with `turn_id` the person may try the same turn again.

    Its `id` makes a refusal that says the same as the one before it a new one, which the page draws.
    """
    meta = part["metadata"]
    shown = {"kind": "error", "id": meta["id"], "code": meta["code"], "text": part["content"], "ref": meta.get("ref")}
    return shown | {"retry": meta.get("retry", False), "turn_id": turn_id, "refused": turn_id is None}


def notice(part: Part, lang: Lang) -> Value:
    """Something to know, in the page's own words where it has some."""
    code = part["metadata"]["code"]
    text = words(f"notice.{code}", lang) if f"notice.{code}" in strings() else part["content"]
    return {"kind": "notice", "code": code, "text": text}


def usage(part: Part) -> Value:
    """Tokens of the turn."""
    names = ("model", "input", "cached", "reasoning", "output", "cost")
    return {"kind": "usage", **{name: part["metadata"].get(name) for name in names}}


def actions(turn_id: str, text: str, question: str | None, rating: int, spent: Part | None) -> Value:
    """What may be done with an answer, and what it cost; without a `question` its words cannot be edited here."""
    shown = {"kind": "actions", "turn_id": turn_id, "text": text, "question": question, "rating": rating}
    return shown | {"usage": usage(spent) if spent else None}


def reasoning(part: Part) -> Value:
    """What the model thought, folded."""
    return {"kind": "reasoning", "text": part["content"], "running": part["metadata"].get("status") == "pending"}


def view(
    conversation_id: str,
    version: str,
    earlier: int | None = None,
    *,
    older: bool = False,
    running: bool = False,
    spent: Spent | None = None,
) -> Value:
    """Which conversation and version this is, its tokens; where earlier messages are; whether newer are left out.

    `running` says that an answer is being written.
    """
    shown = {"kind": "view", "conversation": conversation_id, "version": version, "earlier": earlier, "older": older}
    if running:
        return shown | {"running": True}
    if spent is None or not spent.usage.input:
        return shown
    used = spent.usage
    return shown | {"spent": {"input": used.input, "cached": used.cached, "output": used.output, "cost": spent.cost}}
