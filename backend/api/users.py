"""People and their roles."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from backend.api.deps import AdminEffect, Db, Limit, Offset, Viewer, WordId, Words
from backend.api.responses import CHANGE, READ, READ_ONE
from backend.db import users
from backend.models.common import Outcome, Page, Preview
from backend.models.users import User
from backend.people import Role
from backend.plans import users as plans

router = APIRouter(prefix="/users", tags=["users"])
RoleInPath = Annotated[Role, Path(description="The role to give or take.", examples=["editor"])]


@router.get("", operation_id="list_users", summary="List users", responses=READ)
async def list_users(
    person: Viewer,
    db: Db,
    text: Words = None,
    role: Annotated[Role | None, Query(description="Only people who hold this role.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[User]:
    """People with their roles, by login, name (in either language), e-mail or role."""
    return await users.search(db, text, role, limit, offset)


@router.get("/{user_id}", operation_id="get_user", summary="Get a user", responses=READ_ONE)
async def get_user(person: Viewer, db: Db, user_id: WordId, response: Response) -> User:
    """One person with the history of their roles."""
    found = (await users.shape(db, [await users.get(db, user_id)]))[0]
    response.headers["ETag"] = found.etag
    return found


@router.put(
    "/{user_id}/roles/{role}",
    operation_id="grant_role",
    summary="Grant a role",
    response_model=Outcome[User] | Preview,
    responses=CHANGE,
)
async def grant_role(effect: AdminEffect, user_id: WordId, role: RoleInPath) -> Response:
    """Give a person a role; it counts from their next call on."""
    return await effect.run(plans.grant_role, user_id, role)


@router.delete(
    "/{user_id}/roles/{role}",
    operation_id="revoke_role",
    summary="Revoke a role",
    response_model=Outcome[User] | Preview,
    responses=CHANGE,
)
async def revoke_role(effect: AdminEffect, user_id: WordId, role: RoleInPath) -> Response:
    """Take a role from a person; the last admin cannot lose theirs."""
    return await effect.run(plans.revoke_role, user_id, role)
