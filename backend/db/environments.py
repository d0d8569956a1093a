"""Environments: their settings, and the lock under which their content changes."""

from collections.abc import Iterable
from typing import Any

from backend.database import Connection
from backend.effects import Act
from backend.models.common import Resource
from backend.models.environments import Environment, Health, HealthCheck
from backend.people import Role
from backend.problems import Problem
from backend.words import Lang

Row = dict[str, Any]
DISK_WARNING, DISK_FULL = 85, 97


async def all_environments(connection: Connection) -> list[Environment]:
    """All environments, dev first."""
    found = await connection.execute("select * from environment_view order by position")
    return [shape(row) for row in await found.fetchall()]


async def get(connection: Connection, environment: str) -> Row:
    """One row of `environment_view`; raises `Problem`."""
    found = await connection.execute("select * from environment_view where id = %s", (environment,))
    row = await found.fetchone()
    if row is None:
        raise Problem("environment_not_found", id=environment)
    return row


async def lock(connection: Connection, environments: Iterable[str]) -> dict[str, Row]:
    """Lock the content of these environments until the transaction ends, always in the same order."""
    for environment in sorted(set(environments)):
        await connection.execute("select from environments where id = %s for no key update", (environment,))
    return {environment: await get(connection, environment) for environment in environments}


async def lock_open(act: Act, environment: str) -> Row:
    """Lock the content for a change; raises `Problem("maintenance")` for all but admins while it is closed."""
    row = (await lock(act.connection, [environment]))[environment]
    require_open(act, row)
    return row


def require_open(act: Act, row: Row) -> None:
    """Raises `Problem("maintenance")` for all but admins while the environment is in maintenance."""
    if row["maintenance"] and act.person.role is not Role.ADMIN:
        raise Problem("maintenance", environment=row["id"], message=row["maintenance_message"])


async def touch(connection: Connection, environment: str) -> str:
    """Say that the content changed; returns its new etag."""
    await connection.execute(
        "update environments set content_version = content_version + 1 where id = %s", (environment,)
    )
    return (await get(connection, environment))["content_etag"]


async def set_maintenance(connection: Connection, environment: str, enabled: bool, message: str) -> Row:
    """Switch maintenance mode."""
    await connection.execute(
        "update environments set maintenance = %s, maintenance_message = %s, settings_version = settings_version + 1"
        " where id = %s",
        (enabled, message if enabled else "", environment),
    )
    return await get(connection, environment)


def reference(row: Row) -> Resource:
    """The environment as the resource of a call."""
    return Resource(type="environment", id=row["id"], name=row["name"])


def shape(row: Row) -> Environment:
    """A row as it is answered."""
    degraded = any(check["state"] != "ok" for check in row["checks"]) or row["disk_percent"] >= DISK_WARNING
    state = "maintenance" if row["maintenance"] else "degraded" if degraded else "ok"
    return Environment(**{**row, "state": state})


async def health(connection: Connection, environment: str, lang: Lang) -> Health:
    """The checks of an environment now; how full its disk is follows from its backups. Raises `Problem`."""
    row = await get(connection, environment)
    clock = await (await connection.execute("select clock_timestamp() as now")).fetchone()
    checks = [HealthCheck(**{**check, "detail": check["detail"][lang]}) for check in row["checks"]]
    checks.append(_disk(row["disk_percent"], lang))
    states = {check.state for check in checks}
    state = "down" if "failed" in states else "degraded" if "warning" in states else "ok"
    assert clock is not None
    return Health(environment=row["id"], state=state, checks=checks, checked_at=clock["now"])


def _disk(percent: int, lang: Lang) -> HealthCheck:
    state = "failed" if percent >= DISK_FULL else "warning" if percent >= DISK_WARNING else "ok"
    detail = f"Занято {percent} %, считая резервные копии" if lang == "ru" else f"{percent} % used, backups included"
    return HealthCheck(name="disk", state=state, detail=detail, value=percent, unit="%")
