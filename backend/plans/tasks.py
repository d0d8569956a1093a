"""Starting and canceling background tasks."""

from typing import Any

from backend.db import dashboards, datasets, environments, tasks
from backend.effects import Act, Done, Plan
from backend.models.common import MOST_NAMES, FieldChange, Preview
from backend.models.tasks import TaskStart
from backend.problems import Problem


async def start_task(act: Act, body: TaskStart) -> Plan:
    """Put a task into the queue, for one thing or for all dashboards with a tag."""
    act.match_nothing()
    targets = await _targets(act, body)
    if not targets:
        raise Problem("dashboard_not_found", id=f"tag {body.tag}")
    environment = targets[0]["environment"]
    await environments.lock_open(act, environment)
    what = targets[0]["name"] if body.target_id else f"{body.tag} ({len(targets)})"
    title = act.say(f"task_{body.kind}", what=what)

    async def apply() -> Done:
        ids = [target["id"] for target in targets]
        row = await tasks.start(
            act.connection,
            kind=body.kind,
            title=title,
            what=what,
            environment=environment,
            targets=ids,
            by=act.person.id,
        )
        message = act.say("task_started", id=row["id"], title=title)
        return Done(
            tasks.shape(row), tasks.reference(row), message, etag=row["etag"], environment=environment, status=201
        )

    names = [target["name"] for target in targets]
    preview = Preview(
        operation=act.operation,
        environment=environment,
        counts={"targets": len(names)},
        first_names=names[:MOST_NAMES],
        reversible=True,
    )
    return Plan(preview, apply)


async def _targets(act: Act, body: TaskStart) -> list[dict[str, Any]]:
    if body.kind == "document_dataset" and body.target_id is not None:
        return [await datasets.get(act.connection, body.target_id)]
    if body.target_id is not None:
        return [await dashboards.get(act.connection, body.target_id)]
    return await dashboards.in_environment(act.connection, body.environment or "", [], body.tag)


async def cancel_task(act: Act, task_id: int) -> Plan:
    """Stop a queued or running task; what it did so far stays."""
    row = await tasks.lock(act.connection, task_id)
    act.match(row["etag"], tasks.reference(row))
    if row["state"] not in ("queued", "running"):
        raise Problem("task_finished", id=task_id, state=row["state"])

    async def apply() -> Done:
        ended = await tasks.cancel(act.connection, task_id, act.person.id)
        return Done(
            tasks.shape(ended),
            tasks.reference(ended),
            act.say("task_canceled", id=task_id, title=row["title"], progress=ended["progress"]),
            etag=ended["etag"],
            changed=["state"],
            environment=row["environment"],
            details={"progress": ended["progress"]},
        )

    preview = Preview(
        operation=act.operation,
        resource=tasks.reference(row),
        environment=row["environment"],
        etag=row["etag"],
        changes=[FieldChange(field="state", before=row["state"], after="canceled")],
        counts={"progress_percent": row["progress"]},
        reversible=False,
        irreversible_note=act.say("cancel_irreversible"),
    )
    return Plan(preview, apply)
