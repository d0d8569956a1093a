"""Versioned documents and their attachments."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

from backend import files
from backend.api.deps import Db, EditorEffect, Language, Limit, Line, NumberId, Offset, Viewer, WordId, Words
from backend.api.responses import CHANGE, READ, READ_ONE, refusals
from backend.db import attachments, documents
from backend.models.common import Outcome, Page, Preview
from backend.models.documents import (
    Attachment,
    AttachmentText,
    Document,
    DocumentKind,
    DocumentSummary,
    PatchOperation,
)
from backend.plans.documents import apply_document_patch as plan_patch

router = APIRouter(tags=["documents"])
Patch = Annotated[
    list[PatchOperation],
    Body(
        media_type="application/json-patch+json",
        description="A JSON Patch (RFC 6902).",
        examples=[[{"op": "replace", "path": "/sla/freshness_hours", "value": 12}]],
    ),
]
Revision = Annotated[int | None, Query(ge=1, le=2_147_483_647, description="The revision that is meant.")]


@router.get("/documents", operation_id="search_documents", summary="Search documents", responses=READ)
async def search_documents(
    person: Viewer,
    db: Db,
    text: Words = None,
    kind: Annotated[DocumentKind | None, Query(description="Only documents of this kind.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[DocumentSummary]:
    """Reports, data contracts and runbooks by the words of their title or id."""
    return await documents.search(db, text=text, kind=kind, limit=limit, offset=offset)


@router.get("/documents/{document_id}", operation_id="read_document", summary="Read a document", responses=READ_ONE)
async def read_document(
    person: Viewer, db: Db, lang: Language, document_id: WordId, response: Response, revision: Revision = None
) -> Document:
    """A document with its content, revision, attachments and last change; an older revision on request."""
    found = await documents.read(db, document_id, lang, revision)
    response.headers["ETag"] = found.etag
    return found


@router.patch(
    "/documents/{document_id}",
    operation_id="apply_document_patch",
    summary="Patch a document",
    response_model=Outcome[Document] | Preview,
    responses=CHANGE,
)
async def apply_document_patch(
    effect: EditorEffect, document_id: WordId, patch: Patch, base_revision: Revision = None
) -> Response:
    """Change a document with a JSON Patch (RFC 6902), whole or not at all.

    The patch must say what it is based on: `If-Match`, `base_revision`, or a `test` operation. The answer holds the
    fresh document and, in `changed`, the JSON Pointers that changed.
    """
    return await effect.run(plan_patch, document_id, patch, base_revision)


@router.get("/attachments", operation_id="search_attachments", summary="Search attachments", responses=READ)
async def search_attachments(
    person: Viewer,
    db: Db,
    text: Words = None,
    document_id: Annotated[Line | None, Query(description="Only attachments of this document.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[Attachment]:
    """Attached files by the words of their own and their document's name."""
    return await attachments.search(db, text=text, document_id=document_id, limit=limit, offset=offset)


@router.get(
    "/attachments/{attachment_id}/text",
    operation_id="read_attachment",
    summary="Read an attachment",
    responses={**READ_ONE, **refusals(415)},
)
async def read_attachment(
    person: Viewer,
    db: Db,
    attachment_id: NumberId,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=20_000, description="Most characters to answer.")] = 20_000,
) -> AttachmentText:
    """The text of an attached file (txt, md, csv, json, pdf, docx), a part at a time."""
    attachment, data = await attachments.read(db, attachment_id)
    text, pages = await asyncio.to_thread(files.extract, attachment.name, attachment.media_type, data)
    following = offset + limit
    return AttachmentText(
        attachment=attachment,
        text=text[offset:following],
        offset=offset,
        total_characters=len(text),
        next_offset=following if following < len(text) else None,
        pages=pages,
    )
