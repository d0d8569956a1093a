"""See what became of a call whose outcome nobody knows: read the thing that it was about, and change nothing."""

import json
from typing import Any

from agent.refused import Refused
from store.approvals import Approval
from tools.text import visible
from tools.toolset import ArgumentError, Call, ToolResult, Toolset

MOST = 30


async def look(toolset: Toolset, row: Approval, call: Call) -> dict[str, Any]:
    """One line and the evidence of how the thing is now, as this person may see it.

    Raises `Refused` when the outcome is known, or no tool reads the thing.
    """
    if not (row.result or {}).get("outcome_unknown"):
        raise Refused("outcome_known", call.lang)
    spec = toolset.specs.get(row.tool)
    reader = toolset.specs.get(spec.reader or "") if spec else None
    if reader is None:
        raise Refused("nothing_to_look_at", call.lang)
    given: dict[str, Any] = json.loads(row.args_jcs)
    known = reader.json_schema()["function"]["parameters"].get("properties", {})
    try:
        args = toolset.validate(reader.name, {name: value for name, value in given.items() if name in known})
    except ArgumentError:
        raise Refused("nothing_to_look_at", call.lang) from None
    return _shown(await toolset.call(reader.name, args, call))


def _shown(result: ToolResult) -> dict[str, Any]:
    problem = result.problem
    text = result.summary or (f"{problem.title} {problem.detail}".strip() if problem else "")
    return {"ok": result.ok, "text": visible(text), "evidence": _evidence(result.data) if result.ok else []}


def _evidence(data: Any) -> list[dict[str, Any]]:
    """An object as facts; of a table each row by its first cell."""
    if isinstance(data, dict) and isinstance(data.get("rows"), list):
        rows = data["rows"][:MOST]
        items = [
            {"name": str(row[0]), "meta": " · ".join(str(cell) for cell in row[1:] if cell is not None)}
            for row in rows
            if row
        ]
        return [{"type": "list", "items": items}]
    if isinstance(data, dict):
        plain = [[str(key), visible(value)] for key, value in data.items() if not isinstance(value, dict | list)]
        return [{"type": "facts", "items": plain[:MOST]}]
    return []
