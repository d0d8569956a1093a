"""Audit events."""

from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.backups import Since, Until
from backend.api.deps import Db, InEnvironment, Limit, Line, Offset, Viewer, Words
from backend.api.responses import READ
from backend.db import audit
from backend.models.audit import AuditEvent
from backend.models.common import Page

router = APIRouter(prefix="/audit-events", tags=["audit"])


@router.get("", operation_id="list_audit_events", summary="List audit events", responses=READ)
async def list_audit_events(
    person: Viewer,
    db: Db,
    text: Words = None,
    actor: Annotated[Line | None, Query(description="Login, name or e-mail of who did it.")] = None,
    action: Annotated[Line | None, Query(description="An operation.", examples=["delete_dashboard"])] = None,
    resource_type: Annotated[Line | None, Query(description="Kind of the thing.", examples=["dataset"])] = None,
    resource_id: Annotated[Line | None, Query(description="Id of the thing.", examples=["412"])] = None,
    environment: InEnvironment = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[AuditEvent]:
    """Who did what and when, through which service, and under which approval; newest first."""
    return await audit.search(
        db,
        text=text,
        actor=actor,
        action=action,
        resource_type=resource_type,
        resource_id=resource_id,
        environment=environment,
        since=since,
        until=until,
        limit=limit,
        offset=offset,
    )
