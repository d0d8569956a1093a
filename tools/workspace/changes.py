"""Changes of content: what is uncommitted, commits, rollback, undo of a single change."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import current, send
from tools.declare import declare
from tools.language import say
from tools.results import Column, Returned, changed, detailed, instant, person, refused, table
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import Args, ChangeId, CommitHash, EnvironmentId, ListArgs

CHANGES = (
    Column("id", "Id", "Номер"),
    Column("what", "What", "Что"),
    Column("by", "By", "Кто", person),
    Column("at", "When", "Когда", instant),
    Column("state", "State", "Состояние"),
)


class ListChanges(ListArgs):
    """Of which environment."""

    environment: EnvironmentId


class CommitChanges(Args):
    """What to commit and its message."""

    environment: EnvironmentId
    message: Annotated[str, Field(min_length=1, max_length=200, description="Commit message.")]


class RollbackCommit(Args):
    """Where to go back to."""

    environment: EnvironmentId
    commit: CommitHash


class UndoChange(Args):
    """One change."""

    change_id: ChangeId


@tool(response_format="content_and_artifact", args_schema=ListChanges)
async def list_changes(environment: str, **query: Any) -> Returned:
    """Uncommitted changes and the commit history of an environment's content, newest first."""
    path = "/environments/{environment}/changes"
    answer = await send(Request("GET", path, {"environment": environment}, query))
    lang = current.get().call.lang
    return refused(answer) or detailed(answer, _summary, table(CHANGES, _history(answer.body, lang), None, lang))


def _history(body: dict[str, Any], lang: Lang) -> list[dict[str, Any]]:
    """Uncommitted changes first, then commits, in one table."""
    waiting, done = say(lang, "uncommitted", "не закоммичено"), say(lang, "commit", "коммит")
    changes = [{**c, "what": c.get("summary"), "state": waiting} for c in body.get("uncommitted") or []]
    commits = [
        {"id": c.get("short_id"), "what": c.get("message"), "by": c.get("author"), "at": c.get("at"), "state": done}
        for c in body.get("commits") or []
    ]
    return changes + commits


def _summary(body: dict[str, Any], lang: Lang) -> str:
    changes, commits = len(body.get("uncommitted") or []), body.get("total") or 0
    return say(lang, f"{changes} uncommitted, {commits} commits", f"не закоммичено: {changes}, коммитов: {commits}")


def _commit(environment: str, message: str) -> Request:
    path = "/environments/{environment}/commits"
    return Request("POST", path, {"environment": environment}, body={"message": message})


@tool(response_format="content_and_artifact", args_schema=CommitChanges)
async def commit_changes(environment: str, message: str) -> Returned:
    """Commit all uncommitted changes of an environment with a message."""
    return changed(await send(_commit(environment, message)))


def _commit_card(dry_run: DryRun) -> Card:
    environment = dry_run.args["environment"]
    changes = dry_run.plural(dry_run.count("changes"), ("change", "changes"), ("изменение", "изменения", "изменений"))
    return Card(
        title=dry_run.say(f"Commit {changes} on {environment}?", f"Закоммитить {changes} на {environment}?"),
        approve=dry_run.say(f"Commit {changes}", f"Закоммитить {changes}"),
        back=dry_run.say("A rollback leads back.", "Вернуться можно откатом."),
        lead=dry_run.say("They become one entry of the history.", "Они станут одной записью истории."),
        facts=[
            (dry_run.say("Environment", "Окружение"), environment),
            (dry_run.say("Message", "Сообщение"), dry_run.args["message"]),
        ],
        total=dry_run.count("changes"),
    )


def _rollback(environment: str, commit: str) -> Request:
    path = "/environments/{environment}/rollback"
    return Request("POST", path, {"environment": environment}, body={"commit": commit})


@tool(response_format="content_and_artifact", args_schema=RollbackCommit)
async def rollback_commit(environment: str, commit: str) -> Returned:
    """Roll an environment's whole content back to an earlier commit. Uncommitted changes are lost."""
    return changed(await send(_rollback(environment, commit)))


def _rollback_card(dry_run: DryRun) -> Card:
    environment, commit = dry_run.args["environment"], dry_run.args["commit"]
    return Card(
        title=dry_run.say(
            f"Roll {environment} back to the commit {commit}?", f"Откатить {environment} к коммиту {commit}?"
        ),
        approve=dry_run.say(f"Roll {environment} back", f"Откатить {environment}"),
        lead=dry_run.say(
            "Content becomes what it was then, for everyone.", "Содержимое станет таким, каким было тогда, у всех."
        ),
        risk="danger",
        facts=[
            (dry_run.say("Environment", "Окружение"), environment),
            (dry_run.say("Commit", "Коммит"), commit),
        ],
        total=sum(dry_run.count(label) for label in ("created", "updated", "deleted")),
        type_to_sign=environment if environment == "prod" else None,
    )


def _undo(change_id: int) -> Request:
    return Request("POST", "/changes/{change_id}/undo", {"change_id": change_id})


@tool(response_format="content_and_artifact", args_schema=UndoChange)
async def undo_change(change_id: int) -> Returned:
    """Undo one earlier change of a document, dashboard or dataset by its change id (see last_change of the object)."""
    return changed(await send(_undo(change_id)))


def _undo_card(dry_run: DryRun) -> Card:
    change, name = dry_run.args["change_id"], dry_run.title_name
    return Card(
        title=dry_run.say(f"Undo the change {change} of {name}?", f"Отменить изменение {change}: {name}?"),
        approve=dry_run.say("Undo change", "Отменить изменение"),
        lead=dry_run.say(
            "The object becomes what it was before that change.", "Объект станет таким, каким был до него."
        ),
    )


TOOLS = (
    declare(
        list_changes,
        Effect.READ,
        ru="Незакоммиченные изменения и история коммитов окружения.",
        title=("Listed changes", "Список изменений"),
    ),
    declare(
        commit_changes,
        Effect.WRITE,
        ru="Закоммитить изменения окружения с сообщением.",
        title=("Committing changes", "Коммит изменений"),
        companions=("list_changes",),
        role=Role.EDITOR,
        request=_commit,
        card=_commit_card,
    ),
    declare(
        rollback_commit,
        Effect.DANGER,
        ru="Откатить содержимое окружения к более раннему коммиту. Незакоммиченное пропадёт.",
        title=("Rolling back a commit", "Откат коммита"),
        companions=("list_changes",),
        role=Role.ADMIN,
        reason="overwrites an environment",
        request=_rollback,
        card=_rollback_card,
    ),
    declare(
        undo_change,
        Effect.WRITE,
        ru="Отменить одно изменение документа, дашборда или датасета по номеру изменения.",
        title=("Undoing a change", "Отмена изменения"),
        companions=("get_dashboard", "read_document"),
        role=Role.EDITOR,
        request=_undo,
        card=_undo_card,
    ),
)
