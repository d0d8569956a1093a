"""Loading a dataset anew, and deleting one."""

from backend.db import changes, datasets, environments
from backend.effects import Act, Done, Plan
from backend.models.common import MOST_NAMES, FieldChange, Preview
from backend.problems import Problem


async def refresh_dataset(act: Act, dataset_id: int) -> Plan:
    """Load the data from the source; nobody's definition changes."""
    row = await datasets.lock(act, dataset_id)
    act.match(row["etag"], datasets.reference(row))
    await environments.lock_open(act, row["environment"])
    if row["source_state"] != "ok":
        raise Problem("source_unavailable", source=row["source"], name=row["name"])

    async def apply() -> Done:
        await datasets.load(act.connection, dataset_id)
        result = await datasets.read(act.connection, dataset_id, act.lang)
        message = act.say("dataset_refreshed", name=result.name, environment=result.environment, rows=result.row_count)
        return Done(
            result,
            datasets.reference(row),
            message,
            etag=result.etag,
            changed=["row_count", "refreshed_at"],
            environment=result.environment,
            details={"rows_before": row["row_count"], "rows_after": result.row_count},
        )

    preview = Preview(
        operation=act.operation,
        resource=datasets.reference(row),
        environment=row["environment"],
        etag=row["etag"],
        changes=[FieldChange(field="refreshed_at", before=row["refreshed_at"].isoformat(), after=act.say("now"))],
        counts={"rows": row["row_count"]},
        reversible=False,
        irreversible_note=act.say("refresh_irreversible", source=row["source"]),
    )
    return Plan(preview, apply)


async def delete_dataset(act: Act, dataset_id: int) -> Plan:
    """Delete a dataset and its data; dashboards that read it stay and break."""
    row = await datasets.lock(act, dataset_id)
    act.match(row["etag"], datasets.reference(row))
    await environments.lock_open(act, row["environment"])
    used_by = [dashboard["name"] for dashboard in await datasets.used_by(act.connection, dataset_id)]

    async def apply() -> Done:
        before = await datasets.image(act.connection, dataset_id)
        await datasets.remove(act.connection, dataset_id)
        resource, environment = datasets.reference(row), row["environment"]
        await environments.touch(act.connection, environment)
        await changes.record(act, resource, before, None, environment=environment)
        message = act.say("dataset_deleted", name=row["name"], environment=environment)
        return Done(None, resource, message, environment=environment, details={"broken_dashboards": used_by[:50]})

    preview = Preview(
        operation=act.operation,
        resource=datasets.reference(row),
        environment=row["environment"],
        etag=row["etag"],
        changes=[FieldChange(field="name", before=row["name"])],
        counts={"rows": row["row_count"], "dashboards": len(used_by)},
        first_names=used_by[:MOST_NAMES],
        warnings=[act.say("dashboards_break", count=len(used_by), names=", ".join(used_by[:5]))] if used_by else [],
        reversible=False,
        irreversible_note=act.say("dataset_irreversible"),
    )
    return Plan(preview, apply)
