"""Switching maintenance mode."""

from backend.db import environments
from backend.effects import Act, Done, Plan
from backend.models.common import FieldChange, Preview
from backend.models.environments import MaintenanceUpdate


async def set_maintenance_mode(act: Act, environment: str, body: MaintenanceUpdate) -> Plan:
    """Maintenance on or off; switching to what is already so changes nothing but the message."""
    row = (await environments.lock(act.connection, [environment]))[environment]
    act.match(row["etag"], environments.reference(row))
    wanted = {"maintenance": body.enabled, "maintenance_message": body.message if body.enabled else ""}
    changes = [
        FieldChange(field=name, before=row[name], after=value) for name, value in wanted.items() if row[name] != value
    ]

    async def apply() -> Done:
        saved = await environments.set_maintenance(act.connection, environment, body.enabled, body.message)
        return Done(
            environments.shape(saved),
            environments.reference(saved),
            act.say("maintenance_on" if body.enabled else "maintenance_off", environment=environment),
            etag=saved["etag"],
            changed=[change.field for change in changes],
            environment=environment,
        )

    preview = Preview(
        operation=act.operation,
        resource=environments.reference(row),
        etag=row["etag"],
        changes=changes,
        warnings=[act.say("maintenance_stops_work", environment=environment)] if body.enabled else [],
        reversible=True,
    )
    return Plan(preview, apply)
