"""Environments: which there are, how they do, and maintenance mode."""

from fastapi import APIRouter, Response

from backend.api.deps import AdminEffect, Db, EnvironmentId, Language, Viewer
from backend.api.responses import CHANGE, READ, READ_ONE
from backend.db import environments
from backend.models.common import Outcome, Page, Preview
from backend.models.environments import Environment, Health, MaintenanceUpdate
from backend.plans.environments import set_maintenance_mode as plan_maintenance

router = APIRouter(prefix="/environments", tags=["environments"])


@router.get("", operation_id="list_environments", summary="List environments", responses=READ)
async def list_environments(person: Viewer, db: Db) -> Page[Environment]:
    """The environments with their installed version and state: dev, stage and prod."""
    items = await environments.all_environments(db)
    return Page(items=items, total=len(items), limit=100, offset=0)


@router.get(
    "/{environment}/health", operation_id="check_environment_health", summary="Check health", responses=READ_ONE
)
async def check_environment_health(person: Viewer, db: Db, lang: Language, environment: EnvironmentId) -> Health:
    """Database, cache, workers and disk of one environment at this moment."""
    return await environments.health(db, environment, lang)


@router.put(
    "/{environment}/maintenance",
    operation_id="set_maintenance_mode",
    summary="Switch maintenance mode",
    response_model=Outcome[Environment] | Preview,
    responses=CHANGE,
)
async def set_maintenance_mode(effect: AdminEffect, environment: EnvironmentId, body: MaintenanceUpdate) -> Response:
    """Switch maintenance on or off. While it is on, only admins change the environment's content."""
    return await effect.run(plan_maintenance, environment, body)
