"""Changes of content, commits, rollback and undo."""

from fastapi import APIRouter, Response

from backend.api.deps import AdminEffect, Db, EditorEffect, EnvironmentId, Language, Limit, NumberId, Offset, Viewer
from backend.api.responses import CHANGE, CREATE, READ_ONE
from backend.db import changes, commits, environments
from backend.models.common import Change, Outcome, Preview
from backend.models.operations import Changes, Commit, CommitCreate, Restored, RollbackRequest
from backend.plans import commits as plans
from backend.plans.undo import undo_change as plan_undo

router = APIRouter(tags=["changes"])


@router.get(
    "/environments/{environment}/changes", operation_id="list_changes", summary="List changes", responses=READ_ONE
)
async def list_changes(
    person: Viewer,
    db: Db,
    lang: Language,
    environment: EnvironmentId,
    response: Response,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Changes:
    """Changes of an environment's content that no commit holds yet, and its commits, newest first."""
    row = await environments.get(db, environment)
    history = await commits.history(db, environment, limit, offset)
    response.headers["ETag"] = row["content_etag"]
    return Changes(
        environment=environment,
        uncommitted=await changes.uncommitted(db, environment, lang),
        commits=history.items,
        total=history.total,
        limit=limit,
        offset=offset,
        etag=row["content_etag"],
    )


@router.get("/changes/{change_id}", operation_id="get_change", summary="Get a change", responses=READ_ONE)
async def get_change(person: Viewer, db: Db, lang: Language, change_id: NumberId) -> Change:
    """One change with what was before and after, and whether it can be undone."""
    return changes.shape(await changes.get(db, change_id), lang)


@router.post(
    "/changes/{change_id}/undo",
    operation_id="undo_change",
    summary="Undo a change",
    response_model=Outcome[Change] | Preview,
    responses=CHANGE,
)
async def undo_change(effect: EditorEffect, change_id: NumberId) -> Response:
    """Undo a change of a dashboard or a document, unless something newer touched it. The result is a change too."""
    return await effect.run(plan_undo, change_id)


@router.post(
    "/environments/{environment}/commits",
    operation_id="commit_changes",
    summary="Commit changes",
    status_code=201,
    response_model=Outcome[Commit],
    responses=CREATE,
)
async def commit_changes(effect: EditorEffect, environment: EnvironmentId, body: CommitCreate) -> Response:
    """Commit all changed content of an environment with a message."""
    return await effect.run(plans.commit_changes, environment, body)


@router.post(
    "/environments/{environment}/rollback",
    operation_id="rollback_commit",
    summary="Roll back to a commit",
    response_model=Outcome[Restored] | Preview,
    responses=CHANGE,
)
async def rollback_commit(effect: AdminEffect, environment: EnvironmentId, body: RollbackRequest) -> Response:
    """Set an environment's content back to an earlier commit; this makes a new commit."""
    return await effect.run(plans.rollback_commit, environment, body)
