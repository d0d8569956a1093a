"""Versioned JSON documents and their attachments."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

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


class AttachmentText(Shape):
    """The text of an attachment, or a part of it."""

    attachment: Attachment
    text: str
    offset: int
    total_characters: int
    next_offset: int | None
    pages: int | None = Field(description="Pages of a PDF.")
