"""Shapes that all nouns share: pages, previews, outcomes and problems."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

T = TypeVar("T")

ENVIRONMENT_IDS = Literal["dev", "stage", "prod"]
PROTECTED = "prod"


def _printable(text: str) -> str:
    """Control characters other than a line break or a tab do not belong into a name or a note."""
    if any((ord(char) < 32 and char not in "\n\t") or ord(char) == 127 for char in text):
        raise ValueError("control characters are not allowed")
    return text


Text = Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_printable)]
Name = Annotated[Text, StringConstraints(min_length=1, max_length=200)]
Note = Annotated[Text, StringConstraints(max_length=2000)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40, pattern=r"^[\w.\- ]+$")]
Login = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), AfterValidator(_printable)
]


class Shape(BaseModel):
    """An answer; rows may carry more columns than are shown."""

    model_config = ConfigDict(extra="ignore")


class Body(BaseModel):
    """A request body; a field that does not exist is an error, not a silent nothing."""

    model_config = ConfigDict(extra="forbid")


class Page(Shape, Generic[T]):
    """A part of a list."""

    items: list[T]
    total: int = Field(description="How many there are in all.")
    limit: int
    offset: int


class PersonRef(Shape):
    """A person in short."""

    id: str = Field(examples=["t.galeev"])
    name: str = Field(examples=["Timur Galeev"])
    name_ru: str = Field(examples=["Тимур Галеев"])


class Resource(Shape):
    """The thing a call acts on."""

    type: str = Field(examples=["dashboard"])
    id: str = Field(examples=["412"])
    name: str = Field(examples=["Retail Pulse"])


class FieldChange(Shape):
    """One field before and after."""

    field: str = Field(examples=["name"])
    before: Any = None
    after: Any = None


MOST_NAMES = 200


class Preview(Shape):
    """What a call would change; the answer to `?dry_run=true`. Nothing was changed."""

    operation: str = Field(examples=["update_dashboard"])
    resource: Resource | None = None
    environment: str | None = Field(default=None, description="Where the resource lives, for what lives in one.")
    etag: str | None = Field(default=None, description="Send it as If-Match with the real call.")
    changes: list[FieldChange] = Field(default_factory=list)
    counts: dict[str, int] = Field(default_factory=dict, examples=[{"dashboards": 3}])
    first_names: list[str] = Field(
        default_factory=list, max_length=MOST_NAMES, description="The things that change, at most the first 200."
    )
    groups: dict[str, list[str]] = Field(
        default_factory=dict,
        description="The names of `first_names` by what happens to them, under the labels of `counts`.",
    )
    warnings: list[str] = Field(default_factory=list)
    reversible: bool = Field(description="True when `undo_change` or the opposite call brings it back.")
    irreversible_note: str | None = None


class Outcome(Shape, Generic[T]):
    """What a changing call did."""

    operation: str = Field(examples=["update_dashboard"])
    resource: Resource
    etag: str | None = Field(None, description="The resource's etag after the change.")
    change_id: int | None = Field(None, description="For `undo_change`; null when it cannot be undone that way.")
    changed: list[str] = Field(default_factory=list, description="Fields or JSON Pointers that changed.")
    message: str = Field(description="One sentence about what happened.")
    result: T


class Change(Shape):
    """One change of a dashboard, a dataset or a document."""

    id: int
    at: datetime
    by: PersonRef
    operation: str
    environment: str | None
    resource: Resource
    summary: str
    fields: list[FieldChange]
    commit: str | None = Field(description="Short id of the commit that holds it, null while uncommitted.")
    undone_by: int | None
    undoes: int | None
    undoable: bool
    blocked_by: list[int] = Field(description="Newer changes of the same thing that must be undone first.")


class ProblemDocument(BaseModel):
    """A refusal or an error (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:workspace:problem:dashboard_not_found"])
    title: str = Field(examples=["No such dashboard"])
    status: int = Field(examples=[404])
    code: str = Field(examples=["dashboard_not_found"])
    detail: str = Field(examples=["There is no dashboard 9999."])
