"""Argument types that several tools share, each with its meaning and its bounds."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

INT_MAX = 2_147_483_647


class Args(BaseModel):
    """Arguments of a tool; one that does not exist is an error, which a model can correct."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


def number_id(noun: str, example: int) -> Any:
    """The type of a numeric id."""
    return Field(ge=1, le=INT_MAX, description=f"Id of the {noun}, a number such as {example}.")


EnvironmentId = Annotated[
    Literal["dev", "stage", "prod"],
    Field(description="Environment: dev (sandbox), stage (staging) or prod (production)."),
]
DashboardId = Annotated[int, number_id("dashboard", 412)]
DatasetId = Annotated[int, number_id("dataset", 204)]
TaskId = Annotated[int, number_id("task", 9381)]
ChangeId = Annotated[int, number_id("change", 2041)]
BackupId = Annotated[str, Field(pattern=r"^bk-[a-z0-9-]{1,60}$", description="Id of the backup, such as bk-551.")]
UserId = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._%+@-]{0,119}$",
        description="Login of the person, such as t.galeev; look it up by name with list_users.",
    ),
]
RoleName = Annotated[
    Literal["viewer", "analyst", "editor", "publisher", "admin"],
    Field(description="Role, weakest first: viewer, analyst, editor, publisher, admin."),
]
CommitHash = Annotated[
    str,
    Field(pattern=r"^[0-9a-f]{4,40}$", description="Commit hash or its first 4 to 40 characters, e.g. 4fa91c2."),
]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Description = Annotated[str, Field(max_length=2_000)]
Tag = Annotated[str, Field(pattern=r"^[\w.\- ]{1,40}$")]
Tags = Annotated[list[Tag], Field(max_length=20)]
Owner = Annotated[str, Field(min_length=1, max_length=120)]
Limit = Annotated[int, Field(ge=1, le=100, description="How many to return at most.")]
Offset = Annotated[int, Field(ge=0, le=100_000, description="How many to skip, for the next page.")]
Since = Annotated[date, Field(description="From this day on, as YYYY-MM-DD.")]
Until = Annotated[date, Field(description="Up to this day, as YYYY-MM-DD.")]


class ListArgs(Args):
    """Paging of a list."""

    limit: Limit = 20
    offset: Offset = 0
