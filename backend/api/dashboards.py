"""Dashboards."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.api.deps import Db, EditorEffect, InEnvironment, Language, Limit, Line, NumberId, Offset, Viewer, Words
from backend.api.responses import CHANGE, CREATE, READ, READ_ONE
from backend.db import dashboards
from backend.models.common import Outcome, Page, Preview
from backend.models.dashboards import Dashboard, DashboardCreate, DashboardSummary, DashboardUpdate
from backend.plans import dashboards as plans

router = APIRouter(prefix="/dashboards", tags=["dashboards"])


@router.get("", operation_id="search_dashboards", summary="Search dashboards", responses=READ)
async def search_dashboards(
    person: Viewer,
    db: Db,
    text: Words = None,
    owner: Annotated[Line | None, Query(description="Login, name or e-mail of the owner, or a part of it.")] = None,
    tag: Annotated[Line | None, Query(description="A tag.", examples=["retail"])] = None,
    environment: InEnvironment = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[DashboardSummary]:
    """Dashboards by the words of their name, description, tags or id, by owner, tag and environment."""
    return await dashboards.search(
        db, text=text, owner=owner, tag=tag, environment=environment, limit=limit, offset=offset
    )


@router.get("/{dashboard_id}", operation_id="get_dashboard", summary="Get a dashboard", responses=READ_ONE)
async def get_dashboard(
    person: Viewer, db: Db, lang: Language, dashboard_id: NumberId, response: Response
) -> Dashboard:
    """One dashboard: charts, datasets, owner, its copies in other environments and its last change."""
    found = await dashboards.read(db, dashboard_id, lang)
    response.headers["ETag"] = found.etag
    return found


@router.post(
    "",
    operation_id="create_dashboard",
    summary="Create a dashboard",
    status_code=201,
    response_model=Outcome[Dashboard],
    responses=CREATE,
)
async def create_dashboard(effect: EditorEffect, body: DashboardCreate) -> Response:
    """Create an empty dashboard, or one with the charts of a template."""
    return await effect.run(plans.create_dashboard, body)


@router.patch(
    "/{dashboard_id}",
    operation_id="update_dashboard",
    summary="Update a dashboard",
    response_model=Outcome[Dashboard] | Preview,
    responses=CHANGE,
)
async def update_dashboard(effect: EditorEffect, dashboard_id: NumberId, body: DashboardUpdate) -> Response:
    """Rename, retag, describe or hand over a dashboard; only the fields given change."""
    return await effect.run(plans.update_dashboard, dashboard_id, body)


@router.delete(
    "/{dashboard_id}",
    operation_id="delete_dashboard",
    summary="Delete a dashboard",
    response_model=Outcome[None] | Preview,
    responses=CHANGE,
)
async def delete_dashboard(effect: EditorEffect, dashboard_id: NumberId) -> Response:
    """Delete a dashboard in its environment; `undo_change` brings it back."""
    return await effect.run(plans.delete_dashboard, dashboard_id)
