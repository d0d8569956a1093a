"""Tool calls that followed each other, with the thoughts between them, as the value of one card."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tools.results import found
from tools.toolset import Lang
from ui.facts import facts

Part = Mapping[str, Any]
Value = dict[str, Any]
Titles = Mapping[str, Mapping[str, str]]

TOOLS = {"tool_start": "running", "tool_end": "done", "tool_error": "failed"}
SOURCES = {"read_document", "read_attachment", "read_chat_file"}
SHOWN_ROWS = 20
ICONS = {
    "list": "list", "search": "search", "find": "search", "get": "page", "read": "page", "check": "page",
    "delete": "trash", "remove": "trash", "undo": "swap", "rollback": "swap", "restore": "swap", "migration": "swap",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def steps(parts: Sequence[Part], lang: Lang, titles: Titles) -> Value:
    """One card for calls and thoughts; `titles` are what tools are called, by name and language."""
    rows = [_step(part, lang, titles) if is_tool(part) else _thought(part) for part in parts]
    sources = list(dict.fromkeys(name for part in parts if (name := _source(part))))
    return {"kind": "steps", "id": rows[0]["id"], "steps": rows, "sources": sources}


def is_tool(part: Part) -> bool:
    """Whether this is a call of a tool."""
    return (part.get("metadata") or {}).get("type") in TOOLS


def is_thought(part: Part) -> bool:
    """Whether these are words that the model thought."""
    return bool((part.get("metadata") or {}).get("reasoning"))


def _thought(part: Part) -> Value:
    meta = part["metadata"]
    return {"kind": "thought", "id": meta["id"], "text": part["content"], "running": meta.get("status") == "pending"}


def _step(part: Part, lang: Lang, titles: Titles) -> Value:
    meta = part["metadata"]
    step = {
        "id": meta["id"],
        "tool": meta["tool"],
        "icon": _icon(meta["tool"], meta.get("effect", "read")),
        "state": TOOLS[meta["type"]],
        "label": _label(meta, lang, titles.get(meta["tool"], {})),
        "duration": meta.get("duration"),
        "args": meta.get("args") or {},
        "patch": _patch(meta.get("args") or {}),
        "offered": meta.get("offered"),
    }
    error = meta.get("error")
    if error:
        step |= {"error": error.get("title") or error.get("code", ""), "help": error.get("detail", "")}
    return step | _result(meta.get("data"), lang)


def _icon(tool: str, effect: str) -> str:
    """The kind of a tool by the first word of its name that tells it, else by whether it changes something."""
    told = next((ICONS[word] for word in _WORD.findall(tool.lower()) if word in ICONS), None)
    return told or ("page" if effect == "read" else "pen")


def _label(meta: Part, lang: Lang, titles: Mapping[str, str]) -> str:
    """What the tool is called and what came of it; a count is worded here, other words stay as they came."""
    title, summary = titles.get(lang) or meta.get("title") or meta["tool"], meta.get("summary")
    data = meta.get("data")
    total = data.get("total") if isinstance(data, dict) else None
    if isinstance(total, int) and summary in (found("en", total), found("ru", total), str(total)):
        summary = found(lang, total)
    return f"{title}: {summary}" if summary else title


def _source(part: Part) -> str | None:
    """The name of the document or file that a call read; several matches to choose from are none."""
    meta = part["metadata"]
    if meta["type"] != "tool_end" or meta["tool"] not in SOURCES or "rows" in (meta.get("data") or {}):
        return None
    return meta.get("summary")


def _patch(args: Part) -> Value | None:
    """The operations of a JSON Patch (RFC 6902) among the arguments, one row each."""
    patch = args.get("patch")
    if not isinstance(patch, list) or not patch or not all(isinstance(o, dict) and "path" in o for o in patch):
        return None
    return {"type": "jsonpath", "doc": str(args.get("document_id", "")), "changes": [_operation(o) for o in patch]}


def _operation(operation: Part) -> Value:
    op, path = str(operation.get("op")), str(operation["path"]) or "/"
    if op in ("move", "copy"):
        return {"op": op, "path": f"{operation.get('from')} → {path}"}
    return {"op": op, "path": path, **({"after": operation["value"]} if "value" in operation else {})}


def _result(data: Any, lang: Lang) -> Value:
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
    return {"result": data, **({"facts": facts(data, lang)} if isinstance(data, dict) else {})}


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
