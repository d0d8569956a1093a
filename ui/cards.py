"""Protocol parts as the values that `static/js` draws. Data only: the browser builds every element itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.labels import field_label
from tools.results import found
from tools.toolset import Lang
from ui.strings import strings, words

Part = Mapping[str, Any]
Value = dict[str, Any]

TOOLS = {"tool_start": "running", "tool_end": "done", "tool_error": "failed"}
CONFIRM = {"confirm_required", "confirm_resolved"}
SHOWN_ROWS = 20
Titles = Mapping[str, Mapping[str, str]]


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


def _outcome(result: Part | None) -> Value | None:
    if not result:
        return None
    problem = result.get("problem") or {}
    text = result.get("summary") or problem.get("detail") or problem.get("title") or ""
    return {
        "ok": result.get("ok", True),
        "text": text,
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


def steps(parts: Sequence[Part], lang: Lang, titles: Titles) -> Value:
    """Tool calls that followed each other; `titles` are what tools are called, by name and language."""
    rows = [_step(part, lang, titles) for part in parts]
    return {"kind": "steps", "id": rows[0]["id"], "steps": rows}


def _step(part: Part, lang: Lang, titles: Titles) -> Value:
    meta = part["metadata"]
    step = {
        "id": meta["id"],
        "tool": meta["tool"],
        "state": TOOLS[meta["type"]],
        "label": _label(meta, lang, titles.get(meta["tool"], {})),
        "duration": meta.get("duration"),
        "args": meta.get("args") or {},
        "offered": meta.get("offered"),
    }
    error = meta.get("error")
    if error:
        step |= {"error": error.get("title") or error.get("code", ""), "help": error.get("detail", "")}
    return step | _result(meta.get("data"))


def _label(meta: Part, lang: Lang, titles: Mapping[str, str]) -> str:
    """What the tool is called and what came of it; a count is worded here, other words stay as they came."""
    title, summary = titles.get(lang) or meta.get("title") or meta["tool"], meta.get("summary")
    data = meta.get("data")
    total = data.get("total") if isinstance(data, dict) else None
    if isinstance(total, int) and summary in (found("en", total), found("ru", total), str(total)):
        summary = found(lang, total)
    return f"{title}: {summary}" if summary else title


def _result(data: Any) -> Value:
    """A list of objects is a table, changed paths are rows, an object is a list of its facts."""
    if data is None:
        return {}
    if isinstance(data, dict) and {"columns", "rows"} <= data.keys():
        return {"table": {**data, "rows": data["rows"][:SHOWN_ROWS]}}
    rows, total = _rows(data)
    if rows:
        return {"table": _table(rows, total)}
    if isinstance(data, dict) and isinstance(data.get("changed"), list):
        return {"changes": [str(path) for path in data["changed"]], "result": data}
    return {"result": data}


def _rows(data: Any) -> tuple[list[Part], int]:
    total = 0
    if isinstance(data, dict):
        total = data.get("total") or 0
        data = data.get("items")
    if not isinstance(data, list) or not data or not all(isinstance(row, dict) and row for row in data):
        return [], 0
    return data, max(total if isinstance(total, int) else 0, len(data))


def _table(rows: list[Part], total: int) -> Value:
    columns = [name for name in rows[0] if any(_flat(row.get(name)) for row in rows)]
    cells = [[row.get(name) if _flat(row.get(name)) else None for name in columns] for row in rows[:SHOWN_ROWS]]
    return {"columns": columns, "rows": cells, "total": total}


def _flat(value: Any) -> bool:
    return value is not None and not isinstance(value, (dict, list))


def ask(part: Part) -> Value:
    """A question of the agent."""
    return {"kind": "ask", **part["metadata"]["question"]}


def error(part: Part, turn_id: str | None) -> Value:
    """A turn that could not go on; with `turn_id` the person may try the same turn again."""
    meta = part["metadata"]
    shown = {"kind": "error", "code": meta["code"], "text": part["content"], "ref": meta.get("ref")}
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


def view(conversation_id: str, version: str, earlier: int | None = None, *, older: bool = False) -> Value:
    """Which conversation and version this is; where earlier messages are; whether newer ones are left out."""
    return {"kind": "view", "conversation": conversation_id, "version": version, "earlier": earlier, "older": older}
