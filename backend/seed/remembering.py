"""Writing what was: commits, changes and backups of the content, revisions of the documents."""

import hashlib
from datetime import timedelta
from typing import Any

from psycopg.types.json import Json, Jsonb

from backend.db import content
from backend.db.backups import size_of
from backend.db.content import Content
from backend.seed.attachments import all_attachments
from backend.seed.history import SeedBackup
from backend.seed.papers import EDITS, SeedDocumentEdit
from backend.seed.past import Past, PastEdit, document_versions, look_back
from backend.seed.rows import SCHEDULER, SeedEnvironment, documents, rows
from backend.seed.writer import Row, Writer

FIRST_REVISION_HOURS = 2400
NIGHTLY_HOUR = 3


async def plant_history(writer: Writer) -> None:
    """Commits, changes and backups of each environment, and how full its disk is with them."""
    for environment in rows("environments", SeedEnvironment):
        past = look_back(environment.id, await content.read(writer.connection, environment.id))
        await writer.insert("commits", _commits(writer, past))
        await _plant_changes(writer, past)
        backups = [_backup(writer, backup, copy) for backup, copy in past.backups]
        await writer.insert("backups", backups)
        used = environment.disk_gb * environment.disk_percent / 100
        base = used - sum(backup["size_bytes"] for backup in backups) / 1e9
        await writer.connection.execute(
            "update environments set disk_base_gb = %s where id = %s", (base, environment.id)
        )


def _commits(writer: Writer, past: Past) -> list[Row]:
    """A commit that holds no edit we tell of was an import of everything."""
    return [
        {
            "id": commit_hash(commit.short_id),
            "environment": commit.environment,
            "message": commit.message,
            "author_id": commit.by,
            "at": writer.ago(commit.hours),
            "changes": sum(edit.commit == commit.short_id for edit in past.edits) or len(copy["dashboards"]),
            "content": Jsonb(copy),
        }
        for commit, copy in past.commits
    ]


async def _plant_changes(writer: Writer, past: Past) -> None:
    edits = past.edits[::-1]
    await writer.insert("changes", [_change(writer, edit) for edit in edits])
    async with writer.connection.cursor() as cursor:
        touched = [(writer.ago(edit.edit.hours), edit.edit.dashboard) for edit in edits]
        await cursor.executemany("update dashboards set updated_at = %s where id = %s", touched)


def _change(writer: Writer, past: PastEdit) -> Row:
    edit = past.edit
    return {
        "at": writer.ago(edit.hours),
        "by_id": edit.by,
        "operation": "update_dashboard" if past.before else "create_dashboard",
        "environment": edit.environment,
        "resource_type": "dashboard",
        "resource_id": str(edit.dashboard),
        "resource_name": past.after["name"],
        "before": Json(past.before) if past.before else None,
        "after": Json(past.after),
        "commit_id": commit_hash(past.commit) if past.commit else None,
    }


def commit_hash(short_id: str) -> str:
    """The whole hash of a commit that is told by its first characters."""
    return short_id + hashlib.sha256(short_id.encode()).hexdigest()[: 40 - len(short_id)]


def _backup(writer: Writer, backup: SeedBackup, copy: Content) -> Row:
    at = writer.ago(backup.hours)
    if backup.id is None:
        last = writer.now.replace(hour=NIGHTLY_HOUR, minute=0, second=0, microsecond=0)
        last = last if last < writer.now else last - timedelta(hours=24)
        at = last - timedelta(hours=backup.hours - 24)
    return {
        "id": backup.id or f"bk-{at:%Y%m%d-%H%M}-{backup.environment}",
        "environment": backup.environment,
        "created_at": at,
        "created_by": backup.by,
        "kind": "nightly" if backup.by == SCHEDULER else "manual",
        "note": backup.note,
        "size_bytes": size_of(copy),
        "content": Jsonb(copy),
    }


async def plant_documents(writer: Writer) -> None:
    """Documents with all their revisions, the changes between them, and attached files."""
    for document_id, text in documents().items():
        edits = sorted((edit for edit in EDITS if edit.document == document_id), key=lambda edit: edit.hours)
        await _plant_document(writer, document_id, text, edits)
    files = [
        {"id": a.id, "document_id": a.document, "name": a.name, "media_type": a.media_type, "bytes": a.data}
        for a in all_attachments()
    ]
    await writer.insert("attachments", files)


async def _plant_document(
    writer: Writer, document_id: str, text: dict[str, Any], edits: list[SeedDocumentEdit]
) -> None:
    versions = document_versions(text["content"], [edit.back for edit in edits])
    authors = [*(edit.by for edit in edits), text["updated_by"]]
    times = [writer.ago(hours) for hours in (*(edit.hours for edit in edits), FIRST_REVISION_HOURS)]
    document = {
        "id": document_id,
        "kind": text["kind"],
        "title": text["title"],
        "language": text["language"],
        "revision": len(versions),
        "content": Json(versions[0]),
        "updated_at": times[0],
        "updated_by": authors[0],
    }
    await writer.insert("documents", [document])
    revisions = [
        {"document_id": document_id, "revision": len(versions) - n, "content": Json(version), "at": at, "by_id": by}
        for n, (version, at, by) in enumerate(zip(versions, times, authors, strict=True))
    ]
    await writer.insert("document_revisions", revisions)
    for n in reversed(range(len(edits))):
        await writer.insert("changes", [_patch(writer, edits[n], text["title"], versions[n + 1], versions[n])])


def _patch(writer: Writer, edit: SeedDocumentEdit, title: str, before: Any, after: Any) -> Row:
    return {
        "at": writer.ago(edit.hours),
        "by_id": edit.by,
        "operation": "apply_document_patch",
        "resource_type": "document",
        "resource_id": edit.document,
        "resource_name": title,
        "before": Json({"content": before}),
        "after": Json({"content": after}),
    }
