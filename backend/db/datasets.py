"""Datasets: finding, reading and writing them."""

from typing import Any

from psycopg.types.json import Jsonb

from backend.database import Connection
from backend.db import changes, environments
from backend.db.search import Filter, fold, page
from backend.differences import Image
from backend.effects import Act
from backend.models.common import Page, Resource
from backend.models.datasets import Dataset, DatasetSummary
from backend.problems import Problem
from backend.words import Lang

Row = dict[str, Any]
PUT = """
insert into datasets (id, environment, name, schema_name, source, description, owner_id, columns,
    refresh_every_hours, row_count, refreshed_at)
values (%(id)s, %(environment)s, %(name)s, %(schema)s, %(source)s, %(description)s, %(owner)s, %(columns)s,
    %(refresh_every_hours)s, %(row_count)s, %(refreshed_at)s)
on conflict (environment, name) do update set schema_name = excluded.schema_name, source = excluded.source,
    description = excluded.description, owner_id = excluded.owner_id, columns = excluded.columns,
    refresh_every_hours = excluded.refresh_every_hours, updated_at = clock_timestamp(), version = nextval('revisions')
"""
USED_BY = """
select d.id, d.name from dashboards d join datasets s
    on d.environment = s.environment and d.charts @> jsonb_build_array(jsonb_build_object('dataset', s.name))
where s.id = %s order by d.name
"""
LOAD = """
update datasets set row_count = row_count + greatest(1, row_count / 200), refreshed_at = clock_timestamp(),
    version = nextval('revisions') where id = %s
"""


async def search(
    connection: Connection,
    *,
    text: str | None,
    schema: str | None,
    source: str | None,
    environment: str | None,
    not_refreshed_days: int | None,
    limit: int,
    offset: int,
) -> Page[DatasetSummary]:
    """Datasets by words, schema, source, environment and age; the one whose name is `text` comes first."""
    wanted = Filter().text(text).add("environment = %(environment)s", environment=environment)
    wanted.add("fold(schema) = %(schema)s", schema=fold(schema) if schema else None)
    wanted.add("strpos(fold(source), %(source)s) > 0", source=fold(source) if source else None)
    wanted.add("refreshed_at < clock_timestamp() - make_interval(days => %(days)s)", days=not_refreshed_days)
    wanted.values["exact"] = fold(text or "")
    rows, total = await page(
        connection, "dataset_view", wanted, "fold(name) = %(exact)s desc, name, environment, id", limit, offset
    )
    return Page(items=[DatasetSummary(**row) for row in rows], total=total, limit=limit, offset=offset)


async def get(connection: Connection, dataset_id: int) -> Row:
    """One row of `dataset_view`; raises `Problem`."""
    found = await connection.execute("select * from dataset_view where id = %s", (dataset_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("dataset_not_found", id=dataset_id)
    return row


async def read(connection: Connection, dataset_id: int, lang: Lang) -> Dataset:
    """A dataset with its columns, the dashboards that read it and its last change; raises `Problem`."""
    row = await get(connection, dataset_id)
    return Dataset(
        **row,
        dashboards=await used_by(connection, dataset_id),  # type: ignore[arg-type]
        last_change=await changes.last_of(connection, "dataset", dataset_id, lang),
    )


async def used_by(connection: Connection, dataset_id: int) -> list[Row]:
    """Id and name of the dashboards that read it."""
    return await (await connection.execute(USED_BY.encode(), (dataset_id,))).fetchall()


async def lock(act: Act, dataset_id: int) -> Row:
    """A dataset and its environment, locked for a change; raises `Problem`."""
    row = await get(act.connection, dataset_id)
    await environments.lock(act.connection, [row["environment"]])
    return await get(act.connection, dataset_id)


async def image(connection: Connection, dataset_id: int) -> Image:
    """The dataset's definition as it can be put back; raises `Problem`."""
    found = await connection.execute("select dataset_image(s) as image from datasets s where id = %s", (dataset_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("dataset_not_found", id=dataset_id)
    return row["image"]


async def by_name(connection: Connection, environment: str, names: list[str]) -> dict[str, Image]:
    """Images of an environment's datasets with these names."""
    found = await connection.execute(
        "select dataset_image(s) as image from datasets s where environment = %s and name = any(%s) order by name",
        (environment, names),
    )
    return {row["image"]["name"]: row["image"] for row in await found.fetchall()}


async def next_id(connection: Connection) -> int:
    """A fresh id."""
    row = await (await connection.execute("select nextval('dataset_ids') as id")).fetchone()
    assert row is not None
    return int(row["id"])


async def put(connection: Connection, wanted: Image) -> None:
    """Write a dataset's definition as its image says; the data of an existing one stays."""
    await connection.execute(PUT.encode(), {**wanted, "columns": Jsonb(wanted["columns"])})


async def load(connection: Connection, dataset_id: int) -> None:
    """Load the data anew from the source (the demo's sources grow by half a percent each time)."""
    await connection.execute(LOAD.encode(), (dataset_id,))


async def remove(connection: Connection, dataset_id: int) -> None:
    """Delete a dataset with its data."""
    await connection.execute("delete from datasets where id = %s", (dataset_id,))


def reference(row: Row) -> Resource:
    """The dataset (a row or an image) as the resource of a call."""
    return Resource(type="dataset", id=str(row["id"]), name=row["name"])
