"""Background tasks."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.api.deps import (
    AnalystEffect,
    Db,
    EditorEffect,
    InEnvironment,
    Limit,
    Line,
    NumberId,
    Offset,
    Viewer,
    Words,
)
from backend.api.responses import CHANGE, CREATE, READ, READ_ONE
from backend.db import tasks
from backend.models.common import Outcome, Page, Preview
from backend.models.tasks import Task, TaskKind, TaskStart, TaskState, TaskSummary
from backend.plans import tasks as plans

router = APIRouter(prefix="/tasks", tags=["tasks"])


@router.get("", operation_id="list_tasks", summary="List tasks", responses=READ)
async def list_tasks(
    person: Viewer,
    db: Db,
    text: Words = None,
    state: Annotated[TaskState | None, Query(description="Only tasks in this state.")] = None,
    kind: Annotated[TaskKind | None, Query(description="Only tasks of this kind.")] = None,
    environment: InEnvironment = None,
    started_by: Annotated[Line | None, Query(description="Login, name or e-mail of who started it.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[TaskSummary]:
    """Background tasks: those that run or wait first, then the newest."""
    return await tasks.search(
        db,
        text=text,
        state=state,
        kind=kind,
        environment=environment,
        started_by=started_by,
        limit=limit,
        offset=offset,
    )


@router.get("/{task_id}", operation_id="get_task", summary="Get a task", responses=READ_ONE)
async def get_task(person: Viewer, db: Db, task_id: NumberId, response: Response) -> Task:
    """State, progress and log of one background task."""
    found = tasks.shape(await tasks.get(db, task_id))
    response.headers["ETag"] = found.etag
    return found


@router.post(
    "",
    operation_id="start_task",
    summary="Start a task",
    status_code=201,
    response_model=Outcome[Task],
    responses=CREATE,
)
async def start_task(effect: AnalystEffect, body: TaskStart) -> Response:
    """Validate a dashboard, document a dataset or make thumbnails, in the background."""
    return await effect.run(plans.start_task, body)


@router.post(
    "/{task_id}/cancel",
    operation_id="cancel_task",
    summary="Cancel a task",
    response_model=Outcome[Task] | Preview,
    responses=CHANGE,
)
async def cancel_task(effect: EditorEffect, task_id: NumberId) -> Response:
    """Stop a queued or running task."""
    return await effect.run(plans.cancel_task, task_id)
