"""Giving and taking roles."""

from backend.db import users
from backend.effects import Act, Done, Plan
from backend.models.common import FieldChange, Preview
from backend.people import Role
from backend.problems import Problem


async def grant_role(act: Act, user_id: str, role: Role) -> Plan:
    """Give a person a role."""
    return await _change(act, user_id, role, granted=True)


async def revoke_role(act: Act, user_id: str, role: Role) -> Plan:
    """Take a role from a person; one active admin always remains."""
    return await _change(act, user_id, role, granted=False)


async def _change(act: Act, user_id: str, role: Role, *, granted: bool) -> Plan:
    row = await users.lock(act.connection, user_id)
    act.match(row["etag"], users.reference(row))
    before = row["roles"]
    if not granted and role is Role.ADMIN and role in before and row["active"]:
        await _require_other_admin(act, row)
    after = [each.value for each in Role if (each in before or each is role) and (granted or each is not role)]
    fields = [FieldChange(field="roles", before=before, after=after)] if before != after else []

    async def apply() -> Done:
        saved = await users.change_role(act.connection, user_id, role, granted, act.person.id) if fields else row
        result = (await users.shape(act.connection, [saved]))[0]
        message = act.say(
            "role_granted" if granted else "role_revoked", name=row["name"], name_ru=row["name_ru"], role=role
        )
        return Done(
            result,
            users.reference(row),
            message,
            etag=result.etag,
            changed=[field.field for field in fields],
            details={"role": role.value},
        )

    preview = Preview(
        operation=act.operation,
        resource=users.reference(row),
        etag=row["etag"],
        changes=fields,
        warnings=[act.say("own_role")] if user_id == act.person.id and not granted else [],
        reversible=True,
    )
    return Plan(preview, apply)


async def _require_other_admin(act: Act, row: users.Row) -> None:
    if await users.admins(act.connection) <= 1:
        raise Problem("last_admin", id=row["id"], name=row["name"])
