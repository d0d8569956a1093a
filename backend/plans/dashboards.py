"""Creating, changing and deleting a dashboard."""

import uuid
from typing import Any

from backend.db import changes, dashboards, environments, users
from backend.differences import Image, between
from backend.effects import Act, Done, Plan
from backend.models.common import MOST_NAMES, FieldChange, Preview, Resource
from backend.models.dashboards import DashboardCreate, DashboardUpdate
from backend.templates import charts_of


async def create_dashboard(act: Act, body: DashboardCreate) -> Plan:
    """A new dashboard, empty or with the charts of a template."""
    act.match_nothing()
    await environments.lock_open(act, body.environment)
    owner = await users.find_owner(act.connection, body.owner or act.person.id)
    wanted: Image = {
        "id": None,
        "key": uuid.uuid4().hex,
        "environment": body.environment,
        "name": body.name,
        "description": body.description,
        "owner": owner["id"],
        "tags": list(dict.fromkeys(body.tags)),
        "charts": charts_of(body.template),
    }
    await dashboards.require_free_name(act.connection, wanted)

    async def apply() -> Done:
        image = {**wanted, "id": await dashboards.next_id(act.connection)}
        return await _saved(act, None, image, "dashboard_created", status=201)

    preview = Preview(
        operation=act.operation,
        changes=between(None, wanted),
        counts={"charts": len(wanted["charts"])},
        reversible=True,
    )
    return Plan(preview, apply)


async def update_dashboard(act: Act, dashboard_id: int, body: DashboardUpdate) -> Plan:
    """Name, description, owner and tags; what is not given stays."""
    row = await _open(act, dashboard_id)
    before = await dashboards.image(act.connection, dashboard_id)
    after = {**before, **await _wanted(act, before, body)}
    await dashboards.require_free_name(act.connection, after)

    async def apply() -> Done:
        return await _saved(act, before, after, "dashboard_updated")

    return Plan(_preview(act, row, between(before, after)), apply)


async def delete_dashboard(act: Act, dashboard_id: int) -> Plan:
    """Delete one dashboard in one environment; its copies elsewhere and its datasets stay."""
    row = await _open(act, dashboard_id)
    before = await dashboards.image(act.connection, dashboard_id)

    async def apply() -> Done:
        await dashboards.remove(act.connection, dashboard_id)
        change = await _record(act, before, None)
        message = act.say("dashboard_deleted", name=row["name"], environment=row["environment"])
        return Done(None, dashboards.reference(row), message, change_id=change, environment=row["environment"])

    preview = _preview(act, row, [FieldChange(field="name", before=row["name"])])
    preview.counts = {"charts": len(row["charts"])}
    preview.first_names = [chart["title"] for chart in row["charts"]][:MOST_NAMES]
    return Plan(preview, apply)


async def _open(act: Act, dashboard_id: int) -> dict[str, Any]:
    row = await dashboards.lock(act, dashboard_id)
    act.match(row["etag"], dashboards.reference(row))
    await environments.lock_open(act, row["environment"])
    return row


async def _wanted(act: Act, before: Image, body: DashboardUpdate) -> Image:
    wanted: Image = {}
    if body.name is not None:
        wanted["name"] = body.name
    if body.description is not None:
        wanted["description"] = body.description
    if body.owner is not None:
        wanted["owner"] = (await users.find_owner(act.connection, body.owner))["id"]
    tags = [*(before["tags"] if body.tags is None else body.tags), *body.add_tags]
    wanted["tags"] = [tag for tag in dict.fromkeys(tags) if tag not in body.remove_tags]
    return wanted


async def _saved(act: Act, before: Image | None, after: Image, message: str, status: int = 200) -> Done:
    fields = [change.field for change in between(before, after)]
    change = None
    if fields:
        await dashboards.put(act.connection, after)
        change = await _record(act, before, after)
    result = await dashboards.read(act.connection, after["id"], act.lang)
    return Done(
        result,
        dashboards.reference(after),
        act.say(message, name=after["name"], environment=after["environment"]),
        etag=result.etag,
        change_id=change,
        changed=fields,
        environment=after["environment"],
        status=status,
    )


async def _record(act: Act, before: Image | None, after: Image | None) -> int:
    image = after or before or {}
    await environments.touch(act.connection, image["environment"])
    return await changes.record(act, dashboards.reference(image), before, after, environment=image["environment"])


def _preview(act: Act, row: dict[str, Any], fields: list[FieldChange]) -> Preview:
    resource: Resource = dashboards.reference(row)
    return Preview(
        operation=act.operation,
        resource=resource,
        environment=row["environment"],
        etag=row["etag"],
        changes=fields,
        reversible=True,
    )
