"""Environments: dev, stage and prod, their health and their maintenance mode."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import current, send
from tools.declare import declare
from tools.labels import state_label
from tools.results import Column, Returned, changed, detailed, listed, refused, table
from tools.toolset import Effect, Role
from tools.workspace.fields import Args, EnvironmentId

ENVIRONMENTS = (
    Column("id", "Environment", "Окружение"),
    Column("version", "Version", "Версия"),
    Column("latest_version", "Latest version", "Последняя версия"),
    Column("state", "State", "Состояние", state_label),
    Column("maintenance_message", "Message", "Сообщение"),
    Column("dashboards", "Dashboards", "Дашборды"),
    Column("datasets", "Datasets", "Датасеты"),
    Column("uncommitted_changes", "Uncommitted", "Не закоммичено"),
)
CHECKS = (
    Column("name", "Check", "Проверка"),
    Column("state", "State", "Состояние", state_label),
    Column("detail", "Detail", "Подробности"),
)


class NoArgs(Args):
    """Nothing to say."""


class EnvironmentArgs(Args):
    """One environment."""

    environment: EnvironmentId


class MaintenanceArgs(EnvironmentArgs):
    """Maintenance on or off."""

    enabled: Annotated[bool, Field(description="true switches maintenance on, false switches it off.")]
    message: Annotated[str, Field(max_length=500, description="What people see meanwhile.")] | None = None


@tool(response_format="content_and_artifact", args_schema=NoArgs)
async def list_environments() -> Returned:
    """List the environments (dev, stage, prod) with version, state, maintenance and number of uncommitted changes."""
    return listed(await send(Request("GET", "/environments")), ENVIRONMENTS)


@tool(response_format="content_and_artifact", args_schema=EnvironmentArgs)
async def check_environment_health(environment: str) -> Returned:
    """Check the health of one environment: database, cache, workers and disk."""
    answer = await send(Request("GET", "/environments/{environment}/health", {"environment": environment}))
    lang = current.get().call.lang
    return refused(answer) or detailed(
        answer,
        state_label(lang, answer.body.get("state")),
        table(CHECKS, answer.body.get("checks") or [], None, lang),
    )


def _maintenance(environment: str, **body: Any) -> Request:
    return Request("PUT", "/environments/{environment}/maintenance", {"environment": environment}, body=body)


@tool(response_format="content_and_artifact", args_schema=MaintenanceArgs)
async def set_maintenance_mode(environment: str, enabled: bool, message: str | None = None) -> Returned:
    """Switch an environment's maintenance mode on (people see a closed page) or off."""
    body = {"enabled": enabled} if message is None else {"enabled": enabled, "message": message}
    return changed(await send(_maintenance(environment, **body)))


def _maintenance_card(dry_run: DryRun) -> Card:
    environment, on = dry_run.args["environment"], dry_run.args["enabled"]
    switch = ("on", "Включить обслуживание") if on else ("off", "Снять с обслуживания")
    title_ru = f"Включить обслуживание на {environment}?" if on else f"Снять {environment} с обслуживания?"
    return Card(
        title=dry_run.say(f"Turn maintenance {switch[0]} for {environment}?", title_ru),
        approve=dry_run.say(f"Turn maintenance {switch[0]}", switch[1]),
        back=dry_run.say("It can be switched back at any time.", "Вернуть можно в любой момент."),
        lead=dry_run.say("People will see a closed page until it is off.", "Люди будут видеть страницу-заглушку.")
        if on
        else dry_run.say("It opens for everyone at once.", "Окружение сразу откроется для всех."),
        facts=[(dry_run.say("Environment", "Окружение"), environment)],
    )


TOOLS = (
    declare(
        list_environments,
        Effect.READ,
        ru="Список окружений (dev, stage, prod): версия, состояние, обслуживание, число незакоммиченных правок.",
        title=("Listed environments", "Список окружений"),
    ),
    declare(
        check_environment_health,
        Effect.READ,
        ru="Проверить здоровье окружения: база данных, кэш, воркеры, диск.",
        title=("Checked environment health", "Проверка здоровья окружения"),
    ),
    declare(
        set_maintenance_mode,
        Effect.DANGER,
        reader="check_environment_health",
        ru="Включить или выключить режим обслуживания окружения (люди видят заглушку).",
        title=("Switching maintenance mode", "Режим обслуживания"),
        companions=("list_environments",),
        role=Role.ADMIN,
        reason="closes an environment to everyone or opens it",
        request=_maintenance,
        card=_maintenance_card,
    ),
)
