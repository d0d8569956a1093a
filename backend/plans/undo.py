"""Undoing one change of a dashboard or a document."""

from backend.db import changes, dashboards, documents, environments
from backend.differences import between, between_json
from backend.effects import Act, Done, Plan
from backend.models.common import FieldChange, Preview
from backend.problems import Problem


async def undo_change(act: Act, change_id: int) -> Plan:
    """Put back what was before a change, unless something newer touched the thing. Raises `Problem`."""
    row = await changes.get(act.connection, change_id)
    await _lock(act, row)
    row = await changes.get(act.connection, change_id)
    etag = await _etag(act, row)
    if etag is not None:
        act.match(etag, changes.resource_of(row))
    await _require_undoable(act, row)

    async def apply() -> Done:
        restore = _restore_document if row["resource_type"] == "document" else _restore_dashboard
        made = await restore(act, row)
        await changes.mark_undone(act.connection, row, made)
        result = changes.shape(await changes.get(act.connection, made), act.lang)
        return Done(
            result,
            result.resource,
            act.say("change_undone", name=row["resource_name"], id=change_id),
            etag=await _etag(act, row),
            change_id=made,
            changed=[field.field for field in result.fields],
            environment=row["environment"],
            details={"undone": change_id},
        )

    preview = Preview(
        operation=act.operation,
        resource=changes.resource_of(row),
        environment=row["environment"],
        etag=etag,
        changes=_back(row),
        reversible=row["undoes"] is None,
    )
    return Plan(preview, apply)


async def _lock(act: Act, row: changes.Row) -> None:
    if row["resource_type"] == "document":
        await documents.lock(act.connection, row["resource_id"])
    elif row["environment"]:
        await environments.lock_open(act, row["environment"])


async def _etag(act: Act, row: changes.Row) -> str | None:
    """The etag of the thing now, None when it is deleted."""
    if row["resource_type"] == "document":
        return (await documents.get(act.connection, row["resource_id"]))["etag"]
    return await dashboards.etag_of(act.connection, row["resource_id"]) if row["resource_type"] == "dashboard" else None


async def _require_undoable(act: Act, row: changes.Row) -> None:
    name = row["resource_name"]
    if row["resource_type"] not in changes.UNDOABLE:
        raise Problem("not_undoable", id=row["id"], name=name)
    if row["undone_by"] is not None:
        raise Problem("already_undone", id=row["id"], name=name, undone_by=row["undone_by"])
    if row["blocked_by"]:
        newer = await changes.briefly(act.connection, row["blocked_by"])
        raise Problem("newer_changes", id=row["id"], name=name, newer=newer)
    if row["undoes"] and (await changes.get(act.connection, row["undoes"]))["undoes"]:
        raise Problem("not_undoable", id=row["id"], name=name)


def _back(row: changes.Row) -> list[FieldChange]:
    if row["resource_type"] == "document":
        return between_json(row["after"]["content"], row["before"]["content"])
    return between(row["after"], row["before"])


async def _restore_document(act: Act, row: changes.Row) -> int:
    await documents.put(act.connection, row["resource_id"], row["before"]["content"], act.person.id)
    return await changes.record(
        act, changes.resource_of(row), row["after"], row["before"], environment=None, undoes=row["id"]
    )


async def _restore_dashboard(act: Act, row: changes.Row) -> int:
    before = row["before"]
    if before is None:
        await dashboards.remove(act.connection, row["after"]["id"])
    else:
        await dashboards.require_free_name(act.connection, before)
        await dashboards.put(act.connection, before)
    await environments.touch(act.connection, row["environment"])
    resource = dashboards.reference(before or row["after"])
    return await changes.record(act, resource, row["after"], before, environment=row["environment"], undoes=row["id"])
