"""Audit events: written by `backend.effects`, read here."""

from datetime import datetime

from backend.database import Connection
from backend.db.search import Filter, page
from backend.models.audit import AuditEvent
from backend.models.common import Page, Resource


async def search(
    connection: Connection,
    *,
    text: str | None,
    actor: str | None,
    action: str | None,
    resource_type: str | None,
    resource_id: str | None,
    environment: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    offset: int,
) -> Page[AuditEvent]:
    """Events, newest first."""
    wanted = Filter().text(text).person(actor, "sub").add("action = %(action)s", action=action)
    wanted.add("resource_type = %(resource_type)s", resource_type=resource_type)
    wanted.add("resource_id = %(resource_id)s", resource_id=resource_id)
    wanted.add("environment = %(environment)s", environment=environment)
    wanted.add("at >= %(since)s", since=since).add("at < %(until)s", until=until)
    rows, total = await page(connection, "audit_view", wanted, "at desc, id desc", limit, offset)
    items = [AuditEvent(**row, resource=_resource(row)) for row in rows]
    return Page(items=items, total=total, limit=limit, offset=offset)


def _resource(row: dict[str, str]) -> Resource:
    return Resource(type=row["resource_type"], id=row["resource_id"], name=row["resource_name"])
