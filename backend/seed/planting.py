"""Writing what there is now: environments, people, content, tasks, audit events."""

from datetime import timedelta

from psycopg.types.json import Jsonb

from backend.seed.events import all_events
from backend.seed.history import ROLE_EVENTS
from backend.seed.rows import SeedDashboard, SeedDataset, SeedEnvironment, SeedPerson, SeedTask, rows
from backend.seed.writer import Row, Writer

LATEST_VERSION = "6.4.1"
SHARE = {"dev": 0.05, "stage": 0.4, "prod": 1.0}  # of the rows in prod
LAG = {"dev": 30.0, "stage": 4.0, "prod": 0.0}  # hours behind prod
FIRST_DATASET = {"prod": 2101, "stage": 2201, "dev": 2401}


async def plant_environments(writer: Writer) -> None:
    """Environments; how full their disks are is written with the backups."""
    seeds = rows("environments", SeedEnvironment)
    await writer.insert("environments", [_environment(position, seed) for position, seed in enumerate(seeds)])


def _environment(position: int, seed: SeedEnvironment) -> Row:
    return {
        "id": seed.id,
        "position": position,
        "name": seed.name,
        "name_ru": seed.name_ru,
        "version": seed.version,
        "latest_version": LATEST_VERSION,
        "checks": Jsonb(seed.checks),
        "disk_gb": seed.disk_gb,
        "disk_base_gb": 0,
    }


async def plant_people(writer: Writer) -> None:
    """People, their roles, and how they came to them."""
    people = rows("people", SeedPerson)
    await writer.insert("users", [_person(writer, person) for person in people])
    await writer.insert("user_roles", [{"user_id": who.id, "role": role} for who in people for role in who.roles])
    events = [
        {"user_id": who, "role": role, "granted": granted, "by_id": by, "at": writer.ago(days * 24)}
        for who, role, granted, by, days in ROLE_EVENTS
    ]
    await writer.insert("role_events", events)


def _person(writer: Writer, seed: SeedPerson) -> Row:
    return {
        "id": seed.id,
        "name": seed.name,
        "name_ru": seed.name_ru,
        "email": f"{seed.id}@example.com",
        "title": seed.title,
        "title_ru": seed.title_ru,
        "active": seed.active,
        "last_seen_at": None if seed.seen is None else writer.ago(seed.seen),
    }


async def plant_content(writer: Writer) -> None:
    """Dashboards and datasets of all environments."""
    dashboards = [
        _dashboard(writer, seed, environment) for seed in rows("dashboards", SeedDashboard) for environment in seed.ids
    ]
    await writer.insert("dashboards", dashboards)
    datasets = [
        _dataset(writer, number, seed, environment)
        for number, seed in enumerate(rows("datasets", SeedDataset))
        for environment in seed.where
    ]
    await writer.insert("datasets", datasets)


def _dashboard(writer: Writer, seed: SeedDashboard, environment: str) -> Row:
    return {
        "id": seed.ids[environment],
        "key": seed.key,
        "environment": environment,
        "name": seed.name,
        "description": seed.description,
        "owner_id": seed.owner,
        "tags": seed.tags,
        "charts": Jsonb(seed.charts_in(environment)),
        "created_at": writer.ago(seed.days * 24),
        "updated_at": writer.ago(seed.days * 12),
    }


def _dataset(writer: Writer, number: int, seed: SeedDataset, environment: str) -> Row:
    columns = [dict(zip(("name", "type"), column.split(), strict=True)) for column in seed.columns]
    return {
        "id": seed.ids.get(environment, FIRST_DATASET[environment] + number),
        "environment": environment,
        "name": seed.name,
        "schema_name": seed.schema,
        "source": seed.source,
        "description": seed.description,
        "owner_id": seed.owner,
        "columns": Jsonb(columns),
        "refresh_every_hours": seed.every,
        "source_state": seed.source_state,
        "row_count": max(1, int(seed.rows * SHARE[environment])),
        "refreshed_at": writer.ago(seed.age + LAG[environment]),
        "updated_at": writer.ago(seed.age * 3 + 500),
    }


async def plant_tasks(writer: Writer) -> None:
    """Background tasks: running, waiting, stuck and finished."""
    await writer.insert("tasks", [_task(writer, seed) for seed in rows("tasks", SeedTask)])


def _task(writer: Writer, seed: SeedTask) -> Row:
    starts = writer.now + timedelta(minutes=seed.starts)
    canceled = starts + timedelta(minutes=seed.canceled_after) if seed.canceled_after else None
    lines = [{"at": number / len(seed.script), "text": text} for number, text in enumerate(seed.script)]
    return {
        "id": seed.id,
        "kind": seed.kind,
        "title": seed.title,
        "environment": seed.environment,
        "target_ids": seed.targets,
        "started_by": seed.by,
        "created_at": min(starts, writer.now) - timedelta(minutes=1),
        "starts_at": starts,
        "duration": timedelta(minutes=seed.minutes),
        "stalls_at": seed.stalls_at,
        "outcome": "failed" if seed.error else "succeeded",
        "error": seed.error,
        "script": Jsonb(lines),
        "canceled_at": canceled,
        "canceled_by": seed.by if canceled else None,
    }


async def plant_audit(writer: Writer) -> None:
    """Audit events of all that happened, oldest first."""
    events = [
        {
            "at": writer.ago(event.hours),
            "sub": event.by,
            "service": "countersign|agent",
            "approval_id": event.approval_id,
            "action": event.action,
            "resource_type": event.resource_type,
            "resource_id": event.resource_id,
            "resource_name": event.resource_name,
            "environment": event.environment,
            "summary": event.summary,
        }
        for event in sorted(all_events(), key=lambda event: -event.hours)
    ]
    await writer.insert("audit_events", events)
