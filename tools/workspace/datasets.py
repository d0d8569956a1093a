"""Datasets: find, look into, refresh, delete."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.language import say
from tools.results import Column, Returned, changed, detailed, instant, listed
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import Args, DatasetId, EnvironmentId, ListArgs, Text


def _stale(lang: Lang, stale: Any) -> str:
    return say(lang, "stale", "устарел") if stale else say(lang, "fresh", "свежий")


DATASETS = (
    Column("id", "Id", "Номер"),
    Column("name", "Name", "Название"),
    Column("environment", "Environment", "Окружение"),
    Column("schema", "Schema", "Схема"),
    Column("source", "Source", "Источник"),
    Column("row_count", "Rows", "Строк"),
    Column("refreshed_at", "Refreshed", "Обновлён", instant),
    Column("stale", "Freshness", "Свежесть", _stale),
)


class SearchDatasets(ListArgs):
    """What to look for; all given conditions must hold."""

    text: Annotated[Text, Field(description="Words of the name, schema, source or description.")] | None = None
    schema_name: Annotated[Text, Field(description="Database schema, such as dm_finance.")] | None = None
    source_system: Annotated[Text, Field(description="Source system, such as Bitrix or 1C.")] | None = None
    environment: EnvironmentId | None = None
    not_refreshed_days: (
        Annotated[int, Field(ge=0, le=3650, description="Only those not refreshed for this many days.")] | None
    ) = None


class DatasetArgs(Args):
    """One dataset."""

    dataset_id: DatasetId


@tool(response_format="content_and_artifact", args_schema=SearchDatasets)
async def search_datasets(schema_name: str | None = None, source_system: str | None = None, **query: Any) -> Returned:
    """Find datasets (tables) by text, schema, source, environment or age. Gives ids, row counts and freshness."""
    query |= {"schema": schema_name, "source": source_system}
    return listed(await send(Request("GET", "/datasets", query=query)), DATASETS)


@tool(response_format="content_and_artifact", args_schema=DatasetArgs)
async def get_dataset(dataset_id: int) -> Returned:
    """One dataset by id: columns, source and its state, number of rows, freshness, dashboards that use it."""
    answer = await send(Request("GET", "/datasets/{dataset_id}", {"dataset_id": dataset_id}))
    return detailed(answer, _named)


def _named(body: dict[str, Any], lang: Lang) -> str:
    return f"{body.get('name')} ({body.get('environment')})"


def _refresh(dataset_id: int) -> Request:
    return Request("POST", "/datasets/{dataset_id}/refresh", {"dataset_id": dataset_id})


@tool(response_format="content_and_artifact", args_schema=DatasetArgs)
async def refresh_dataset(dataset_id: int) -> Returned:
    """Reload one dataset from its source."""
    return changed(await send(_refresh(dataset_id)))


def _refresh_card(dry_run: DryRun) -> Card:
    name = dry_run.title_name
    return Card(
        title=dry_run.say(f"Refresh the dataset {name}?", f"Обновить датасет {name}?"),
        approve=dry_run.say("Refresh dataset", "Обновить датасет"),
        lead=dry_run.say("It is read again from its source.", "Данные будут прочитаны из источника заново."),
    )


def _delete(dataset_id: int) -> Request:
    return Request("DELETE", "/datasets/{dataset_id}", {"dataset_id": dataset_id})


@tool(response_format="content_and_artifact", args_schema=DatasetArgs)
async def delete_dataset(dataset_id: int) -> Returned:
    """Delete one dataset by id. Dashboards that read it break."""
    return changed(await send(_delete(dataset_id)))


def _delete_card(dry_run: DryRun) -> Card:
    name = dry_run.title_name
    return Card(
        title=dry_run.say(f"Delete the dataset {name}?", f"Удалить датасет {name}?"),
        approve=dry_run.say("Delete dataset", "Удалить датасет"),
        lead=dry_run.say("Charts that read it break at once.", "Графики, которые его читают, сразу сломаются."),
        risk="danger",
        facts=[(dry_run.say("Dataset", "Датасет"), f"{dry_run.name} · {dry_run.args['dataset_id']}")],
        type_to_sign=dry_run.name,
    )


TOOLS = (
    declare(
        search_datasets,
        Effect.READ,
        ru="Найти датасеты (таблицы, витрины) по тексту, схеме, источнику, окружению или давности обновления.",
        title=("Searched datasets", "Поиск датасетов"),
    ),
    declare(
        get_dataset,
        Effect.READ,
        ru="Один датасет: столбцы, источник, число строк, свежесть, какие дашборды его читают.",
        title=("Opened a dataset", "Просмотр датасета"),
        companions=("search_datasets",),
    ),
    declare(
        refresh_dataset,
        Effect.WRITE,
        reader="get_dataset",
        ru="Обновить датасет: перечитать данные из источника.",
        title=("Refreshing a dataset", "Обновление датасета"),
        companions=("search_datasets",),
        role=Role.ANALYST,
        request=_refresh,
        card=_refresh_card,
    ),
    declare(
        delete_dataset,
        Effect.DANGER,
        reader="get_dataset",
        ru="Удалить датасет по номеру. Дашборды, которые его читают, сломаются.",
        title=("Deleting a dataset", "Удаление датасета"),
        companions=("search_datasets",),
        role=Role.ADMIN,
        reason="destroys data",
        request=_delete,
        card=_delete_card,
    ),
)
