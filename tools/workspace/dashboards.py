"""Dashboards: find, look into, create, change, delete."""

from typing import Annotated, Any, Literal

from langchain_core.tools import tool
from pydantic import Field, model_validator

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.results import Column, Returned, changed, detailed, instant, listed, person
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import (
    Args,
    DashboardId,
    Description,
    EnvironmentId,
    ListArgs,
    Name,
    Owner,
    Tag,
    Tags,
    Text,
)

DASHBOARDS = (
    Column("id", "Id", "Номер"),
    Column("name", "Name", "Название"),
    Column("environment", "Environment", "Окружение"),
    Column("owner", "Owner", "Владелец", person),
    Column("tags", "Tags", "Теги"),
    Column("charts", "Charts", "Графики"),
    Column("updated_at", "Changed", "Изменён", instant),
)


Template = Literal["blank", "sales", "funnel", "finance", "logistics", "support"]


class SearchDashboards(ListArgs):
    """What to look for; all given conditions must hold."""

    text: Annotated[Text, Field(description="Words of the name, description or tags.")] | None = None
    owner: Annotated[Text, Field(description="Owner: a name in any language, or a login.")] | None = None
    tag: Annotated[Tag, Field(description="One tag.")] | None = None
    environment: EnvironmentId | None = None


class DashboardArgs(Args):
    """One dashboard."""

    dashboard_id: DashboardId


class CreateDashboard(Args):
    """A new dashboard."""

    name: Annotated[Name, Field(description="Its name.")]
    environment: EnvironmentId
    template: Annotated[Template, Field(description="What it starts from.")] = "blank"
    description: Annotated[Description, Field(description="What it shows.")] | None = None
    tags: Annotated[Tags, Field(description="Its tags.")] | None = None
    owner: (
        Annotated[Owner, Field(description="Login, e-mail or full name; the person who asks, if left out.")] | None
    ) = None


class UpdateDashboard(DashboardArgs):
    """What to change; at least one thing."""

    name: Annotated[Name, Field(description="New name.")] | None = None
    description: Annotated[Description, Field(description="New description.")] | None = None
    owner: Annotated[Owner, Field(description="New owner: login, e-mail or full name.")] | None = None
    tags: Annotated[Tags, Field(description="All tags, replacing the present ones.")] | None = None
    add_tags: Annotated[Tags, Field(description="Tags to add.")] | None = None
    remove_tags: Annotated[Tags, Field(description="Tags to take off.")] | None = None

    @model_validator(mode="after")
    def _something(self) -> "UpdateDashboard":
        if not any(getattr(self, name) is not None for name in type(self).model_fields if name != "dashboard_id"):
            raise ValueError("give at least one of name, description, owner, tags, add_tags, remove_tags")
        return self


@tool(response_format="content_and_artifact", args_schema=SearchDashboards)
async def search_dashboards(**query: Any) -> Returned:
    """Find dashboards by text, owner, tag or environment. Gives ids, owners, tags and when each last changed."""
    return listed(await send(Request("GET", "/dashboards", query=query)), DASHBOARDS)


@tool(response_format="content_and_artifact", args_schema=DashboardArgs)
async def get_dashboard(dashboard_id: int) -> Returned:
    """One dashboard by id: charts, datasets and their freshness, owner, copies elsewhere, and its last change."""
    answer = await send(Request("GET", "/dashboards/{dashboard_id}", {"dashboard_id": dashboard_id}))
    return detailed(answer, _named)


def _named(body: dict[str, Any], lang: Lang) -> str:
    return f"{body.get('name')} ({body.get('environment')})"


def _create(**body: Any) -> Request:
    return Request("POST", "/dashboards", body={k: v for k, v in body.items() if v is not None})


@tool(response_format="content_and_artifact", args_schema=CreateDashboard)
async def create_dashboard(**body: Any) -> Returned:
    """Create a dashboard in an environment, empty or from a template."""
    return changed(await send(_create(**body)))


def _create_card(dry_run: DryRun) -> Card:
    name, environment = dry_run.quote(dry_run.args["name"]), dry_run.args["environment"]
    return Card(
        title=dry_run.say(
            f"Create the dashboard {name} on {environment}?", f"Создать дашборд {name} на {environment}?"
        ),
        approve=dry_run.say("Create dashboard", "Создать дашборд"),
        lead=dry_run.say("It is visible to everyone there.", "Его увидят все, кто работает с этим окружением."),
        facts=[(dry_run.say("Environment", "Окружение"), environment)],
    )


def _update(dashboard_id: int, **body: Any) -> Request:
    given = {k: v for k, v in body.items() if v is not None}
    return Request("PATCH", "/dashboards/{dashboard_id}", {"dashboard_id": dashboard_id}, body=given)


@tool(response_format="content_and_artifact", args_schema=UpdateDashboard)
async def update_dashboard(dashboard_id: int, **body: Any) -> Returned:
    """Rename or retag a dashboard, change its owner or description. Use add_tags and remove_tags for single tags."""
    return changed(await send(_update(dashboard_id, **body)))


def _update_card(dry_run: DryRun) -> Card:
    name = dry_run.title_name
    return Card(
        title=dry_run.say(f"Change the dashboard {name}?", f"Изменить дашборд {name}?"),
        approve=dry_run.say("Change dashboard", "Изменить дашборд"),
        lead=dry_run.say("Takes effect at once, for everyone.", "Действует сразу и для всех."),
    )


def _delete(dashboard_id: int) -> Request:
    return Request("DELETE", "/dashboards/{dashboard_id}", {"dashboard_id": dashboard_id})


@tool(response_format="content_and_artifact", args_schema=DashboardArgs)
async def delete_dashboard(dashboard_id: int) -> Returned:
    """Delete one dashboard by id. Its datasets and its copies in other environments stay."""
    return changed(await send(_delete(dashboard_id)))


def _delete_card(dry_run: DryRun) -> Card:
    name = dry_run.title_name
    return Card(
        title=dry_run.say(f"Delete the dashboard {name}?", f"Удалить дашборд {name}?"),
        approve=dry_run.say("Delete dashboard", "Удалить дашборд"),
        lead=dry_run.say("It disappears for everyone at once.", "Он сразу пропадёт у всех."),
        risk="danger",
        facts=[(dry_run.say("Dashboard", "Дашборд"), f"{dry_run.name} · {dry_run.args['dashboard_id']}")],
    )


TOOLS = (
    declare(
        search_dashboards,
        Effect.READ,
        ru="Найти дашборды по тексту, владельцу, тегу или окружению.",
        title=("Searched dashboards", "Поиск дашбордов"),
    ),
    declare(
        get_dashboard,
        Effect.READ,
        ru="Один дашборд: графики, датасеты и их свежесть, владелец, последнее изменение.",
        title=("Opened a dashboard", "Просмотр дашборда"),
        companions=("search_dashboards",),
    ),
    declare(
        create_dashboard,
        Effect.WRITE,
        ru="Создать дашборд в окружении: пустой или из шаблона.",
        title=("Creating a dashboard", "Создание дашборда"),
        role=Role.EDITOR,
        request=_create,
        card=_create_card,
    ),
    declare(
        update_dashboard,
        Effect.WRITE,
        reader="get_dashboard",
        ru="Переименовать дашборд, поменять теги, владельца или описание.",
        title=("Changing a dashboard", "Изменение дашборда"),
        companions=("search_dashboards",),
        role=Role.EDITOR,
        request=_update,
        card=_update_card,
    ),
    declare(
        delete_dashboard,
        Effect.DANGER,
        reader="get_dashboard",
        ru="Удалить дашборд по номеру. Датасеты и копии в других окружениях останутся.",
        title=("Deleting a dashboard", "Удаление дашборда"),
        companions=("search_dashboards",),
        role=Role.EDITOR,
        reason="destroys data",
        request=_delete,
        card=_delete_card,
    ),
)
