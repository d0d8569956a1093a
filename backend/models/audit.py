"""Who did what."""

from datetime import datetime
from typing import Any

from pydantic import Field

from backend.models.common import PersonRef, Resource, Shape


class AuditEvent(Shape):
    """One change: the person, the service that made the call, and the approval it ran under."""

    id: int
    at: datetime
    sub: str = Field(description="The person's user id.")
    person: PersonRef | None
    service: str
    approval_id: str | None
    action: str = Field(examples=["delete_dashboard"])
    resource: Resource
    environment: str | None
    summary: str
    details: dict[str, Any]
