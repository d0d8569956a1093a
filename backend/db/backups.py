"""Backups: copies of an environment's content."""

from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from backend.database import Connection
from backend.db.content import Content
from backend.db.search import Filter, page
from backend.models.common import Page, Resource
from backend.models.operations import Backup
from backend.problems import Problem

Row = dict[str, Any]
BYTES_PER_ROW, BYTES_PER_DASHBOARD = 64, 65_536


async def search(
    connection: Connection,
    *,
    environment: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    offset: int,
) -> Page[Backup]:
    """Backups of an environment and a time, newest first."""
    wanted = Filter().add("environment = %(environment)s", environment=environment)
    wanted.add("created_at >= %(since)s", since=since).add("created_at < %(until)s", until=until)
    rows, total = await page(connection, "backup_view", wanted, "created_at desc, id", limit, offset)
    return Page(items=[Backup(**row) for row in rows], total=total, limit=limit, offset=offset)


async def get(connection: Connection, backup_id: str) -> Backup:
    """One backup without its content; raises `Problem`."""
    found = await connection.execute("select * from backup_view where id = %s", (backup_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("backup_not_found", id=backup_id)
    return Backup(**row)


async def lock(connection: Connection, backup_id: str) -> Backup:
    """One backup, locked until the transaction ends; raises `Problem`."""
    await connection.execute("select from backups where id = %s for no key update", (backup_id,))
    return await get(connection, backup_id)


async def content(connection: Connection, backup_id: str) -> Content:
    """What the backup holds."""
    row = await (await connection.execute("select content from backups where id = %s", (backup_id,))).fetchone()
    if row is None:
        raise Problem("backup_not_found", id=backup_id)
    return row["content"]


async def add(connection: Connection, environment: str, copy: Content, *, note: str, by: str) -> Backup:
    """Keep a copy of the content under the next number."""
    added = await connection.execute(
        "insert into backups (id, environment, created_by, kind, note, size_bytes, content)"
        " values ('bk-' || nextval('backup_numbers'), %s, %s, 'manual', %s, %s, %s) returning id",
        (environment, by, note, size_of(copy), Jsonb(copy)),
    )
    row = await added.fetchone()
    assert row is not None
    return await get(connection, row["id"])


async def remove(connection: Connection, backup_id: str) -> None:
    """Delete a backup."""
    await connection.execute("delete from backups where id = %s", (backup_id,))


def size_of(copy: Content) -> int:
    """Bytes that a backup of this content takes."""
    rows = sum(image["row_count"] for image in copy["datasets"])
    return rows * BYTES_PER_ROW + len(copy["dashboards"]) * BYTES_PER_DASHBOARD


def reference(backup: Backup) -> Resource:
    """The backup as the resource of a call."""
    return Resource(type="backup", id=backup.id, name=backup.id)
