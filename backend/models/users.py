"""People and their roles."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from backend.models.common import PersonRef, Shape
from backend.people import Role


class RoleEvent(Shape):
    """A role that was given or taken."""

    role: Role
    granted: bool
    by: PersonRef
    at: datetime


class User(Shape):
    """A person of the workspace; `role` is the strongest of `roles`."""

    id: str = Field(examples=["t.galeev"])
    name: str
    name_ru: str
    email: str
    title: str = Field(examples=["BI developer"])
    title_ru: str
    role: Role | None
    roles: list[Role]
    active: bool
    last_seen_at: datetime | None
    roles_history: list[RoleEvent] = Field(description="Newest first, at most ten.")
    etag: str


class Token(Shape):
    """An access token for `X-User-JWT`."""

    access_token: str
    token_type: Literal["bearer"] = "bearer"  # noqa: S105
    expires_in: int = Field(description="Seconds.")
