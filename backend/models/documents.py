"""Versioned JSON documents and their attachments."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.models.common import Change, PersonRef, Shape

DocumentKind = Literal["report", "data_contract", "runbook"]
Pointer = Annotated[str, Field(pattern=r"^(/[^\x00]*)?$", max_length=500, examples=["/sla/freshness_hours"])]


class Attachment(Shape):
    """A file that belongs to a document."""

    id: int
    name: str = Field(examples=["pricing_notes.txt"])
    document_id: str
    document_title: str
    media_type: str
    size_bytes: int


class DocumentSummary(Shape):
    """A document in a list."""

    id: str = Field(examples=["orders-contract"])
    kind: DocumentKind
    title: str
    language: Literal["en", "ru"]
    revision: int
    updated_at: datetime
    updated_by: PersonRef
    attachments: list[Attachment]
    etag: str


class Document(DocumentSummary):
    """A document as it is now, or as it was at `revision`."""

    content: Any = Field(examples=[{"sla": {"freshness_hours": 24}}])
    last_change: Change | None = Field(description="Its `id` goes to `undo_change`.")


class PatchOperation(BaseModel):
    """One operation of a JSON Patch (RFC 6902)."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: Pointer
    from_: Pointer | None = Field(None, alias="from")
    value: Any = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """RFC 6902, 4: which members an operation must have."""
        if self.op in ("add", "replace", "test") and "value" not in self.model_fields_set:
            raise ValueError(f"{self.op} needs a value")
        if self.op in ("move", "copy") and self.from_ is None:
            raise ValueError(f"{self.op} needs from")
        return self

    def plain(self) -> dict[str, Any]:
        """The operation as RFC 6902 writes it."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class AttachmentText(Shape):
    """The text of an attachment, or a part of it."""

    attachment: Attachment
    text: str
    offset: int
    total_characters: int
    next_offset: int | None
    pages: int | None = Field(description="Pages of a PDF.")
