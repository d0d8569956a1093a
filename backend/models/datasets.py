"""Datasets."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from backend.models.common import Change, PersonRef, Shape


class DatasetSummary(Shape):
    """A dataset in a list."""

    id: int = Field(examples=[204])
    name: str = Field(examples=["fact_orders"])
    environment: str
    schema_: str = Field(alias="schema", examples=["dm_sales"])
    source: str = Field(examples=["1C"])
    row_count: int
    refreshed_at: datetime
    age_hours: float = Field(description="Hours since the data was last loaded.")
    stale: bool = Field(description="True when a planned refresh is overdue.")
    etag: str


class Column(Shape):
    """A column of a dataset."""

    name: str
    type: str
    description: str = ""


class UsingDashboard(Shape):
    """A dashboard that reads a dataset."""

    id: int
    name: str


class Dataset(DatasetSummary):
    """A dataset with its columns and who uses it."""

    description: str
    owner: PersonRef
    columns: list[Column]
    refresh_every_hours: int
    source_state: Literal["ok", "unavailable"]
    dashboards: list[UsingDashboard]
    last_change: Change | None
