"""Dashboards: find, read, create, change, delete."""

import pytest

from tests.backend.world import World


class TestSearch:
    @pytest.mark.parametrize(
        ("params", "ids"),
        [
            ({"text": "retail pulse"}, {410, 411, 412}),
            ({"text": "Retail Pulse", "environment": "prod"}, {412}),
            ({"text": "weekly funnel", "environment": "dev"}, {94}),
            ({"text": "выручку по регионам", "environment": "prod"}, {150}),
            ({"text": "склад екб"}, {305, 306, 317}),
            ({"text": "412"}, {412}),
            ({"owner": "Тимура Галеева", "environment": "prod"}, {160, 325}),
            ({"owner": "t.galeev", "tag": "retail"}, {120, 121}),
            ({"owner": "Karolina", "tag": "deprecated", "environment": "prod"}, {240, 241}),
            ({"tag": "SALES_OLD"}, {230, 231, 232}),
            ({"text": "promo 100%"}, set()),
            ({"text": "no such thing"}, set()),
        ],
    )
    async def test_finds_by_words_owner_tag_and_environment(
        self, still: World, params: dict[str, str], ids: set[int]
    ) -> None:
        page = await still.get("/dashboards", **params)
        assert {item["id"] for item in page["items"]} == ids
        assert page["total"] == len(ids)

    async def test_the_exact_name_comes_first(self, still: World) -> None:
        page = await still.get("/dashboards", text="касса", environment="dev")
        assert [item["name"] for item in page["items"]] == ["Касса", "Ежедневная касса", "Касса черновик"]

    async def test_pages_hold_every_dashboard_once(self, still: World) -> None:
        pages = [await still.get("/dashboards", limit=25, offset=offset) for offset in (0, 25, 50, 75, 100)]
        ids = [item["id"] for page in pages for item in page["items"]]
        assert len(ids) == len(set(ids)) == pages[0]["total"] >= 90

    @pytest.mark.parametrize(
        "params",
        [{"limit": 0}, {"limit": 101}, {"offset": -1}, {"environment": "qa"}, {"text": "a\x00"}, {"text": "x" * 201}],
    )
    async def test_impossible_filters_are_refused(self, still: World, params: dict[str, str]) -> None:
        answer = await still.call("vera", "GET", "/dashboards", params=params)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


async def test_a_dashboard_tells_what_it_is_made_of(world: World) -> None:
    answer = await world.call("vera", "GET", "/dashboards/140")
    board = answer.json()
    assert answer.headers["ETag"] == board["etag"]
    assert len(board["charts"]) == 9
    assert {"name": "fact_orders", "stale": False}.items() <= board["datasets"][2].items()
    assert board["copies"] == [{"id": 141, "environment": "dev"}, {"id": 142, "environment": "stage"}]
    assert board["owner"]["name_ru"] == "Лена Орлова"
    assert board["last_change"]["fields"][0] == {
        "field": "name",
        "before": "План-факт опта (новый)",
        "after": "План-факт опта",
    }


async def test_a_chart_without_its_dataset_is_broken(world: World) -> None:
    await world.call("anna", "DELETE", "/datasets/340")
    board = await world.get("/dashboards/341")
    assert [chart["broken"] for chart in board["charts"]] == [True]


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_a_dashboard_that_does_not_exist(world: World, method: str) -> None:
    answer = await world.call("ilya", method, "/dashboards/99999", json={"name": "X"} if method == "PATCH" else None)
    assert (answer.status_code, answer.json()["code"]) == (404, "dashboard_not_found")
    assert "99999" in answer.json()["detail"]


async def test_a_template_gives_charts_and_the_maker_owns_it(world: World) -> None:
    body = {"name": "DACH pipeline", "environment": "stage", "template": "sales", "tags": ["dach", "sales", "dach"]}
    made = (await world.call("ilya", "POST", "/dashboards", json=body)).json()
    board = await world.get(f"/dashboards/{made['resource']['id']}")
    assert board == made["result"]
    assert (len(board["charts"]), board["owner"]["id"], board["tags"]) == (4, "ilya", ["dach", "sales"])
    assert board["last_change"]["id"] == made["change_id"]


@pytest.mark.parametrize("name", ["retail pulse", "RETAIL PULSE"])
async def test_names_are_unique_in_an_environment(world: World, name: str) -> None:
    answer = await world.call("ilya", "POST", "/dashboards", json={"name": name, "environment": "prod"})
    assert (answer.status_code, answer.json()["code"], answer.json()["other_id"]) == (409, "name_taken", 412)


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "environment": "dev"},
        {"name": "x" * 201, "environment": "dev"},
        {"name": "a\u0000b", "environment": "dev"},
        {"name": "ok", "environment": "qa"},
        {"name": "ok", "environment": "dev", "template": "none"},
        {"name": "ok", "environment": "dev", "colour": "red"},
        {"name": "ok", "environment": "dev", "tags": ["a|b"]},
        {"environment": "dev"},
        [],
    ],
)
async def test_a_dashboard_with_impossible_values_is_not_made(world: World, body: object) -> None:
    answer = await world.call("ilya", "POST", "/dashboards", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert answer.json()["errors"]
    assert "input" not in answer.json()["errors"][0]


async def test_only_the_fields_given_change(world: World) -> None:
    before = await world.get("/dashboards/305")
    done = (await world.call("ilya", "PATCH", "/dashboards/305", json={"remove_tags": ["urgent"]})).json()
    after = await world.get("/dashboards/305")
    assert done["changed"] == ["tags"]
    assert after["tags"] == ["logistics"]
    assert {**before, **{key: after[key] for key in ("tags", "updated_at", "etag", "last_change")}} == after
    assert done["etag"] == after["etag"] != before["etag"]


async def test_tags_can_be_added_without_naming_the_others(world: World) -> None:
    await world.call("ilya", "PATCH", "/dashboards/230", json={"add_tags": ["archive", "sales_old"]})
    assert (await world.get("/dashboards/230"))["tags"] == ["sales_old", "archive"]


@pytest.mark.parametrize("owner", ["jlindqvist", "Johan Lindqvist", "юхан линдквист", "jlindqvist@example.com"])
async def test_an_owner_is_named_by_login_mail_or_full_name(world: World, owner: str) -> None:
    done = await world.call("ilya", "PATCH", "/dashboards/180", json={"owner": owner})
    assert done.json()["result"]["owner"]["id"] == "jlindqvist"


@pytest.mark.parametrize("owner", ["nobody", "Lindqvist", "gbrandt"])
async def test_an_owner_must_be_one_active_person(world: World, owner: str) -> None:
    answer = await world.call("ilya", "PATCH", "/dashboards/180", json={"owner": owner})
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_owner")


async def test_a_change_that_changes_nothing_leaves_no_trace(world: World) -> None:
    before = await world.get("/dashboards/412")
    done = (await world.call("ilya", "PATCH", "/dashboards/412", json={"name": "Retail Pulse"})).json()
    assert (done["changed"], done["change_id"]) == ([], None)
    assert await world.get("/dashboards/412") == before


async def test_deleting_one_leaves_its_copies(world: World) -> None:
    done = await world.call("ilya", "DELETE", "/dashboards/94")
    assert done.json()["resource"] == {"type": "dashboard", "id": "94", "name": "Weekly Funnel (copy)"}
    assert (await world.call("vera", "GET", "/dashboards/94")).status_code == 404
    assert (await world.get("/dashboards", text="weekly funnel"))["total"] == 2


async def test_content_changes_move_the_content_etag(world: World) -> None:
    before = (await world.get("/environments/dev/changes"))["etag"]
    await world.call("ilya", "DELETE", "/dashboards/94")
    assert (await world.get("/environments/dev/changes"))["etag"] != before
