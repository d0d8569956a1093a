"""The demo workspace: rich, in two languages, consistent, and the same every time."""

import re

import pytest

from backend.seed.attachments import all_attachments
from tests.backend.world import World, rows


async def test_there_is_enough_of_everything(still: World) -> None:
    (count,) = rows(
        still.database_url,
        "select (select count(distinct key) from dashboards) as dashboards,"
        " (select count(distinct name) from datasets) as datasets, (select count(*) from users) as users,"
        " (select count(*) from documents) as documents, (select count(*) from backups) as backups,"
        " (select count(*) from tasks) as tasks, (select count(*) from commits) as commits,"
        " (select count(*) from audit_events) as events",
    )
    least = {
        "dashboards": 40, "datasets": 25, "users": 10, "documents": 8, "backups": 20, "tasks": 12, "commits": 10,
        "events": 40,
    }  # fmt: skip
    assert {name: count[name] for name in least if count[name] < least[name]} == {}


async def test_names_come_in_both_languages(still: World) -> None:
    names = [row["name"] for row in rows(still.database_url, "select distinct name from dashboards")]
    russian = [name for name in names if re.search("[А-Яа-я]", name)]
    assert min(len(russian), len(names) - len(russian)) >= 15


@pytest.mark.parametrize("number", [52, 61, 77, 88, 94, 133, 219, 305, 317, 341, 412])
async def test_dashboards_that_people_talk_about(still: World, number: int) -> None:
    assert (await still.get(f"/dashboards/{number}"))["id"] == number


@pytest.mark.parametrize("number", [3307, 5520, 6602, 7714, 8120, 9381])
async def test_tasks_that_people_talk_about(still: World, number: int) -> None:
    assert (await still.get(f"/tasks/{number}"))["id"] == number


async def test_every_chart_but_none_reads_a_dataset_that_is_there(still: World) -> None:
    broken = rows(
        still.database_url,
        "select d.id, c ->> 'dataset' as dataset from dashboards d, jsonb_array_elements(d.charts) c where not exists"
        " (select from datasets s where s.environment = d.environment and s.name = c ->> 'dataset')",
    )
    assert broken == []


async def test_history_leads_to_what_is_there(still: World) -> None:
    wrong = rows(
        still.database_url,
        "select distinct on (c.resource_id) c.resource_id, c.after::jsonb = dashboard_image(d) as same from changes c"
        " join dashboards d on d.id::text = c.resource_id where c.resource_type = 'dashboard'"
        " order by c.resource_id, c.id desc",
    )
    assert len(wrong) > 10
    assert all(row["same"] for row in wrong)
    revisions = rows(
        still.database_url,
        "select d.id from documents d join document_revisions r on r.document_id = d.id and r.revision = d.revision"
        " where r.content::text <> d.content::text",
    )
    assert revisions == []


async def test_ids_made_later_do_not_meet_those_planted(still: World) -> None:
    (ids,) = rows(
        still.database_url,
        "select (select max(id) from dashboards) as d, (select max(id) from datasets) as s,"
        " (select max(id) from tasks) as t, (select max(substr(id, 4)::int) from backups where id ~ '^bk-\\d{1,6}$')"
        " as b",
    )
    assert ids["d"] < 1001
    assert ids["s"] < 3001
    assert ids["t"] < 9400
    assert ids["b"] < 552


async def test_attached_files_are_the_same_every_time(still: World) -> None:
    once, twice = all_attachments(), all_attachments()
    assert [a.data for a in once if not a.name.endswith("docx")] == [
        a.data for a in twice if not a.name.endswith("docx")
    ]
