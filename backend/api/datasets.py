"""Datasets."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.api.deps import (
    AdminEffect,
    AnalystEffect,
    Db,
    InEnvironment,
    Language,
    Limit,
    Line,
    NumberId,
    Offset,
    Viewer,
    Words,
)
from backend.api.responses import CHANGE, READ, READ_ONE
from backend.db import datasets
from backend.models.common import Outcome, Page, Preview
from backend.models.datasets import Dataset, DatasetSummary
from backend.plans import datasets as plans

router = APIRouter(prefix="/datasets", tags=["datasets"])


@router.get("", operation_id="search_datasets", summary="Search datasets", responses=READ)
async def search_datasets(
    person: Viewer,
    db: Db,
    text: Words = None,
    schema: Annotated[Line | None, Query(description="A database schema.", examples=["dm_finance"])] = None,
    source: Annotated[Line | None, Query(description="A part of the source's name.", examples=["Bitrix"])] = None,
    environment: InEnvironment = None,
    not_refreshed_days: Annotated[
        int | None, Query(ge=0, le=3650, description="Only data that was last loaded longer ago than this.")
    ] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[DatasetSummary]:
    """Datasets by the words of their name and description, by schema, source, environment and age of the data."""
    return await datasets.search(
        db,
        text=text,
        schema=schema,
        source=source,
        environment=environment,
        not_refreshed_days=not_refreshed_days,
        limit=limit,
        offset=offset,
    )


@router.get("/{dataset_id}", operation_id="get_dataset", summary="Get a dataset", responses=READ_ONE)
async def get_dataset(person: Viewer, db: Db, lang: Language, dataset_id: NumberId, response: Response) -> Dataset:
    """One dataset: columns, source, row count, freshness and the dashboards that read it."""
    found = await datasets.read(db, dataset_id, lang)
    response.headers["ETag"] = found.etag
    return found


@router.post(
    "/{dataset_id}/refresh",
    operation_id="refresh_dataset",
    summary="Refresh a dataset",
    response_model=Outcome[Dataset] | Preview,
    responses=CHANGE,
)
async def refresh_dataset(effect: AnalystEffect, dataset_id: NumberId) -> Response:
    """Load a dataset anew from its source; refused while the source is unavailable."""
    return await effect.run(plans.refresh_dataset, dataset_id)


@router.delete(
    "/{dataset_id}",
    operation_id="delete_dataset",
    summary="Delete a dataset",
    response_model=Outcome[None] | Preview,
    responses=CHANGE,
)
async def delete_dataset(effect: AdminEffect, dataset_id: NumberId) -> Response:
    """Delete a dataset and its data; the preview names the dashboards that would break."""
    return await effect.run(plans.delete_dataset, dataset_id)
