"""A small workspace in memory that answers tool calls in the form in which a model gets to read them."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agent.demo.reply import Reply, reply_to
from tests.agent.demo.schemas import ALWAYS, checked, schema

TODAY = date(2026, 11, 30)
Row = dict[str, Any]


def _board(id: int, name: str, environment: str, owner: str = "Timur Galeev (t.galeev)", *tags: str) -> Row:
    return {"id": id, "name": name, "environment": environment, "owner": owner, "tags": list(tags), "charts": 7}


DASHBOARDS = [
    _board(88, "Sales Overview", "prod", "Karolina Nowak (k.nowak)", "finance"),
    _board(61, "Weekly Funnel", "prod"),
    _board(94, "Weekly Funnel (copy)", "dev"),
    _board(120, "Маржинальность SKU", "stage"),
    _board(133, "Retail Pulse", "dev", "Priya Nair (p.nair)", "retail"),
    _board(134, "Retail Basket", "dev", "Priya Nair (p.nair)", "retail"),
    _board(305, "Склад Екб", "prod"),
    _board(77, "Касса", "dev"),
    _board(141, "Воронка лидов", "dev"),
    _board(201, "Churn Cohorts", "dev"),
    _board(202, "Churn Cohorts", "prod"),
    _board(219, "Отток подписчиков", "dev"),
]
DATASETS = [
    {"id": 204, "name": "fact_orders", "environment": "dev", "schema": "core", "source": "1C", "row_count": 18_400_000},
    {"id": 205, "name": "mart_sales_daily", "environment": "prod", "schema": "dm_sales", "source": "Bitrix"},
    {"id": 340, "name": "tmp_ga4_backfill", "environment": "dev", "schema": "tmp", "source": "GA4"},
    {"id": 341, "name": "dim_customer", "environment": "prod", "schema": "core", "source": "Bitrix"},
    {"id": 342, "name": "Остатки по складам", "environment": "prod", "schema": "core", "source": "1C"},
]
USERS = [
    {"id": "m.zaytseva", "name": "Maria Zaytseva", "name_ru": "Мария Зайцева", "roles": ["editor"]},
    {"id": "r.guseynov", "name": "Ruslan Guseynov", "name_ru": "Руслан Гусейнов", "roles": ["viewer"]},
    {"id": "p.nair", "name": "Priya Nair", "name_ru": "Прия Наир", "roles": ["viewer"]},
    {"id": "o.trofimchuk", "name": "Olga Trofimchuk", "name_ru": "Ольга Трофимчук", "roles": ["viewer"]},
]
BACKUPS = [
    {"id": "bk-551", "environment": "stage", "created_at": "2026-11-29T03:00:00Z", "size_bytes": 3_400_000_000},
    {"id": "bk-550", "environment": "prod", "created_at": "2026-11-29T03:00:00Z", "size_bytes": 5_400_000_000},
    {"id": "bk-549", "environment": "stage", "created_at": "2026-11-28T03:00:00Z", "size_bytes": 3_300_000_000},
    {"id": "bk-548", "environment": "prod", "created_at": "2026-11-28T03:00:00Z", "size_bytes": 5_300_000_000},
    {"id": "bk-410", "environment": "dev", "created_at": "2026-03-14T03:00:00Z", "size_bytes": 1_000_000_000},
]
TASKS = [
    {"id": 9381, "kind": "validate_dashboard", "title": "Validate Sales Overview", "state": "running", "progress": 40},
    {"id": 9380, "kind": "make_thumbnails", "title": "Thumbnails of retail", "state": "succeeded", "progress": 100},
]
COMMITS = [
    {"id": "91be0d7" + "0" * 33, "short_id": "91be0d7", "message": "правки в ДДС", "author": "t.galeev"},
    {"id": "4fa91c2" + "0" * 33, "short_id": "4fa91c2", "message": "фильтры", "author": "m.zaytseva"},
]
DOCUMENT = {
    "id": "doc-shipments",
    "kind": "data_contract",
    "title": "Shipments data contract",
    "revision": 4,
    "content": {"freshness": "24h", "owner": "p.nair", "columns": ["id", "day"], "sla": {"deadline": "10:00"}},
    "attachments": [{"id": 31, "name": "pricing_notes.txt"}],
    "last_change": {"id": 2040, "summary": "freshness"},
}


def _fold(text: Any) -> str:
    return str(text).lower().replace("ё", "е")


def _search(rows: Sequence[Row], args: Mapping[str, Any]) -> Row:
    """Rows that hold all words of the text and have every other value that is asked for."""

    def fits(row: Row) -> bool:
        text = _fold(json.dumps(row, ensure_ascii=False))
        wanted = [*str(args.get("text", "")).split(), *str(args.get("owner", "")).split()]
        if not all(_fold(word) in text for word in wanted):
            return False
        same = all(row.get(k) == args[k] for k in ("environment", "state", "kind") if k in args)
        same = same and all(
            row.get(k) == args[a] for a, k in (("source_system", "source"), ("schema_name", "schema")) if a in args
        )
        inside = all(args[k] in row.get(f"{k}s", ()) for k in ("tag", "role") if k in args)
        day = str(row.get("created_at", ""))[:10]
        return same and inside and args.get("since", "") <= day and day <= args.get("until", "9")

    found = [row for row in rows if fits(row)]
    return {"total": len(found), "items": found}


def _one(rows: Sequence[Row], key: Any) -> Row | str:
    return next((row for row in rows if row["id"] == key), "Error 404 not_found: There is no such thing\nLook it up.")


def _dashboard(args: Mapping[str, Any]) -> Row | str:
    row = _one(DASHBOARDS, args["dashboard_id"])
    return row if isinstance(row, str) else {**row, "last_change": {"id": 2041, "summary": "rename"}}


def _document(args: Mapping[str, Any]) -> Row | str:
    known = _fold(DOCUMENT["title"]) + " " + DOCUMENT["id"] + " контракт отгрузки"
    if all(_fold(word) in known for word in args["document"].split()):
        return DOCUMENT
    return "Error 404 document_not_found: There is no such document"


def _plan(args: Mapping[str, Any]) -> Row:
    return {**args, "create": [{"id": 1, "name": "Retail Pulse"}], "update": [], "unchanged": [], "warnings": []}


READS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "list_environments": lambda args: {"total": 1, "items": [{"id": "prod", "version": "5.2.1", "state": "ok"}]},
    "check_environment_health": lambda args: {
        "environment": args["environment"],
        "state": "ok",
        "checks": [{"name": "disk", "state": "warning", "detail": "81% used"}],
    },
    "search_dashboards": lambda args: _search(DASHBOARDS, args),
    "get_dashboard": _dashboard,
    "search_datasets": lambda args: _search(DATASETS, args),
    "get_dataset": lambda args: _one(DATASETS, args["dataset_id"]),
    "plan_migration": _plan,
    "list_backups": lambda args: _search(BACKUPS, args),
    "list_tasks": lambda args: _search(TASKS, args),
    "get_task": lambda args: _one(TASKS, args["task_id"]),
    "list_changes": lambda args: {
        "environment": args["environment"],
        "uncommitted": [{"id": 2041, "summary": "Renamed Касса"}],
        "commits": COMMITS,
        "total": len(COMMITS),
    },
    "list_users": lambda args: _search(USERS, args),
    "read_document": _document,
    "read_attachment": lambda args: {
        "attachment": DOCUMENT["attachments"][0],
        "text": "Margins are net.",
        "pages": None,
    },
    "list_audit_events": lambda args: {"total": 0, "items": []},
    "show_capabilities": lambda args: "Look up environments; delete dashboards with your approval.",
    "find_tools": lambda args: "Found.",
}


def _outcome(tool: str, args: Mapping[str, Any]) -> Row:
    resource = {"type": "dashboard", "id": args.get("dashboard_id", 1), "name": ""}
    return {"done": True, "operation": tool, "message": f"{tool} is done", "change_id": 2099, "resource": resource}


def answer(tool: str, args: Mapping[str, Any]) -> str:
    """What the tool answers: JSON, or an error in words; a change is done at once."""
    told = READS[tool](args) if tool in READS else _outcome(tool, args)
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)


class Chat:
    """A conversation with the demo model against the small workspace. `answers` are what the person answers."""

    def __init__(self, tools: Sequence[str], answers: Sequence[str] = (), denied: Sequence[str] = ()):
        self.tools = [schema(name) for name in (*tools, *(t for t in ALWAYS if t not in tools))]
        self.messages: list[BaseMessage] = []
        self.answers = list(answers)
        self.denied = denied
        self.rounds: list[list[tuple[str, dict[str, Any]]]] = []

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """All calls so far, in order."""
        return [call for calls in self.rounds for call in calls]

    def say(self, text: str) -> str:
        """One turn: the model's calls are answered until it speaks."""
        self.messages.append(HumanMessage(text))
        for _ in range(20):
            reply = reply_to(self.messages, self.tools, TODAY)
            if not reply.calls:
                self.messages.append(AIMessage(reply.text))
                return reply.text
            self._answer(reply)
        raise AssertionError("the model did not come to an end")

    def _answer(self, reply: Reply) -> None:
        calls = [{"name": c.tool, "args": dict(c.args), "id": uuid4().hex} for c in reply.calls]
        self.rounds.append([(c["name"], c["args"]) for c in calls])
        kept = [{**c, "args": checked(c["name"], c["args"])} for c in calls]
        self.messages.append(AIMessage("", tool_calls=kept))
        for call in calls:
            text, status = self._result(call["name"], call["args"])
            self.messages.append(ToolMessage(text, tool_call_id=call["id"], name=call["name"], status=status))

    def _result(self, tool: str, args: Mapping[str, Any]) -> tuple[str, Any]:
        if tool == "ask_user_question":
            return f"The person answered: {self.answers.pop(0)}", "success"
        if tool in self.denied:
            return (
                "The person denied this call; nothing ran.\nReason: finance still needs it\n"
                "The call was about <tool_result>Retail <b>Pulse</tool_result>\nDo not repeat it.",
                "error",
            )
        text = answer(tool, args)
        return text, "error" if text.startswith("Error") else "success"


__all__ = ["TODAY", "Chat", "answer"]
