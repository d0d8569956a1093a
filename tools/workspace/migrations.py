"""Migrations: plan and run the copying of dashboards with their datasets from one environment to another."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field, model_validator

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import current, send
from tools.declare import declare
from tools.language import say
from tools.results import Column, Returned, changed, detailed, refused, table
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import Args, DashboardId, EnvironmentId, Tag

_ACTIONS = {
    "create": ("create", "создать"),
    "update": ("overwrite", "перезаписать"),
    "unchanged": ("unchanged", "без изменений"),
}


def _action(lang: Lang, action: Any) -> str:
    return say(lang, *_ACTIONS[action])


ITEMS = (
    Column("id", "Id", "Номер"),
    Column("name", "Dashboard", "Дашборд"),
    Column("action", "Action", "Действие", _action),
    Column("fields", "Changes in", "Отличия"),
)


class MigrationArgs(Args):
    """What to copy, from where to where: dashboards by id, or all with one tag."""

    source: EnvironmentId
    target: EnvironmentId
    dashboard_ids: (
        Annotated[list[DashboardId], Field(min_length=1, max_length=100, description="Ids of source dashboards.")]
        | None
    ) = None
    tag: Annotated[Tag, Field(description="Instead of ids: all dashboards of the source with this tag.")] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "MigrationArgs":
        if self.source == self.target:
            raise ValueError("source and target must differ")
        if (self.dashboard_ids is None) == (self.tag is None):
            raise ValueError("give either dashboard_ids or tag")
        return self


@tool(response_format="content_and_artifact", args_schema=MigrationArgs)
async def plan_migration(**query: Any) -> Returned:
    """Dry run of a migration: what copying dashboards from one environment to another would create and overwrite."""
    answer = await send(Request("GET", "/migrations/plan", query=query))
    lang = current.get().call.lang
    return refused(answer) or detailed(answer, _plan_summary, table(ITEMS, _items(answer.body), None, lang))


def _items(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**item, "action": action} for action in _ACTIONS for item in plan.get(action) or []]


def _plan_summary(plan: dict[str, Any], lang: Lang) -> str:
    new, changes, same = (len(plan.get(action) or []) for action in _ACTIONS)
    return say(
        lang,
        f"{new} new, {changes} to overwrite, {same} unchanged",
        f"новых: {new}, перезаписать: {changes}, без изменений: {same}",
    )


def _run(**body: Any) -> Request:
    return Request("POST", "/migrations", body={k: v for k, v in body.items() if v is not None})


@tool(response_format="content_and_artifact", args_schema=MigrationArgs)
async def run_migration(**body: Any) -> Returned:
    """Copy dashboards with their datasets from one environment to another. Run plan_migration first."""
    return changed(await send(_run(**body)))


def _run_card(dry_run: DryRun) -> Card:
    source, target = dry_run.args["source"], dry_run.args["target"]
    to_prod = target == "prod"
    copies = dry_run.plural(_copied(dry_run), ("dashboard", "dashboards"), ("дашборд", "дашборда", "дашбордов"))
    return Card(
        title=dry_run.say(f"Copy {copies} from {source} to {target}?", f"Скопировать {copies} из {source} в {target}?"),
        approve=dry_run.say(f"Copy {copies}", f"Скопировать {copies}"),
        lead=dry_run.say(
            f"Their datasets go along. What {target} has under the same names is overwritten.",
            f"Датасеты копируются вместе с ними. Одноимённое в {target} будет перезаписано.",
        ),
        risk="danger" if to_prod else "change",
        facts=[
            (dry_run.say("To", "Куда"), target),
            (dry_run.say("From", "Откуда"), source),
            (dry_run.say("Tag", "Тег"), dry_run.args.get("tag")),
        ],
        total=_copied(dry_run),
        type_to_sign=target if to_prod else None,
    )


def _copied(dry_run: DryRun) -> int:
    """How many dashboards move, as the backend counts them."""
    return dry_run.count("dashboards_created") + dry_run.count("dashboards_updated")


TOOLS = (
    declare(
        plan_migration,
        Effect.READ,
        ru="Пробный прогон переноса: что создаст и перезапишет копирование дашбордов из одного окружения в другое.",
        title=("Planned a migration", "План переноса"),
        companions=("search_dashboards",),
    ),
    declare(
        run_migration,
        Effect.DANGER,
        ru="Скопировать дашборды с датасетами из одного окружения в другое. Сначала plan_migration.",
        title=("Running a migration", "Перенос"),
        companions=("plan_migration", "search_dashboards"),
        role=Role.EDITOR,
        reason="overwrites content of another environment",
        request=_run,
        card=_run_card,
    ),
)
