"""Environments and their health."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from backend.models.common import Body, Note, Shape


class Environment(Shape):
    """A stage of the content's life: dev, stage or prod."""

    id: str = Field(examples=["stage"])
    name: str = Field(examples=["Staging"])
    name_ru: str = Field(examples=["Предпрод"])
    version: str = Field(description="The installed build.", examples=["6.4.1"])
    latest_version: str
    state: Literal["ok", "degraded", "maintenance"]
    maintenance_message: str
    protected: bool = Field(description="Migrations into it need a publisher.")
    dashboards: int
    datasets: int
    uncommitted_changes: int
    etag: str


class MaintenanceUpdate(Body):
    """Switch maintenance mode; people who are no admins cannot change content while it is on."""

    enabled: bool
    message: Note = Field("", description="Shown to people while maintenance is on.")


class HealthCheck(Shape):
    """One check; `value` is in `unit`."""

    name: Literal["database", "cache", "workers", "disk"]
    state: Literal["ok", "warning", "failed"]
    detail: str
    value: float
    unit: str = Field(examples=["ms", "%"])


class Health(Shape):
    """All checks of an environment at this moment."""

    environment: str
    state: Literal["ok", "degraded", "down"]
    checks: list[HealthCheck]
    checked_at: datetime
