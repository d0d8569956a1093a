"""What the scripted turns do, by the words of the message."""

import asyncio
import hashlib
import re
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.ui.fake_turns import FakeTurn, FakeTurns

RENAME_SCHEMA = {
    "type": "object",
    "required": ["dashboard_id", "name"],
    "properties": {
        "dashboard_id": {"type": "string", "title": "Dashboard"},
        "name": {"type": "string", "title": "Name", "maxLength": 60, "description": "Up to 60 characters"},
        "environment": {"type": "string", "title": "Environment", "enum": ["dev", "staging", "prod"]},
        "priority": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"type": "null"}], "title": "Priority"},
        "tags": {"type": "array", "items": {"type": "string"}, "title": "Tags"},
    },
}


async def answer_to(turn: "FakeTurn", turns: "FakeTurns") -> str:
    """Play the script for the message; the state that the turn ends in."""
    text = turn.text.lower()
    for word, script in SCRIPTS.items():
        if word in text:
            return await script(turn, turns)
    await say(turn, turns, "Hello. I looked at **nothing** and changed nothing.")
    return "succeeded"


async def reply(turn: "FakeTurn", turns: "FakeTurns") -> str:
    """Go on after all cards or the question were decided: run what was approved, then talk."""
    for part in list(turn.parts):
        approval = part["metadata"].get("approval")
        if approval and approval["state"] == "approved":
            turns.effects.append(approval["args"].get("dashboard_id", ""))
            result = {"ok": True, "text": "done", "summary": "Moved to the trash.", "undo": {"change_id": "c1"}}
            turn.touch(part, approval={**approval, "state": "consumed", "result": result})
    await say(turn, turns, "Understood, that is settled.")
    return "succeeded"


async def say(turn: "FakeTurn", turns: "FakeTurns", text: str) -> None:
    part = turn.put("stream_token", status="pending")
    said = ""
    for word in re.findall(r"\S+\s*", text):
        said += word
        turn.touch({**part, "content": said}, status="pending")
        await asyncio.sleep(turns.pace)
    turn.touch({**part, "content": said}, status="done")


async def quiet(turn: "FakeTurn", turns: "FakeTurns") -> str:
    """Nothing for two seconds."""
    await asyncio.sleep(2)
    await say(turn, turns, "Here I am.")
    return "succeeded"


async def slow(turn: "FakeTurn", turns: "FakeTurns") -> str:
    part = turn.put("stream_token", status="pending")
    said = ""
    for i in range(200):
        said += f"word{i} "
        turn.touch({**part, "content": said}, status="pending")
        await asyncio.sleep(0.1)
    turn.touch({**part, "content": said}, status="done")
    return "succeeded"


async def fast(turn: "FakeTurn", turns: "FakeTurns") -> str:
    """A hundred words a second for five seconds; every word is the time at which it was said, in milliseconds."""
    part = turn.put("stream_token", status="pending")
    said = ""
    for _ in range(500):
        said += f"t{int(time.time() * 1000)} "
        turn.touch({**part, "content": said}, status="pending")
        await asyncio.sleep(0.01)
    turn.touch({**part, "content": said}, status="done")
    return "succeeded"


async def tools(turn: "FakeTurn", turns: "FakeTurns") -> str:
    names = ["list_environments", "search_dashboards", "get_dashboard", "list_tasks"]
    for i, name in enumerate(names):
        meta = {"call_id": f"c{i}", "tool": name, "title": f"Step {name}", "args": {"limit": 20}}
        part = turn.put("tool_start", status="pending", **meta)
        await asyncio.sleep(turns.pace)
        rows = [{"id": f"d{j}", "name": f"Sales {j}", "views": j * 7} for j in range(4)]
        turn.touch(
            part, type="tool_end", status="done", duration=0.4, summary="4 found", data={"items": rows, "total": 31}
        )
    error = {"code": "timeout", "title": "The service did not answer in 10 s", "detail": "I went on without it."}
    turn.put("tool_error", call_id="c9", tool="read_favourites", title="Read favourites", error=error, duration=10.0)
    await say(turn, turns, "Four environments, **31** dashboards.\n\n| Name | Views |\n|---|---:|\n| Sales | 7 |\n")
    turn.put("usage", model="demo", input=1240, cached=0, reasoning=0, output=86)
    return "succeeded"


async def delete(turn: "FakeTurn", turns: "FakeTurns") -> str:
    await say(turn, turns, "I found it.")
    for name in re.sub(r".*delete ", "", turn.text.lower()).split(" and "):
        confirm(turn, "delete_dashboard", {"dashboard_id": name.strip()}, card(name.strip()))
    return "waiting_approval"


async def drop(turn: "FakeTurn", turns: "FakeTurns") -> str:
    name = turn.text.lower().split("drop ")[1].strip()
    facts = {"type": "facts", "items": [["Tables", 42], ["Rows", 18340221]]}
    shown = card(name) | {
        "title": f"Drop {name}?",
        "approve": f"Drop {name}",
        "type_to_sign": name,
        "evidence": [facts],
    }
    confirm(turn, "delete_dataset", {"dataset_id": name}, shown)
    return "waiting_approval"


async def rename(turn: "FakeTurn", turns: "FakeTurns") -> str:
    name = turn.text.lower().split("rename ")[1].strip()
    rows = [{"field": "Name", "before": "Revenue", "after": name}]
    shown = {
        "risk": "change", "title": f"Rename the dashboard to “{name}”?", "lead": "Links keep working.",
        "approve": "Rename dashboard", "evidence": [{"type": "fields", "rows": rows, "unchanged": 4}],
    }  # fmt: skip
    args = {"dashboard_id": "d1", "name": name, "environment": "dev", "tags": ["finance"]}
    confirm(turn, "update_dashboard", args, shown, schema=RENAME_SCHEMA)
    return "waiting_approval"


async def which(turn: "FakeTurn", turns: "FakeTurns") -> str:
    choices = [{"value": "gross", "label": "Gross revenue", "hint": "before refunds"}, {"value": "net", "label": "Net"}]
    question = {"id": str(uuid.uuid4()), "question": "Which “Revenue” do you mean?", "choices": choices, "free": True}
    turn.put("ask_user", call_id="q1", question={**question, "state": "pending", "answer": None})
    return "waiting_answer"


async def fail(turn: "FakeTurn", turns: "FakeTurns") -> str:
    text = "The connection broke after 30 s. Nothing was changed; your message is saved."
    turn.put("error", text, code="model", retry=True, ref="r-8842")
    return "failed"


def card(name: str) -> dict[str, Any]:
    items = [{"name": name, "meta": "last opened 14 March"}]
    return {
        "risk": "danger", "title": f"Delete the dashboard “{name}”?", "lead": "It goes to the trash.",
        "approve": "Delete dashboard", "evidence": [{"type": "list", "items": items}],
    }  # fmt: skip


def confirm(turn: "FakeTurn", tool: str, args: dict[str, Any], shown: dict[str, Any], schema=None) -> None:
    digest = hashlib.sha256(repr((turn.turn_id, args)).encode()).hexdigest()
    expires = (datetime.now(UTC) + timedelta(minutes=10)).isoformat()
    approval = {
        "id": str(uuid.uuid4()), "state": "pending", "version": 1, "tool": tool, "effect": "danger", "args": args,
        "args_schema": schema, "card": shown, "card_sha256": digest, "expires_at": expires,
    }  # fmt: skip
    turn.put("confirm_required", call_id=digest[:8], tool=tool, approval=approval)


SCRIPTS = {
    "quiet": quiet,
    "slow": slow,
    "fast": fast,
    "tools": tools,
    "delete": delete,
    "drop": drop,
    "rename": rename,
    "which": which,
    "fail": fail,
}
