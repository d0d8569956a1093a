"""Dashboards: finding, reading and writing them."""

from typing import Any

from psycopg.types.json import Jsonb

from backend.database import Connection
from backend.db import changes, environments
from backend.db.search import Filter, fold, page
from backend.differences import Image
from backend.effects import Act
from backend.models.common import Page, Resource
from backend.models.dashboards import Dashboard, DashboardSummary
from backend.problems import Problem
from backend.words import Lang

Row = dict[str, Any]
PUT = """
insert into dashboards (id, key, environment, name, description, owner_id, tags, charts)
values (%(id)s, %(key)s, %(environment)s, %(name)s, %(description)s, %(owner)s, %(tags)s, %(charts)s)
on conflict (id) do update set name = excluded.name, description = excluded.description, owner_id = excluded.owner_id,
    tags = excluded.tags, charts = excluded.charts, updated_at = clock_timestamp(), version = nextval('revisions')
"""
CHARTS = """
select coalesce(jsonb_agg(chart || jsonb_build_object('broken', not exists (select from datasets s
    where s.environment = d.environment and s.name = chart ->> 'dataset')) order by n), '[]') as charts
from dashboards d cross join jsonb_array_elements(d.charts) with ordinality as c (chart, n) where d.id = %s
"""
USED = """
select distinct s.id, s.name, s.refreshed_at, s.stale from dataset_view s join dashboards d
    on d.environment = s.environment and d.charts @> jsonb_build_array(jsonb_build_object('dataset', s.name))
where d.id = %s order by s.name
"""
TAGGED = "%(tag)s = any(string_to_array(fold(array_to_string(tags, '|')), '|'))"
COPIES = """
select o.id, o.environment from dashboards d join dashboards o on o.key = d.key and o.id <> d.id
where d.id = %s order by o.environment
"""


async def search(
    connection: Connection,
    *,
    text: str | None,
    owner: str | None,
    tag: str | None,
    environment: str | None,
    limit: int,
    offset: int,
) -> Page[DashboardSummary]:
    """Dashboards by words, owner, tag and environment; the one whose name is `text` comes first."""
    wanted = Filter().text(text).person(owner, "owner_id").add("environment = %(environment)s", environment=environment)
    wanted.add(TAGGED, tag=fold(tag) if tag else None)
    wanted.values["exact"] = fold(text or "")
    order = "fold(name) = %(exact)s desc, name, environment, id"
    rows, total = await page(connection, "dashboard_view", wanted, order, limit, offset)
    items = [DashboardSummary(**{**row, "charts": len(row["charts"])}) for row in rows]
    return Page(items=items, total=total, limit=limit, offset=offset)


async def get(connection: Connection, dashboard_id: int) -> Row:
    """One row of `dashboard_view`; raises `Problem`."""
    found = await connection.execute("select * from dashboard_view where id = %s", (dashboard_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("dashboard_not_found", id=dashboard_id)
    return row


async def etag_of(connection: Connection, dashboard_id: str) -> str | None:
    """The etag of a dashboard, None when there is none (any more)."""
    found = await connection.execute("select etag from dashboard_view where id = %s", (int(dashboard_id),))
    row = await found.fetchone()
    return row["etag"] if row else None


async def read(connection: Connection, dashboard_id: int, lang: Lang) -> Dashboard:
    """A dashboard with its charts, datasets, copies and last change; raises `Problem`."""
    row = await get(connection, dashboard_id)
    details = {"charts": (await _all(connection, CHARTS, dashboard_id))[0]["charts"]} if row["charts"] else {}
    return Dashboard(
        **{**row, **details},
        datasets=await _all(connection, USED, dashboard_id),  # type: ignore[arg-type]
        copies=await _all(connection, COPIES, dashboard_id),  # type: ignore[arg-type]
        last_change=await changes.last_of(connection, "dashboard", dashboard_id, lang),
    )


async def _all(connection: Connection, query: str, dashboard_id: int) -> list[Row]:
    return await (await connection.execute(query.encode(), (dashboard_id,))).fetchall()


async def lock(act: Act, dashboard_id: int) -> Row:
    """A dashboard and its environment, locked for a change; raises `Problem` (absent, maintenance)."""
    row = await get(act.connection, dashboard_id)
    await environments.lock(act.connection, [row["environment"]])
    return await get(act.connection, dashboard_id)


async def image(connection: Connection, dashboard_id: int) -> Image:
    """The dashboard as it can be put back; raises `Problem`."""
    found = await connection.execute(
        "select dashboard_image(d) as image from dashboards d where id = %s", (dashboard_id,)
    )
    row = await found.fetchone()
    if row is None:
        raise Problem("dashboard_not_found", id=dashboard_id)
    return row["image"]


async def in_environment(connection: Connection, environment: str, ids: list[int], tag: str | None) -> list[Image]:
    """Images of an environment's dashboards by id or by tag."""
    found = await connection.execute(
        "select dashboard_image(d) as image from dashboards d where environment = %(environment)s"
        f" and (id = any(%(ids)s) or {TAGGED}) order by name",
        {"environment": environment, "ids": ids, "tag": fold(tag) if tag else None},
    )
    return [row["image"] for row in await found.fetchall()]


async def require_free_name(connection: Connection, wanted: Image) -> None:
    """Raises `Problem("name_taken")` when another dashboard of the environment has this name already.

    The caller holds the environment's lock, under which all names are given.
    """
    found = await connection.execute(
        "select id from dashboards where environment = %(environment)s and fold(name) = fold(%(name)s)"
        " and id <> coalesce(%(id)s, 0)",
        wanted,
    )
    if row := await found.fetchone():
        raise Problem("name_taken", name=wanted["name"], environment=wanted["environment"], other_id=row["id"])


async def next_id(connection: Connection) -> int:
    """A fresh id."""
    row = await (await connection.execute("select nextval('dashboard_ids') as id")).fetchone()
    assert row is not None
    return int(row["id"])


async def put(connection: Connection, wanted: Image) -> None:
    """Write a dashboard as its image says, new or not."""
    await connection.execute(PUT.encode(), {**wanted, "charts": Jsonb(wanted["charts"])})


async def remove(connection: Connection, dashboard_id: int) -> None:
    """Delete a dashboard."""
    await connection.execute("delete from dashboards where id = %s", (dashboard_id,))


def reference(row: Row) -> Resource:
    """The dashboard (a row or an image) as the resource of a call."""
    return Resource(type="dashboard", id=str(row["id"]), name=row["name"])
