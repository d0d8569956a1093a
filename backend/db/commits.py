"""Commits: named states of an environment's content."""

import hashlib
import uuid
from typing import Any

from psycopg.types.json import Jsonb

from backend.database import Connection
from backend.db.content import Content
from backend.db.search import Filter, page
from backend.models.common import Page, Resource
from backend.models.operations import Commit
from backend.problems import Problem

Row = dict[str, Any]


async def history(connection: Connection, environment: str, limit: int, offset: int) -> Page[Commit]:
    """Commits of an environment, newest first."""
    wanted = Filter().add("environment = %(environment)s", environment=environment)
    rows, total = await page(connection, "commit_view", wanted, "at desc, id", limit, offset)
    return Page(items=[Commit(**row) for row in rows], total=total, limit=limit, offset=offset)


async def find(connection: Connection, environment: str, prefix: str) -> tuple[Commit, Content]:
    """The one commit whose hash starts so, and its content; raises `Problem` (absent, ambiguous)."""
    found = await connection.execute(
        "select v.*, c.content from commit_view v join commits c using (id)"
        " where v.environment = %s and starts_with(v.id, %s) limit 2",
        (environment, prefix),
    )
    rows = await found.fetchall()
    if not rows:
        raise Problem("commit_not_found", id=prefix, environment=environment)
    if len(rows) > 1:
        raise Problem("ambiguous_commit", id=prefix)
    return Commit(**rows[0]), rows[0]["content"]


async def add(
    connection: Connection, environment: str, content: Content, *, message: str, author: str, changes: int
) -> Commit:
    """Keep this content as the newest commit of the environment."""
    commit_id = hashlib.sha1(uuid.uuid4().bytes, usedforsecurity=False).hexdigest()
    await connection.execute(
        "insert into commits (id, environment, message, author_id, changes, content) values (%s, %s, %s, %s, %s, %s)",
        (commit_id, environment, message, author, changes, Jsonb(content)),
    )
    return (await find(connection, environment, commit_id))[0]


def reference(commit: Commit) -> Resource:
    """The commit as the resource of a call."""
    return Resource(type="commit", id=commit.short_id, name=commit.message)
