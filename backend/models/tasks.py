"""Background tasks."""

from datetime import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from backend.models.common import ENVIRONMENT_IDS, Body, PersonRef, Shape, Tag

TaskKind = Literal["validate_dashboard", "document_dataset", "make_thumbnails"]
TaskState = Literal["queued", "running", "succeeded", "failed", "canceled"]


class TaskSummary(Shape):
    """A task in a list."""

    id: int = Field(examples=[9381])
    kind: TaskKind
    title: str
    environment: str
    state: TaskState
    progress: int = Field(description="Percent.")
    started_by: PersonRef
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    etag: str


class LogLine(Shape):
    """One line of a task's log."""

    at: datetime
    text: str


class Task(TaskSummary):
    """A task with its log."""

    seconds_left: int | None
    error: str | None
    log: list[LogLine]


class TaskStart(Body):
    """One target by id, or all dashboards with a tag in an environment."""

    kind: TaskKind
    target_id: int | None = Field(None, ge=1, le=2_147_483_647, description="A dashboard, or a dataset to document.")
    tag: Tag | None = None
    environment: ENVIRONMENT_IDS | None = Field(None, description="Goes with `tag`.")

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        by_tag = self.tag is not None and self.environment is not None and self.kind != "document_dataset"
        if (self.target_id is not None) == (self.tag is not None) or (self.tag is not None and not by_tag):
            raise ValueError("give target_id, or (for dashboards) tag and environment")
        return self
