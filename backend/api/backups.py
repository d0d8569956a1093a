"""Backups."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.api.deps import AdminEffect, Db, EditorEffect, EnvironmentId, InEnvironment, Limit, Offset, Viewer, WordId
from backend.api.responses import CHANGE, CREATE, READ, READ_ONE
from backend.db import backups
from backend.models.common import Outcome, Page, Preview
from backend.models.operations import Backup, BackupCreate, Restored, RestoreRequest
from backend.plans import backups as plans

router = APIRouter(tags=["backups"])
Since = Annotated[datetime | None, Query(description="Not older than this moment (ISO 8601).")]
Until = Annotated[datetime | None, Query(description="Older than this moment (ISO 8601).")]


@router.get("/backups", operation_id="list_backups", summary="List backups", responses=READ)
async def list_backups(
    person: Viewer,
    db: Db,
    environment: InEnvironment = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[Backup]:
    """Backups with date and size, newest first."""
    return await backups.search(db, environment=environment, since=since, until=until, limit=limit, offset=offset)


@router.get("/backups/{backup_id}", operation_id="get_backup", summary="Get a backup", responses=READ_ONE)
async def get_backup(person: Viewer, db: Db, backup_id: WordId, response: Response) -> Backup:
    """One backup."""
    found = await backups.get(db, backup_id)
    response.headers["ETag"] = found.etag
    return found


@router.post(
    "/environments/{environment}/backups",
    operation_id="create_backup",
    summary="Create a backup",
    status_code=201,
    response_model=Outcome[Backup],
    responses=CREATE,
)
async def create_backup(effect: EditorEffect, environment: EnvironmentId, body: BackupCreate) -> Response:
    """Take a backup of an environment's content."""
    return await effect.run(plans.create_backup, environment, body)


@router.post(
    "/backups/{backup_id}/restore",
    operation_id="restore_backup",
    summary="Restore a backup",
    response_model=Outcome[Restored] | Preview,
    responses=CHANGE,
)
async def restore_backup(effect: AdminEffect, backup_id: WordId, body: RestoreRequest) -> Response:
    """Set an environment's content back to a backup of it; what came later is lost."""
    return await effect.run(plans.restore_backup, backup_id, body)


@router.delete(
    "/backups/{backup_id}",
    operation_id="delete_backup",
    summary="Delete a backup",
    response_model=Outcome[None] | Preview,
    responses=CHANGE,
)
async def delete_backup(effect: AdminEffect, backup_id: WordId) -> Response:
    """Delete a backup for good."""
    return await effect.run(plans.delete_backup, backup_id)
