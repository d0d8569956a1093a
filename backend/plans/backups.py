"""Taking, restoring and deleting backups."""

from backend.db import backups, content, environments
from backend.db.content import Difference
from backend.effects import Act, Done, Plan
from backend.models.common import MOST_NAMES, FieldChange, Preview
from backend.models.operations import MAX_NAMES, BackupCreate, Restored, RestoreRequest
from backend.problems import Problem


async def create_backup(act: Act, environment: str, body: BackupCreate) -> Plan:
    """Copy the content of an environment."""
    row = (await environments.lock(act.connection, [environment]))[environment]
    act.match(row["content_etag"], environments.reference(row))
    copy = await content.read(act.connection, environment)

    async def apply() -> Done:
        backup = await backups.add(act.connection, environment, copy, note=body.note, by=act.person.id)
        message = act.say("backup_created", id=backup.id, environment=environment)
        return Done(backup, backups.reference(backup), message, etag=backup.etag, environment=environment, status=201)

    preview = Preview(
        operation=act.operation,
        resource=environments.reference(row),
        etag=row["content_etag"],
        counts={**_counts(row), "size_megabytes": backups.size_of(copy) // 1_000_000},
        reversible=True,
    )
    return Plan(preview, apply)


async def restore_backup(act: Act, backup_id: str, body: RestoreRequest) -> Plan:
    """Set the content of the backup's environment back to what the backup holds."""
    backup = await backups.lock(act.connection, backup_id)
    if body.environment not in (None, backup.environment):
        raise Problem("other_environment", name=backup.id, environment=backup.environment, wanted=body.environment)
    row = await environments.lock_open(act, backup.environment)
    act.match(row["content_etag"], environments.reference(row))
    copy = await backups.content(act.connection, backup_id)
    difference = content.compare(await content.read(act.connection, backup.environment), copy)

    async def apply() -> Done:
        await content.carry_out(act, backup.environment, difference)
        etag = await environments.touch(act.connection, backup.environment)
        message = act.say("backup_restored", id=backup.id, environment=backup.environment, **difference.counts())
        return Done(
            restored(backup.environment, difference),
            environments.reference(row),
            message,
            etag=etag,
            environment=backup.environment,
            details={"backup": backup.id, **difference.counts()},
        )

    note = act.say("restore_irreversible", environment=backup.environment, at=f"{backup.created_at:%Y-%m-%d %H:%M} UTC")
    return Plan(restore_preview(act, row, difference, note), apply)


async def delete_backup(act: Act, backup_id: str) -> Plan:
    """Delete one backup for good."""
    backup = await backups.lock(act.connection, backup_id)
    act.match(backup.etag, backups.reference(backup))
    newest = await backups.search(
        act.connection, environment=backup.environment, since=None, until=None, limit=1, offset=0
    )

    async def apply() -> Done:
        await backups.remove(act.connection, backup_id)
        message = act.say("backup_deleted", id=backup.id, environment=backup.environment)
        return Done(None, backups.reference(backup), message, environment=backup.environment)

    is_newest = newest.items[0].id == backup.id
    preview = Preview(
        operation=act.operation,
        resource=backups.reference(backup),
        environment=backup.environment,
        etag=backup.etag,
        changes=[FieldChange(field="id", before=backup.id)],
        counts={"size_megabytes": backup.size_bytes // 1_000_000, "backups_left": newest.total - 1},
        warnings=[act.say("newest_backup", environment=backup.environment)] if is_newest else [],
        reversible=False,
        irreversible_note=act.say("backup_irreversible"),
    )
    return Plan(preview, apply)


def restored(environment: str, difference: Difference, commit: str | None = None) -> Restored:
    """The answer of everything that sets content back."""
    names = [step.name for step in difference.steps][:MAX_NAMES]
    return Restored(environment=environment, names=names, commit=commit, **difference.counts())


def restore_preview(act: Act, row: environments.Row, difference: Difference, note: str) -> Preview:
    """The preview of everything that sets content back."""
    uncommitted = row["uncommitted_changes"]
    return Preview(
        operation=act.operation,
        resource=environments.reference(row),
        etag=row["content_etag"],
        counts=difference.counts(),
        first_names=[step.name for step in difference.steps][:MOST_NAMES],
        groups=difference.names(MOST_NAMES),
        warnings=[act.say("uncommitted_lost", count=uncommitted)] if uncommitted else [],
        reversible=False,
        irreversible_note=note,
    )


def _counts(row: environments.Row) -> dict[str, int]:
    return {"dashboards": row["dashboards"], "datasets": row["datasets"]}
