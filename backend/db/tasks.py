"""Background tasks; their progress follows the database's clock."""

from datetime import timedelta
from typing import Any

from psycopg.types.json import Jsonb

from backend.database import Connection
from backend.db.search import Filter, page
from backend.models.common import Page, Resource
from backend.models.tasks import LogLine, Task, TaskKind, TaskState, TaskSummary
from backend.problems import Problem

Row = dict[str, Any]
QUEUE_DELAY = timedelta(seconds=2)
DURATION = {
    "validate_dashboard": timedelta(seconds=45),
    "document_dataset": timedelta(seconds=60),
    "make_thumbnails": timedelta(seconds=20),
}
SCRIPTS = {
    "validate_dashboard": ["opened {what}", "ran the queries of all charts", "compared totals with the datasets"],
    "document_dataset": ["read the columns of {what}", "profiled values", "wrote descriptions"],
    "make_thumbnails": ["opened {what}", "rendered charts", "stored pictures"],
}


async def search(
    connection: Connection,
    *,
    text: str | None,
    state: TaskState | None,
    kind: TaskKind | None,
    environment: str | None,
    started_by: str | None,
    limit: int,
    offset: int,
) -> Page[TaskSummary]:
    """Tasks, those that run or wait first, then the newest."""
    wanted = Filter().text(text).person(started_by, "started_by_id").add("state = %(state)s", state=state)
    wanted.add("kind = %(kind)s", kind=kind).add("environment = %(environment)s", environment=environment)
    order = "state in ('running', 'queued') desc, created_at desc, id desc"
    rows, total = await page(connection, "task_view", wanted, order, limit, offset)
    return Page(items=[TaskSummary(**row) for row in rows], total=total, limit=limit, offset=offset)


async def get(connection: Connection, task_id: int) -> Row:
    """One row of `task_view`; raises `Problem`."""
    found = await connection.execute("select * from task_view where id = %s", (task_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("task_not_found", id=task_id)
    return row


async def lock(connection: Connection, task_id: int) -> Row:
    """One row, locked until the transaction ends; raises `Problem`."""
    await connection.execute("select from tasks where id = %s for no key update", (task_id,))
    return await get(connection, task_id)


async def start(
    connection: Connection, *, kind: TaskKind, title: str, what: str, environment: str, targets: list[int], by: str
) -> Row:
    """Put a task into the queue; it starts by itself."""
    lines = [{"at": n / len(SCRIPTS[kind]), "text": text.format(what=what)} for n, text in enumerate(SCRIPTS[kind])]
    added = await connection.execute(
        "insert into tasks (kind, title, environment, target_ids, started_by, starts_at, duration, outcome, script)"
        " values (%s, %s, %s, %s, %s, clock_timestamp() + %s, %s, 'succeeded', %s) returning id",
        (kind, title, environment, targets, by, QUEUE_DELAY, DURATION[kind] * max(1, len(targets)), Jsonb(lines)),
    )
    row = await added.fetchone()
    assert row is not None
    return await get(connection, row["id"])


async def cancel(connection: Connection, task_id: int, by: str) -> Row:
    """Stop a task where it is."""
    await connection.execute(
        "update tasks set canceled_at = clock_timestamp(), canceled_by = %s where id = %s", (by, task_id)
    )
    return await get(connection, task_id)


def shape(row: Row) -> Task:
    """A row as it is answered, with the log up to its progress."""
    return Task(**row, log=_log(row))


def _log(row: Row) -> list[LogLine]:
    if row["started_at"] is None:
        return []
    lines = [
        LogLine(at=row["started_at"] + row["duration"] * line["at"], text=line["text"])
        for line in row["script"]
        if line["at"] <= row["done"]
    ]
    if row["finished_at"]:
        lines.append(LogLine(at=row["finished_at"], text=row["error"] or row["state"]))
    return lines


def reference(row: Row) -> Resource:
    """The task as the resource of a call."""
    return Resource(type="task", id=str(row["id"]), name=row["title"])
