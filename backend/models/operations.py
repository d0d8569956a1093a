"""Migrations, backups, restores, commits and the changes between them."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from backend.models.common import ENVIRONMENT_IDS, Body, Change, Name, Note, PersonRef, Shape, Tag

MAX_NAMES = 20
DashboardIds = Annotated[list[Annotated[int, Field(ge=1, le=2_147_483_647)]], Field(max_length=100)]


class MigrationRequest(Body):
    """Which dashboards go from where to where: by `dashboard_ids` of the source, or all with `tag`."""

    source: ENVIRONMENT_IDS
    target: ENVIRONMENT_IDS
    dashboard_ids: DashboardIds = Field(default_factory=list)
    tag: Tag | None = None

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        if self.source == self.target:
            raise ValueError("source and target must differ")
        if bool(self.dashboard_ids) == bool(self.tag):
            raise ValueError("give either dashboard_ids or tag")
        return self


class MigrationItem(Shape):
    """A dashboard of a migration; `fields` are those that differ in the target."""

    id: int
    name: str
    target_id: int | None
    fields: list[str]


class MigrationPlan(Shape):
    """What a migration would change, or did."""

    source: str
    target: str
    create: list[MigrationItem]
    update: list[MigrationItem]
    unchanged: list[MigrationItem]
    datasets_create: list[str]
    datasets_update: list[str]
    warnings: list[str]
    etag: str = Field(description="Stands for the content of both environments; goes to `run_migration` as If-Match.")


class Backup(Shape):
    """A copy of an environment's content."""

    id: str = Field(examples=["bk-551"])
    environment: str
    created_at: datetime
    created_by: PersonRef
    size_bytes: int
    dashboards: int
    datasets: int
    note: str
    kind: Literal["nightly", "manual"]
    etag: str


class BackupCreate(Body):
    """A backup's note."""

    note: Note = ""


class RestoreRequest(Body):
    """The environment, when you want it checked: a backup is only ever restored to its own."""

    environment: ENVIRONMENT_IDS | None = None


class Restored(Shape):
    """How the content of an environment was set back."""

    environment: str
    created: int
    updated: int
    deleted: int
    names: list[str] = Field(description=f"The first {MAX_NAMES} of them.")
    commit: str | None = Field(description="The commit that a rollback made.")


class Commit(Shape):
    """A committed state of an environment's content."""

    id: str
    short_id: str = Field(examples=["4fa91c2"])
    environment: str
    message: str
    author: PersonRef
    at: datetime
    changes: int


class Changes(Shape):
    """What is not committed yet, and the newest commits first."""

    environment: str
    uncommitted: list[Change]
    commits: list[Commit]
    total: int = Field(description="How many commits there are.")
    limit: int
    offset: int
    etag: str = Field(description="Stands for the environment's content.")


class CommitCreate(Body):
    """The message of a commit."""

    message: Name


class RollbackRequest(Body):
    """The commit to go back to."""

    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{4,40}$")] = Field(
        description="Its hash, or at least the first four characters.", examples=["4fa91c2"]
    )
