"""The rows of the demo workspace, from `tables/*.json`."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

T = TypeVar("T")

VIEWER, EDITOR, ADMIN, SCHEDULER = "vera", "ilya", "anna", "scheduler"
ALL_ENVIRONMENTS = ("dev", "stage", "prod")


@dataclass(frozen=True, slots=True)
class SeedPerson:
    """A person; `seen` is how many hours ago they were here, None for never. Vera, Ilya and Anna may sign in."""

    id: str
    name: str
    name_ru: str
    title: str
    title_ru: str
    roles: list[str]
    seen: float | None
    active: bool = True


@dataclass(frozen=True, slots=True)
class SeedEnvironment:
    """An environment; `disk_percent` is how full its disk is at the start, its backups included."""

    id: str
    name: str
    name_ru: str
    version: str
    disk_gb: int
    disk_percent: int
    checks: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SeedDashboard:
    """A dashboard: `ids` by environment, `charts` as "title | kind | dataset", `days` since it was made.

    `only_in` has charts that only one environment has yet.
    """

    key: str
    name: str
    owner: str
    tags: list[str]
    ids: dict[str, int]
    charts: list[str]
    description: str = ""
    days: int = 200
    only_in: dict[str, list[str]] = field(default_factory=dict)

    def charts_in(self, environment: str) -> list[dict[str, str]]:
        """The charts as they are stored."""
        lines = [*self.charts, *self.only_in.get(environment, [])]
        return [dict(zip(("title", "kind", "dataset"), line.split(" | "), strict=True)) for line in lines]


@dataclass(frozen=True, slots=True)
class SeedDataset:
    """A dataset: `columns` as "name type", `rows` as in prod, `every` and `age` in hours, `ids` where fixed."""

    name: str
    schema: str
    source: str
    owner: str
    rows: int
    every: int
    age: float
    columns: list[str]
    description: str
    where: list[str] | tuple[str, ...] = ALL_ENVIRONMENTS
    ids: dict[str, int] = field(default_factory=dict)
    source_state: str = "ok"


@dataclass(frozen=True, slots=True)
class SeedTask:
    """A task; it starts `starts` minutes from the planting (mostly before it) and takes `minutes`."""

    id: int
    kind: str
    title: str
    environment: str
    targets: list[int]
    by: str
    starts: float
    minutes: float
    script: list[str]
    error: str | None = None
    stalls_at: float | None = None
    canceled_after: float | None = None


@dataclass(frozen=True, slots=True)
class SeedEvent:
    """An audit event, `hours` ago."""

    hours: float
    by: str
    action: str
    resource_type: str
    resource_id: str
    resource_name: str
    environment: str | None
    summary: str
    approval_id: str | None = None


@cache
def rows(name: str, kind: type[T]) -> list[T]:
    """The rows of one file."""
    text = files("backend.seed").joinpath("tables", f"{name}.json").read_text("utf-8")
    return [kind(**row) for row in json.loads(text)]


@cache
def documents() -> dict[str, dict[str, Any]]:
    """Every document by its id: kind, title, language, updated_by, content."""
    folder = files("backend.seed").joinpath("tables", "documents")
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".json")), key=lambda item: item.name)
    return {item.name.removesuffix(".json"): json.loads(item.read_text("utf-8")) for item in found}
