"""Changes: what was before and after, so that it can be shown and undone."""

from typing import Any

from psycopg.types.json import Json

from backend.database import Connection
from backend.differences import Image, between, between_json
from backend.effects import Act
from backend.models.common import Change, FieldChange, Resource
from backend.problems import Problem
from backend.words import Lang, say

Row = dict[str, Any]
UNDOABLE = {"dashboard", "document"}
MAX_SHOWN = 500


async def record(
    act: Act,
    resource: Resource,
    before: Image | None,
    after: Image | None,
    *,
    environment: str | None,
    undoes: int | None = None,
) -> int:
    """Keep a change of `resource`; returns its id. The caller holds the lock of the resource."""
    added = await act.connection.execute(
        "insert into changes (by_id, operation, environment, resource_type, resource_id, resource_name, before, after,"
        " undoes) values (%s, %s, %s, %s, %s, %s, %s, %s, %s) returning id",
        (
            act.person.id,
            act.operation,
            environment,
            resource.type,
            resource.id,
            resource.name,
            Json(before) if before is not None else None,
            Json(after) if after is not None else None,
            undoes,
        ),
    )
    row = await added.fetchone()
    assert row is not None
    return row["id"]


async def get(connection: Connection, change_id: int) -> Row:
    """One row of `change_view`; raises `Problem`."""
    found = await connection.execute("select * from change_view where id = %s", (change_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("change_not_found", id=change_id)
    return row


async def last_of(connection: Connection, resource_type: str, resource_id: object, lang: Lang) -> Change | None:
    """The newest change of a thing."""
    found = await connection.execute(
        "select * from change_view where resource_type = %s and resource_id = %s order by id desc limit 1",
        (resource_type, str(resource_id)),
    )
    row = await found.fetchone()
    return shape(row, lang) if row else None


async def briefly(connection: Connection, change_ids: list[int]) -> list[dict[str, Any]]:
    """Who made these changes and when, for a refusal."""
    found = await connection.execute(
        "select id, at, by, operation from change_view where id = any(%s) order by id", (change_ids,)
    )
    return [{**row, "at": row["at"].isoformat()} for row in await found.fetchall()]


async def uncommitted(connection: Connection, environment: str, lang: Lang) -> list[Change]:
    """The newest changes of an environment's content that no commit holds."""
    found = await connection.execute(
        "select * from change_view where environment = %s and commit_id is null order by id desc limit 100",
        (environment,),
    )
    return [shape(row, lang) for row in await found.fetchall()]


async def commit_all(connection: Connection, environment: str, commit_id: str) -> int:
    """Put all uncommitted changes into a commit; returns how many."""
    done = await connection.execute(
        "update changes set commit_id = %s where environment = %s and commit_id is null", (commit_id, environment)
    )
    return done.rowcount


async def mark_undone(connection: Connection, row: Row, by_change: int) -> None:
    """An undone change no longer holds; undoing an undo makes what it had undone hold again."""
    await connection.execute("update changes set undone_by = %s where id = %s", (by_change, row["id"]))
    if row["undoes"]:
        await connection.execute("update changes set undone_by = null where id = %s", (row["undoes"],))


def shape(row: Row, lang: Lang) -> Change:
    """A row as it is answered."""
    fields = fields_of(row)
    undoable = row["resource_type"] in UNDOABLE and row["undone_by"] is None and not row["blocked_by"]
    names = ", ".join(field.field for field in fields[:5])
    return Change(
        **{**row, "blocked_by": row["blocked_by"], "commit": (row["commit_id"] or "")[:7] or None},
        resource=resource_of(row),
        summary=say(
            lang, f"change_{kind(row)}", type=say(lang, row["resource_type"]), name=row["resource_name"], fields=names
        ),
        fields=[_short(field) for field in fields],
        undoable=undoable,
    )


def resource_of(row: Row) -> Resource:
    """The thing that changed."""
    return Resource(type=row["resource_type"], id=row["resource_id"], name=row["resource_name"])


def kind(row: Row) -> str:
    """Whether the thing was created, updated or deleted."""
    return "created" if row["before"] is None else "deleted" if row["after"] is None else "updated"


def fields_of(row: Row) -> list[FieldChange]:
    """What differs between before and after."""
    if row["resource_type"] == "document":
        return between_json(row["before"]["content"], row["after"]["content"])
    return between(row["before"], row["after"])


def _short(field: FieldChange) -> FieldChange:
    """Long values are cut for lists."""
    return FieldChange(field=field.field, before=_cut(field.before), after=_cut(field.after))


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else str(value)
    return value if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
