"""Migrations between environments."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from backend.api.deps import Db, EditorEffect, Language, Line, Viewer
from backend.api.responses import CREATE, READ_ONE, refusals
from backend.models.common import ENVIRONMENT_IDS, PROTECTED, Outcome
from backend.models.operations import MigrationPlan, MigrationRequest
from backend.people import Role
from backend.plans import migrations as plans

router = APIRouter(prefix="/migrations", tags=["migrations"])


@router.get("/plan", operation_id="plan_migration", summary="Plan a migration", responses={**READ_ONE, **refusals(409)})
async def plan_migration(
    person: Viewer,
    db: Db,
    lang: Language,
    response: Response,
    source: Annotated[ENVIRONMENT_IDS, Query(description="Copy from here.")],
    target: Annotated[ENVIRONMENT_IDS, Query(description="Copy to here.")],
    dashboard_ids: Annotated[list[int], Query(description="Dashboards of the source; or give `tag`.")] = [],  # noqa: B006
    tag: Annotated[Line | None, Query(description="All dashboards of the source with this tag.")] = None,
) -> MigrationPlan:
    """What copying dashboards with their datasets to another environment would change. Changes nothing."""
    try:
        request = MigrationRequest(source=source, target=target, dashboard_ids=dashboard_ids, tag=tag)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    plan = await plans.plan_migration(db, request, lang)
    response.headers["ETag"] = plan.etag
    return plan


@router.post(
    "",
    operation_id="run_migration",
    summary="Run a migration",
    status_code=201,
    response_model=Outcome[MigrationPlan],
    responses=CREATE,
)
async def run_migration(effect: EditorEffect, body: MigrationRequest) -> Response:
    """Copy dashboards with their datasets to another environment; into prod only as a publisher or an admin."""
    if body.target == PROTECTED:
        effect.call.person.require(Role.PUBLISHER)
    return await effect.run(plans.run_migration, body)
