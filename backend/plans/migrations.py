"""Copying dashboards with their datasets from one environment to another."""

from dataclasses import dataclass, field

from backend.database import Connection
from backend.db import content, dashboards, datasets, environments
from backend.db.content import Difference, Step
from backend.differences import Image, between
from backend.effects import Act, Done, Plan
from backend.models.common import MOST_NAMES, Preview, Resource
from backend.models.operations import MigrationItem, MigrationPlan, MigrationRequest
from backend.problems import Problem
from backend.words import Lang, say


@dataclass(slots=True)
class Migration:
    """What is to be copied, compared with what is there."""

    difference: Difference = field(default_factory=Difference)
    create: list[MigrationItem] = field(default_factory=list)
    update: list[MigrationItem] = field(default_factory=list)
    unchanged: list[MigrationItem] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    def datasets(self, steps: list[Step]) -> list[str]:
        """Names of the datasets among these steps."""
        return [step.name for step in steps if step.noun == "datasets"]


async def plan_migration(connection: Connection, request: MigrationRequest, lang: Lang) -> MigrationPlan:
    """What the migration would change; raises `Problem` where it would be refused."""
    rows = {name: await environments.get(connection, name) for name in (request.source, request.target)}
    migration = await _compare(connection, request)
    versions = [f"{name}.{row['content_version']}" for name, row in rows.items()]
    return MigrationPlan(
        source=request.source,
        target=request.target,
        create=migration.create,
        update=migration.update,
        unchanged=migration.unchanged,
        datasets_create=migration.datasets(migration.difference.create),
        datasets_update=migration.datasets(migration.difference.update),
        warnings=_warnings(migration, rows[request.target], lang),
        etag=f'"migration-{"-".join(versions)}"',
    )


async def run_migration(act: Act, request: MigrationRequest) -> Plan:
    """Carry a migration out: whole or not at all."""
    await environments.lock(act.connection, [request.source, request.target])
    target = await environments.lock_open(act, request.target)
    plan = await plan_migration(act.connection, request, act.lang)
    resource = environments.reference(target)
    act.match(plan.etag, resource)
    migration = await _compare(act.connection, request)
    if not migration.difference.steps:
        raise Problem("nothing_to_migrate", source=request.source, target=request.target)

    async def apply() -> Done:
        await content.carry_out(act, request.target, migration.difference)
        await environments.touch(act.connection, request.target)
        return _done(act, plan, resource)

    return Plan(_preview(act, plan, resource), apply)


def _done(act: Act, plan: MigrationPlan, resource: Resource) -> Done:
    counts = {"created": len(plan.create), "updated": len(plan.update), "unchanged": len(plan.unchanged)}
    return Done(
        plan,
        resource,
        act.say("migrated", source=plan.source, target=plan.target, **counts),
        changed=[item.name for item in (*plan.create, *plan.update)],
        environment=plan.target,
        status=201,
        details={"source": plan.source, **counts},
    )


def _preview(act: Act, plan: MigrationPlan, resource: Resource) -> Preview:
    return Preview(
        operation=act.operation,
        resource=resource,
        etag=plan.etag,
        counts={
            "dashboards_created": len(plan.create),
            "dashboards_updated": len(plan.update),
            "dashboards_unchanged": len(plan.unchanged),
            "datasets_created": len(plan.datasets_create),
            "datasets_updated": len(plan.datasets_update),
        },
        first_names=[item.name for item in (*plan.create, *plan.update)][:MOST_NAMES],
        groups=_groups(plan),
        warnings=plan.warnings,
        reversible=False,
        irreversible_note=act.say("migration_irreversible", target=plan.target),
    )


def _groups(plan: MigrationPlan) -> dict[str, list[str]]:
    """The names by what happens to them, at most `MOST_NAMES` in all."""
    create = [item.name for item in plan.create][:MOST_NAMES]
    update = [item.name for item in plan.update][: MOST_NAMES - len(create)]
    return {"dashboards_created": create, "dashboards_updated": update}


async def _compare(connection: Connection, request: MigrationRequest) -> Migration:
    sources = await dashboards.in_environment(connection, request.source, request.dashboard_ids, request.tag)
    await _require_all(connection, request, sources)
    there = await content.read(connection, request.target)
    migration = Migration()
    known = {image["key"]: image for image in there["dashboards"]}
    for source in sources:
        await _add_dashboard(connection, migration, source, known.get(source["key"]), request.target)
    names = list({chart["dataset"] for source in sources for chart in source["charts"]})
    old = {image["name"]: image for image in there["datasets"]}
    new = await datasets.by_name(connection, request.source, names)
    for name in sorted(new):
        await _add_dataset(connection, migration, new[name], old.get(name), request.target)
    migration.missing = set(names) - set(new) - set(old)
    return migration


async def _require_all(connection: Connection, request: MigrationRequest, sources: list[Image]) -> None:
    found = {image["id"] for image in sources}
    for dashboard_id in request.dashboard_ids:
        if dashboard_id not in found:
            row = await dashboards.get(connection, dashboard_id)
            raise Problem("other_environment", name=row["name"], environment=row["environment"], wanted=request.source)


async def _add_dashboard(
    connection: Connection, migration: Migration, source: Image, current: Image | None, target: str
) -> None:
    after = {**source, "environment": target, "id": current["id"] if current else None}
    fields = [change.field for change in between(current, after)] if current else []
    item = MigrationItem(id=source["id"], name=source["name"], target_id=after["id"], fields=fields)
    if current and not fields:
        migration.unchanged.append(item)
        return
    await dashboards.require_free_name(connection, after)
    (migration.update if current else migration.create).append(item)
    steps = migration.difference.update if current else migration.difference.create
    steps.append(Step("dashboards", current, after))


async def _add_dataset(
    connection: Connection, migration: Migration, source: Image, current: Image | None, target: str
) -> None:
    after = {**source, "environment": target, "id": current["id"] if current else None}
    if current is None:
        migration.difference.create.append(Step("datasets", None, after))
    elif between(current, after):
        migration.difference.update.append(Step("datasets", current, after))


def _warnings(migration: Migration, target: dict[str, object], lang: Lang) -> list[str]:
    warnings = []
    if migration.update:
        warnings.append(say(lang, "migration_overwrites", count=len(migration.update), target=target["id"]))
    if target["uncommitted_changes"]:
        warnings.append(say(lang, "target_uncommitted", count=target["uncommitted_changes"], target=target["id"]))
    if migration.missing:
        warnings.append(say(lang, "datasets_missing", names=", ".join(sorted(migration.missing)[:5])))
    if target["maintenance"]:
        warnings.append(say(lang, "target_in_maintenance", target=target["id"]))
    return warnings
