"""Dashboards."""

from datetime import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from backend.models.common import ENVIRONMENT_IDS, Body, Change, Login, Name, Note, PersonRef, Shape, Tag

Template = Literal["blank", "sales", "funnel", "finance", "logistics", "support"]


class DashboardSummary(Shape):
    """A dashboard in a list."""

    id: int = Field(examples=[412])
    name: str = Field(examples=["Retail Pulse"])
    environment: str
    description: str
    owner: PersonRef
    tags: list[str]
    charts: int = Field(description="How many charts it has.")
    updated_at: datetime
    etag: str


class Chart(Shape):
    """One chart; `broken` when its dataset does not exist in this environment."""

    title: str
    kind: str = Field(examples=["line"])
    dataset: str
    broken: bool = False


class UsedDataset(Shape):
    """A dataset that a dashboard reads."""

    id: int
    name: str
    refreshed_at: datetime
    stale: bool


class Copy(Shape):
    """The same dashboard in another environment."""

    id: int
    environment: str


class Dashboard(Shape):
    """A dashboard with its charts and what they read."""

    id: int = Field(examples=[412])
    name: str = Field(examples=["Retail Pulse"])
    environment: str = Field(examples=["prod"])
    description: str
    owner: PersonRef
    tags: list[str]
    charts: list[Chart]
    datasets: list[UsedDataset]
    copies: list[Copy]
    created_at: datetime
    updated_at: datetime
    last_change: Change | None = Field(description="Its `id` goes to `undo_change`.")
    etag: str


class DashboardCreate(Body):
    """A new dashboard, empty or from a template."""

    name: Name
    environment: ENVIRONMENT_IDS
    template: Template = "blank"
    description: Note = ""
    tags: list[Tag] = Field(default_factory=list, max_length=20)
    owner: Login | None = Field(None, description="Login, e-mail or full name; you when left out.")


class DashboardUpdate(Body):
    """Only the fields given change. `tags` replaces all tags; `add_tags` and `remove_tags` keep the others."""

    name: Name | None = None
    description: Note | None = None
    owner: Login | None = Field(None, description="Login, e-mail or full name.")
    tags: list[Tag] | None = Field(None, max_length=20)
    add_tags: list[Tag] = Field(default_factory=list, max_length=20)
    remove_tags: list[Tag] = Field(default_factory=list, max_length=20)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not any((self.name, self.description is not None, self.owner, self.tags is not None)) and not (
            self.add_tags or self.remove_tags
        ):
            raise ValueError("give at least one field to change")
        return self
