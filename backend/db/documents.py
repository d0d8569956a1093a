"""Versioned JSON documents: every revision is kept."""

from typing import Any

from psycopg.types.json import Json

from backend.database import Connection
from backend.db import attachments, changes
from backend.db.search import Filter, fold, page
from backend.models.common import Page, Resource
from backend.models.documents import Document, DocumentKind, DocumentSummary
from backend.problems import Problem
from backend.words import Lang

Row = dict[str, Any]
REVISION = """
select v.*, r.content as old_content, r.at, person_ref(r.by_id) as old_by from document_view v
join document_revisions r on r.document_id = v.id where v.id = %s and r.revision = %s
"""
PUT = """
with changed as (
    update documents set revision = revision + 1, content = %(content)s, updated_at = clock_timestamp(),
        updated_by = %(by)s where id = %(id)s returning *
)
insert into document_revisions (document_id, revision, content, at, by_id)
select id, revision, content, updated_at, updated_by from changed
"""


async def search(
    connection: Connection, *, text: str | None, kind: DocumentKind | None, limit: int, offset: int
) -> Page[DocumentSummary]:
    """Documents by words and kind; the one whose title or id is `text` comes first."""
    wanted = Filter().text(text).add("kind = %(kind)s", kind=kind)
    wanted.values["exact"] = fold(text or "")
    rows, total = await page(
        connection, "document_view", wanted, "%(exact)s in (id, fold(title)) desc, title", limit, offset
    )
    files = await attachments.of_documents(connection, [row["id"] for row in rows])
    items = [DocumentSummary(**row, attachments=files.get(row["id"], [])) for row in rows]
    return Page(items=items, total=total, limit=limit, offset=offset)


async def get(connection: Connection, document_id: str) -> Row:
    """One row of `document_view`; raises `Problem`."""
    found = await connection.execute("select * from document_view where id = %s", (document_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("document_not_found", id=document_id)
    return row


async def read(connection: Connection, document_id: str, lang: Lang, revision: int | None = None) -> Document:
    """The document as it is, or as it was at `revision`; raises `Problem`."""
    row = await get(connection, document_id) if revision is None else await _old(connection, document_id, revision)
    files = await attachments.of_documents(connection, [document_id])
    last = await changes.last_of(connection, "document", document_id, lang)
    return Document(**row, attachments=files.get(document_id, []), last_change=last)


async def _old(connection: Connection, document_id: str, revision: int) -> Row:
    row = await (await connection.execute(REVISION.encode(), (document_id, revision))).fetchone()
    if row is None:
        raise Problem("document_not_found", id=f"{document_id} (revision {revision})")
    was = {"revision": revision, "content": row["old_content"], "updated_at": row["at"], "updated_by": row["old_by"]}
    return {**row, **was}


async def lock(connection: Connection, document_id: str) -> Row:
    """One row, locked until the transaction ends; raises `Problem`."""
    await connection.execute("select from documents where id = %s for no key update", (document_id,))
    return await get(connection, document_id)


async def put(connection: Connection, document_id: str, content: Any, by: str) -> None:
    """Make `content` the next revision."""
    await connection.execute(PUT.encode(), {"id": document_id, "content": Json(content), "by": by})


def reference(row: Row) -> Resource:
    """The document as the resource of a call."""
    return Resource(type="document", id=row["id"], name=row["title"])
