"""Versioned JSON documents (reports, data contracts, runbooks) and the text of their attachments."""

import json
import re
from typing import Annotated, Any, Literal

from langchain_core.tools import tool
from pydantic import ConfigDict, Field, JsonValue, field_validator, model_serializer, model_validator

from tools.cards import Card, DryRun
from tools.client import Answer, Request
from tools.context import send
from tools.declare import declare
from tools.language import say
from tools.results import Column, Returned, amount, changed, detailed, instant, listed
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import INT_MAX, Args, Text

DOCUMENT_LIMIT = 24_000
PATCH_LIMIT = 64_000
MOST_MATCHES = 10
EXAMPLE = [
    {"op": "test", "path": "/sla/hours", "value": 8},
    {"op": "replace", "path": "/sla/hours", "value": 4},
    {"op": "add", "path": "/owners/-", "value": {"team": "finance"}},
]
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,119}")

DOCUMENTS = (
    Column("id", "Id", "Номер"),
    Column("title", "Title", "Название"),
    Column("kind", "Kind", "Вид"),
    Column("revision", "Revision", "Ревизия"),
    Column("updated_at", "Changed", "Изменён", instant),
)
ATTACHMENTS = (
    Column("id", "Id", "Номер"),
    Column("name", "File", "Файл"),
    Column("document_title", "Document", "Документ"),
    Column("media_type", "Type", "Тип"),
    Column("size_bytes", "Size", "Размер", amount),
)


class ReadDocument(Args):
    """Which document."""

    document: Annotated[Text, Field(description="Id of the document, or words of its title.")]
    revision: Annotated[int, Field(ge=1, le=INT_MAX, description="An earlier revision; the newest without.")] | None = (
        None
    )


class PatchOperation(Args):
    """One operation of a JSON Patch (RFC 6902)."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, str_strip_whitespace=False)

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: Annotated[str, Field(pattern=r"^(/.*)?$", max_length=500, description="JSON Pointer, such as /sla/hours.")]
    from_: Annotated[str | None, Field(alias="from", pattern=r"^(/.*)?$", max_length=500)] = None
    value: Annotated[JsonValue, Field(description="For add, replace and test.")] = None

    @model_validator(mode="after")
    def _complete(self) -> "PatchOperation":
        if self.op in {"add", "replace", "test"} and "value" not in self.model_fields_set:
            raise ValueError(f"{self.op} needs a value")
        if self.op in {"move", "copy"} and self.from_ is None:
            raise ValueError(f"{self.op} needs from")
        return self

    @model_serializer
    def _given(self) -> dict[str, JsonValue]:
        """The operation as RFC 6902 writes it: a null value that was given stays, absent members stay absent."""
        members: dict[str, JsonValue] = {"op": self.op, "path": self.path}
        if self.op in {"move", "copy"}:
            return members | {"from": self.from_}
        return members if self.op == "remove" else members | {"value": self.value}


class ApplyDocumentPatch(Args):
    """What to change in which revision of which document."""

    document_id: Annotated[
        str, Field(pattern=rf"^{_ID.pattern}$", description="Id of the document, from read_document.")
    ]
    base_revision: Annotated[int, Field(ge=1, le=INT_MAX, description="The revision that was read.")]
    patch: Annotated[
        list[PatchOperation],
        Field(min_length=1, max_length=100, description="JSON Patch operations.", examples=[EXAMPLE]),
    ]

    @field_validator("patch")
    @classmethod
    def _bounded(cls, patch: list[PatchOperation]) -> list[PatchOperation]:
        size = len(json.dumps([operation.model_dump() for operation in patch], allow_nan=False))
        if size > PATCH_LIMIT:
            raise ValueError(f"the patch has {size} characters, at most {PATCH_LIMIT} are taken")
        return patch


class ReadAttachment(Args):
    """Which file and which part of its text."""

    attachment: Annotated[Text, Field(description="Id of the attachment, or words of its file or document name.")]
    offset: Annotated[int, Field(ge=0, le=INT_MAX, description="First character to read.")] = 0
    limit: Annotated[int, Field(ge=1, le=20_000, description="How many characters.")] = 6_000


@tool(response_format="content_and_artifact", args_schema=ReadDocument)
async def read_document(document: str, revision: int | None = None) -> Returned:
    """Read a versioned JSON document (report, data contract, runbook) with its revision, attachments and last change.

    Takes an id or words of the title; several matches come back as a list to choose from.
    """
    by_id = await _document(document, revision) if _ID.fullmatch(document) else None
    if by_id is not None and not _missing(by_id):
        return _document_result(by_id)
    found = await send(Request("GET", "/documents", query={"text": document, "limit": MOST_MATCHES}))
    match = _only_match(found)
    if match is None:
        return listed(found, DOCUMENTS)
    return _document_result(await _document(match, revision))


async def _document(document_id: str, revision: int | None) -> Answer:
    path, segments = "/documents/{document_id}", {"document_id": document_id}
    return await send(Request("GET", path, segments, {"revision": revision}))


def _document_result(answer: Answer) -> Returned:
    return detailed(answer, _titled, limit=DOCUMENT_LIMIT)


def _titled(body: dict[str, Any], lang: Lang) -> str:
    revision = say(lang, f"revision {body.get('revision')}", f"ревизия {body.get('revision')}")
    return f"{body.get('title')}, {revision}"


def _missing(answer: Answer) -> bool:
    return answer.status == 404


def _only_match(found: Answer) -> str | None:
    """The id of the one item found; None when there are none or several, or the search failed."""
    items = found.body.get("items") if found.ok and isinstance(found.body, dict) else None
    return str(items[0]["id"]) if items and len(items) == 1 and found.body.get("total") == 1 else None


def _patch(document_id: str, base_revision: int, patch: list[dict[str, JsonValue]]) -> Request:
    return Request(
        "PATCH",
        "/documents/{document_id}",
        {"document_id": document_id},
        {"base_revision": base_revision},
        patch,
        {"Content-Type": "application/json-patch+json"},
    )


@tool(response_format="content_and_artifact", args_schema=ApplyDocumentPatch)
async def apply_document_patch(document_id: str, base_revision: int, patch: list[PatchOperation]) -> Returned:
    """Change a document with a JSON Patch (RFC 6902) against the revision that read_document gave."""
    operations = [operation.model_dump() for operation in patch]
    return changed(await send(_patch(document_id, base_revision, operations)), DOCUMENT_LIMIT)


def _patch_card(dry_run: DryRun) -> Card:
    revision, places = dry_run.args["base_revision"], len(dry_run.told.get("changes") or [])
    changes = dry_run.plural(places, ("change", "changes"), ("изменение", "изменения", "изменений"))
    return Card(
        title=dry_run.say(f"Change the document {dry_run.title_name}?", f"Изменить документ {dry_run.title_name}?"),
        approve=dry_run.say(f"Apply {changes}", f"Применить {changes}"),
        lead=dry_run.say(
            f"{changes} in 1 document. Revision {revision} stays in its history.",
            f"{changes} в одном документе. Ревизия {revision} останется в истории.",
        ),
    )


@tool(response_format="content_and_artifact", args_schema=ReadAttachment)
async def read_attachment(attachment: str, offset: int = 0, limit: int = 6_000) -> Returned:
    """Read the text of a file attached to a document, by id or by words of its or the document's name, in parts."""
    if attachment.isascii() and attachment.isdigit():
        return await _attachment(attachment, offset, limit)
    found = await send(Request("GET", "/attachments", query={"text": attachment, "limit": MOST_MATCHES}))
    match = _only_match(found)
    return listed(found, ATTACHMENTS) if match is None else await _attachment(match, offset, limit)


async def _attachment(attachment_id: str, offset: int, limit: int) -> Returned:
    path, segments = "/attachments/{attachment_id}/text", {"attachment_id": attachment_id}
    answer = await send(Request("GET", path, segments, {"offset": offset, "limit": limit}))
    return detailed(answer, _file_name, limit=DOCUMENT_LIMIT)


def _file_name(body: dict[str, Any], lang: Lang) -> str:
    return str((body.get("attachment") or {}).get("name") or "")


TOOLS = (
    declare(
        read_document,
        Effect.READ,
        ru="Прочитать документ (отчёт, дата-контракт, регламент) по номеру или словам названия.",
        title=("Read a document", "Чтение документа"),
    ),
    declare(
        apply_document_patch,
        Effect.WRITE,
        ru="Изменить документ патчем JSON Patch на основе прочитанной ревизии.",
        title=("Changing a document", "Изменение документа"),
        companions=("read_document",),
        role=Role.EDITOR,
        request=_patch,
        card=_patch_card,
    ),
    declare(
        read_attachment,
        Effect.READ,
        ru="Прочитать текст файла, вложенного в документ, по номеру или по словам из имени файла или документа.",
        title=("Read a document's attachment", "Чтение вложения документа"),
        companions=("read_document",),
    ),
)
