"""Backups of environments: list, take, restore, delete."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.language import say
from tools.results import Column, Returned, amount, changed, instant, listed, person
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import Args, BackupId, EnvironmentId, ListArgs, Since, Until


def _kind(lang: Lang, kind: Any) -> str:
    return say(lang, "nightly", "ночная") if kind == "nightly" else say(lang, "manual", "ручная")


BACKUPS = (
    Column("id", "Id", "Номер"),
    Column("environment", "Environment", "Окружение"),
    Column("created_at", "Taken", "Сделана", instant),
    Column("size_bytes", "Size", "Размер", amount),
    Column("kind", "Kind", "Вид", _kind),
    Column("created_by", "By", "Кем", person),
    Column("note", "Note", "Пометка"),
)


class ListBackups(ListArgs):
    """Which backups; newest first."""

    environment: EnvironmentId | None = None
    since: Since | None = None
    until: Until | None = None


class CreateBackup(Args):
    """A backup of an environment."""

    environment: EnvironmentId
    note: Annotated[str, Field(max_length=500, description="Why it is taken.")] | None = None


class BackupArgs(Args):
    """One backup."""

    backup_id: BackupId


class RestoreBackup(BackupArgs):
    """A backup and the environment it goes back to."""

    environment: EnvironmentId


@tool(response_format="content_and_artifact", args_schema=ListBackups)
async def list_backups(**query: Any) -> Returned:
    """List backups, newest first, with id, date, size and who took them; of one environment or period if given."""
    return listed(await send(Request("GET", "/backups", query=query)), BACKUPS)


def _create(environment: str, note: str | None = None) -> Request:
    body = {} if note is None else {"note": note}
    return Request("POST", "/environments/{environment}/backups", {"environment": environment}, body=body)


@tool(response_format="content_and_artifact", args_schema=CreateBackup)
async def create_backup(environment: str, note: str | None = None) -> Returned:
    """Take a backup of an environment."""
    return changed(await send(_create(environment, note)))


def _create_card(dry_run: DryRun) -> Card:
    environment = dry_run.args["environment"]
    return Card(
        title=dry_run.say(f"Take a backup of {environment}?", f"Сделать резервную копию {environment}?"),
        approve=dry_run.say("Take backup", "Сделать копию"),
        back=dry_run.say("The backup can be deleted again.", "Копию потом можно удалить."),
        lead=dry_run.say("Content is only read.", "Содержимое только читается."),
        facts=[
            (dry_run.say("Environment", "Окружение"), environment),
            (dry_run.say("Note", "Пометка"), dry_run.args.get("note")),
        ],
    )


def _restore(backup_id: str, environment: str) -> Request:
    body = {"environment": environment}
    return Request("POST", "/backups/{backup_id}/restore", {"backup_id": backup_id}, body=body)


@tool(response_format="content_and_artifact", args_schema=RestoreBackup)
async def restore_backup(backup_id: str, environment: str) -> Returned:
    """Put an environment's content back to what one of its own backups holds. What came after is lost."""
    return changed(await send(_restore(backup_id, environment)))


def _restore_card(dry_run: DryRun) -> Card:
    environment, backup = dry_run.args["environment"], dry_run.args["backup_id"]
    return Card(
        title=dry_run.say(
            f"Restore {environment} from the backup {backup}?", f"Восстановить {environment} из копии {backup}?"
        ),
        approve=dry_run.say(f"Restore {environment}", f"Восстановить {environment}"),
        lead=dry_run.say(
            f"{environment} becomes what it was when the backup was taken, for everyone.",
            f"{environment} у всех станет таким, каким был в момент копии.",
        ),
        risk="danger",
        facts=[
            (dry_run.say("Environment", "Окружение"), environment),
            (dry_run.say("Backup", "Копия"), backup),
        ],
        total=sum(dry_run.count(label) for label in ("created", "updated", "deleted")),
        type_to_sign=environment if environment == "prod" else None,
    )


def _delete(backup_id: str) -> Request:
    return Request("DELETE", "/backups/{backup_id}", {"backup_id": backup_id})


@tool(response_format="content_and_artifact", args_schema=BackupArgs)
async def delete_backup(backup_id: str) -> Returned:
    """Delete one backup for good."""
    return changed(await send(_delete(backup_id)))


def _delete_card(dry_run: DryRun) -> Card:
    backup = dry_run.args["backup_id"]
    return Card(
        title=dry_run.say(
            f"Delete the backup {backup}{dry_run.place}?", f"Удалить резервную копию {backup}{dry_run.place}?"
        ),
        approve=dry_run.say("Delete backup", "Удалить копию"),
        lead=dry_run.say("One restore point less.", "Точкой восстановления меньше."),
        risk="danger",
        facts=[(dry_run.say("Backup", "Копия"), backup)],
        type_to_sign=backup,
    )


TOOLS = (
    declare(
        list_backups,
        Effect.READ,
        ru="Список резервных копий с датой, размером и автором; по окружению или за период.",
        title=("Listed backups", "Список резервных копий"),
    ),
    declare(
        create_backup,
        Effect.WRITE,
        ru="Сделать резервную копию окружения.",
        title=("Taking a backup", "Создание резервной копии"),
        role=Role.EDITOR,
        request=_create,
        card=_create_card,
    ),
    declare(
        restore_backup,
        Effect.DANGER,
        ru="Восстановить окружение из его резервной копии. Всё более позднее пропадёт.",
        title=("Restoring a backup", "Восстановление из копии"),
        companions=("list_backups",),
        role=Role.ADMIN,
        reason="overwrites an environment",
        request=_restore,
        card=_restore_card,
    ),
    declare(
        delete_backup,
        Effect.DANGER,
        ru="Удалить резервную копию насовсем.",
        title=("Deleting a backup", "Удаление резервной копии"),
        companions=("list_backups",),
        role=Role.ADMIN,
        reason="destroys data",
        request=_delete,
        card=_delete_card,
    ),
)
