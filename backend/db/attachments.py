"""Files that belong to documents."""

from typing import Any

from backend.database import Connection
from backend.db.search import Filter, fold, page
from backend.models.common import Page
from backend.models.documents import Attachment
from backend.problems import Problem


async def search(
    connection: Connection, *, text: str | None, document_id: str | None, limit: int, offset: int
) -> Page[Attachment]:
    """Attachments by the words of their own and their document's name."""
    wanted = Filter().text(text).add("document_id = %(document_id)s", document_id=document_id)
    wanted.values["exact"] = fold(text or "")
    rows, total = await page(connection, "attachment_view", wanted, "fold(name) = %(exact)s desc, id", limit, offset)
    return Page(items=[Attachment(**row) for row in rows], total=total, limit=limit, offset=offset)


async def of_documents(connection: Connection, document_ids: list[str]) -> dict[str, list[Attachment]]:
    """The attachments of each of these documents."""
    found = await connection.execute(
        "select * from attachment_view where document_id = any(%s) order by id", (document_ids,)
    )
    files: dict[str, list[Attachment]] = {}
    for row in await found.fetchall():
        files.setdefault(row["document_id"], []).append(Attachment(**row))
    return files


async def read(connection: Connection, attachment_id: int) -> tuple[Attachment, bytes]:
    """An attachment and its bytes; raises `Problem`."""
    found = await connection.execute(
        "select v.*, a.bytes from attachment_view v join attachments a using (id) where v.id = %s", (attachment_id,)
    )
    row: dict[str, Any] | None = await found.fetchone()
    if row is None:
        raise Problem("attachment_not_found", id=attachment_id)
    return Attachment(**row), bytes(row["bytes"])
