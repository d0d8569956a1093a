"""Datasets: find, read, refresh, delete."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.backend.world import World


class TestSearch:
    @pytest.mark.parametrize(
        ("params", "names"),
        [
            ({"text": "fact_orders", "environment": "prod"}, {"fact_orders"}),
            ({"source": "bitrix", "environment": "stage"}, {"fact_leads", "bitrix_deals", "bitrix_contacts"}),
            ({"schema": "DM_FINANCE", "environment": "stage"},
             {"plan_sales_month", "cash_daily", "pl_month", "ar_ageing", "fx_rates"}),
            ({"text": "витрину остатков", "environment": "prod"}, {"stock_balance"}),
            ({"text": "%"}, set()),
            ({"text": "fact__rders"}, set()),
            ({"not_refreshed_days": 7, "environment": "prod"},
             {"plan_sales_month", "pl_month", "churn_scores", "hr_headcount", "legacy_tickets"}),
        ],
    )  # fmt: skip
    async def test_finds_by_words_schema_source_and_age(
        self, still: World, params: dict[str, str], names: set[str]
    ) -> None:
        page = await still.get("/datasets", **params)
        assert {item["name"] for item in page["items"]} == names
        assert page["total"] == len(names)

    async def test_staleness_follows_the_plan(self, still: World) -> None:
        page = await still.get("/datasets", environment="prod", limit=100)
        stale = {item["name"]: (item["stale"], item["schema"]) for item in page["items"]}
        assert stale["fct_shipments"] == (True, "dm_logistics")
        assert stale["fact_orders"] == (False, "dm_sales")

    @pytest.mark.parametrize("params", [{"not_refreshed_days": -1}, {"environment": "x"}, {"limit": "many"}])
    async def test_impossible_filters_are_refused(self, still: World, params: dict[str, str]) -> None:
        answer = await still.call("vera", "GET", "/datasets", params=params)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


async def test_a_dataset_tells_its_columns_and_who_reads_it(world: World) -> None:
    answer = await world.call("vera", "GET", "/datasets/2041")
    dataset = answer.json()
    assert answer.headers["ETag"] == dataset["etag"]
    assert dataset["columns"][0] == {"name": "shipment_id", "type": "bigint", "description": ""}
    assert "Логистика: доставка в срок" in [board["name"] for board in dataset["dashboards"]]
    assert dataset["row_count"] == 18_412_090
    assert 70 < dataset["age_hours"] < 80


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/refresh"), ("DELETE", "")])
async def test_a_dataset_that_does_not_exist(world: World, method: str, path: str) -> None:
    answer = await world.call("anna", method, f"/datasets/9999{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "dataset_not_found")


async def test_refreshing_loads_rows_and_makes_it_fresh(world: World) -> None:
    before = await world.get("/datasets/2041")
    done = (await world.call("ilya", "POST", "/datasets/2041/refresh")).json()
    after = await world.get("/datasets/2041")
    assert done["result"] == {**after, "age_hours": done["result"]["age_hours"]}
    assert after["row_count"] > before["row_count"]
    assert datetime.now(UTC) - datetime.fromisoformat(after["refreshed_at"]) < timedelta(minutes=1)
    assert (before["stale"], after["stale"]) == (True, False)


async def test_a_source_that_does_not_answer_loads_nothing(world: World) -> None:
    (found,) = (await world.get("/datasets", text="legacy_tickets", environment="prod"))["items"]
    answer = await world.call("ilya", "POST", f"/datasets/{found['id']}/refresh", headers={"Accept-Language": "ru"})
    assert (answer.status_code, answer.json()["code"]) == (409, "source_unavailable")
    assert "Jira" in answer.json()["detail"]
    assert (await world.get(f"/datasets/{found['id']}"))["etag"] == found["etag"]


async def test_the_preview_of_a_deletion_names_the_dashboards_that_break(world: World) -> None:
    answer = await world.call("anna", "DELETE", "/datasets/204", params={"dry_run": "true"})
    preview = answer.json()
    assert preview["counts"]["dashboards"] == 10
    assert "Retail Pulse" in preview["first_names"]
    assert not preview["reversible"]
    assert "10" in preview["warnings"][0]


async def test_a_deleted_dataset_is_gone_and_can_be_seen_in_the_changes(world: World) -> None:
    await world.call("anna", "DELETE", "/datasets/340")
    assert (await world.call("vera", "GET", "/datasets/340")).status_code == 404
    newest = (await world.get("/environments/dev/changes"))["uncommitted"][0]
    assert (newest["operation"], newest["resource"]["name"], newest["undoable"]) == (
        "delete_dataset",
        "tmp_ga4_sessions",
        False,
    )
    undo = await world.call("anna", "POST", f"/changes/{newest['id']}/undo")
    assert (undo.status_code, undo.json()["code"]) == (409, "not_undoable")


async def test_deleting_is_for_admins(world: World) -> None:
    assert (await world.call("ilya", "DELETE", "/datasets/340")).status_code == 403
    assert (await world.get("/datasets/340"))["name"] == "tmp_ga4_sessions"
