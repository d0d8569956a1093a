"""Every reading tool against the real workspace over HTTP."""

import json

import pytest

from tests.tools.workspace import Workspace

pytestmark = pytest.mark.asyncio(loop_scope="module")
LISTS = [
    ("list_environments", {}),
    ("search_dashboards", {"text": "касса", "environment": "prod"}),
    ("search_dashboards", {"owner": "Корнеева"}),
    ("search_datasets", {"schema_name": "dm_finance", "environment": "stage"}),
    ("search_datasets", {"source_system": "Bitrix"}),
    ("search_datasets", {"not_refreshed_days": 7}),
    ("list_backups", {"environment": "prod", "since": "2020-01-01", "until": "2099-01-01"}),
    ("list_tasks", {"state": "failed"}),
    ("list_tasks", {"kind": "make_thumbnails"}),
    ("list_users", {"role": "admin"}),
    ("list_users", {"text": "Трофимчук"}),
    ("list_audit_events", {"action": "delete_dashboard"}),
    ("list_audit_events", {"actor": "t.galeev", "since": "2020-01-01"}),
]


@pytest.mark.parametrize(("name", "args"), LISTS, ids=lambda value: value if isinstance(value, str) else None)
async def test_a_list_has_items_for_the_model_and_a_table_for_the_card(
    untouched: Workspace, name: str, args: dict[str, object]
) -> None:
    result = await untouched.run(name, "vera", **args)
    assert result.ok, result.text
    told = json.loads(result.text)
    assert told["total"] > 0
    assert result.summary == f"{told['total']} found"
    assert len(told["items"]) == len(result.data["rows"])
    assert all(len(row) == len(result.data["columns"]) for row in result.data["rows"])
    assert result.data["total"] == told["total"]


async def test_a_list_is_cut_to_whole_items_and_says_so(untouched: Workspace) -> None:
    result = await untouched.run("search_dashboards", limit=100)
    told = json.loads(result.text)
    assert len(result.text) <= 8_000
    assert len(told["items"]) < told["total"]
    assert told["truncated"] == f"{len(told['items'])} of {told['total']}"


async def test_the_second_page_goes_on(untouched: Workspace) -> None:
    first = await untouched.items("search_dashboards", limit=5)
    second = await untouched.items("search_dashboards", limit=5, offset=5)
    assert len(first) == len(second) == 5
    assert not {item["id"] for item in first} & {item["id"] for item in second}


async def test_words_are_those_of_the_person(untouched: Workspace) -> None:
    result = await untouched.run("search_dashboards", call=untouched.call("vera", lang="ru"), text="Weekly Funnel")
    assert result.summary.startswith("найдено: ")
    assert "Владелец" in result.data["columns"]
    owner = result.data["columns"].index("Владелец")
    assert all(any("а" <= letter <= "я" for letter in row[owner].lower()) for row in result.data["rows"])


async def test_one_dashboard(untouched: Workspace) -> None:
    found = await untouched.first("search_dashboards", text="Weekly Funnel", environment="prod")
    result = await untouched.run("get_dashboard", "vera", dashboard_id=found["id"])
    told = json.loads(result.text)
    assert result.summary == "Weekly Funnel (prod)"
    assert told["charts"]
    assert told["last_change"]["id"] > 0
    assert "etag" not in told
    assert result.etag


async def test_one_dataset(untouched: Workspace) -> None:
    found = await untouched.first("search_datasets", text="dim_customer", environment="prod")
    told = json.loads((await untouched.run("get_dataset", "vera", dataset_id=found["id"])).text)
    assert {"columns", "row_count", "source_state", "dashboards"} <= told.keys()


async def test_one_task(untouched: Workspace) -> None:
    found = await untouched.first("list_tasks", state="failed")
    result = await untouched.run("get_task", "vera", task_id=found["id"])
    told = json.loads(result.text)
    assert told["log"]
    assert told["error"]
    assert result.summary.startswith("failed, ")


async def test_health(untouched: Workspace) -> None:
    result = await untouched.run("check_environment_health", call=untouched.call("vera", lang="ru"), environment="prod")
    assert result.summary == "в порядке"
    assert {row[0] for row in result.data["rows"]} == {"database", "cache", "workers", "disk"}


async def test_changes_and_commits_in_one_table(untouched: Workspace) -> None:
    result = await untouched.run("list_changes", "vera", environment="dev", limit=2)
    told = json.loads(result.text)
    assert [row[-1] for row in result.data["rows"]] == ["uncommitted"] * len(told["uncommitted"]) + ["commit"] * 2
    assert result.summary == f"{len(told['uncommitted'])} uncommitted, {told['total']} commits"


async def test_a_plan_tells_what_each_dashboard_gets(untouched: Workspace) -> None:
    result = await untouched.run("plan_migration", "vera", source="stage", target="prod", tag="finance")
    actions = [row[2] for row in result.data["rows"]]
    assert set(actions) <= {"create", "overwrite", "unchanged"}
    assert result.summary == f"{actions.count('create')} new, {actions.count('overwrite')} to overwrite, " + (
        f"{actions.count('unchanged')} unchanged"
    )


async def test_a_document_by_id_by_title_and_an_old_revision(untouched: Workspace) -> None:
    by_id = json.loads((await untouched.run("read_document", "vera", document="returns-runbook")).text)
    by_title = json.loads((await untouched.run("read_document", "vera", document="рунбук по возвратам")).text)
    old = json.loads((await untouched.run("read_document", "vera", document="returns-runbook", revision=1)).text)
    assert by_id["id"] == by_title["id"] == old["id"] == "returns-runbook"
    assert (old["revision"], by_id["revision"] > 1) == (1, True)
    assert old["content"] != by_id["content"]


async def test_several_documents_come_as_a_list(untouched: Workspace) -> None:
    result = await untouched.run("read_document", "vera", document="runbook")
    assert len(json.loads(result.text)["items"]) > 1
    assert result.data["columns"][0] == "Id"


async def test_no_document_is_an_empty_list(untouched: Workspace) -> None:
    result = await untouched.run("read_document", "vera", document="no such thing here")
    assert (result.ok, result.summary) == (True, "0 found")


async def test_an_attachment_by_name_and_in_parts(untouched: Workspace) -> None:
    whole = json.loads((await untouched.run("read_attachment", "vera", attachment="pricing_notes.txt")).text)
    part = await untouched.run(
        "read_attachment", "vera", attachment=str(whole["attachment"]["id"]), offset=10, limit=20
    )
    told = json.loads(part.text)
    assert told["text"].strip() in whole["text"]
    assert len(told["text"]) == 20
    assert told["next_offset"] == 30
    assert part.summary == "pricing_notes.txt"


NOT_THERE = [
    ("get_dashboard", {"dashboard_id": 999_999}, "dashboard_not_found"),
    ("get_dataset", {"dataset_id": 999_999}, "dataset_not_found"),
    ("get_task", {"task_id": 999_999}, "task_not_found"),
    ("read_attachment", {"attachment": "999999"}, "attachment_not_found"),
]


@pytest.mark.parametrize(("name", "args", "code"), NOT_THERE)
async def test_what_is_not_there(untouched: Workspace, name: str, args: dict[str, object], code: str) -> None:
    result = await untouched.run(name, "vera", **args)
    assert not result.ok
    assert result.problem is not None
    assert (result.problem.status, result.problem.code) == (404, code)
    assert result.text.startswith(f"Error 404 {code}: ")
    assert len(result.text) < 400


async def test_a_bad_token_asks_for_a_fresh_one(untouched: Workspace) -> None:
    stale = untouched.tokens["vera"][:-3] + "abc"
    result = await untouched.run("list_environments", call=untouched.call("vera", user_jwt=stale))
    assert result.problem is not None
    assert result.problem.code == "auth"
    assert stale not in repr(result)


async def test_the_token_is_in_no_repr(untouched: Workspace) -> None:
    assert untouched.tokens["vera"] not in repr(untouched.call("vera"))
    assert untouched.tokens["vera"] not in repr(await untouched.run("list_users", "vera"))
