"""Documents and their patches."""

import json

import pytest

from tests.backend.world import World, rows

CONTRACT = "/documents/shipments-contract"
FRESHER = [{"op": "replace", "path": "/sla/freshness_hours", "value": 12}]


class TestRead:
    @pytest.mark.parametrize(
        ("params", "ids"),
        [
            ({"text": "заказам", "kind": "data_contract"}, {"orders-contract"}),
            ({"text": "shipments contract"}, {"shipments-contract"}),
            ({"text": "returns runbook"}, {"returns-runbook"}),
            ({"text": "рунбук возвратам"}, {"returns-runbook"}),
            ({"text": "регламенте закрытия месяца"}, {"month-close"}),
            ({"text": "инцидент 12 июня"}, {"incident-cash-0612"}),
            ({"kind": "report"}, {"returns-report", "incident-cash-0612", "q2-margin-report", "weekly-kpi-report"}),
        ],
    )
    async def test_finds(self, still: World, params: dict[str, str], ids: set[str]) -> None:
        page = await still.get("/documents", **params)
        assert {item["id"] for item in page["items"]} == ids
        assert "content" not in page["items"][0]

    async def test_a_document_with_revision_files_and_last_change(self, still: World) -> None:
        answer = await still.call("vera", "GET", "/documents/returns-report")
        document = answer.json()
        assert answer.headers["ETag"] == document["etag"] == '"document-returns-report-2"'
        assert {file["name"] for file in document["attachments"]} == {"returns_by_reason.csv", "пояснения.docx"}
        assert document["last_change"]["fields"] == [
            {"field": "/status", "before": "черновик", "after": "на согласовании"}
        ]

    async def test_an_older_revision(self, still: World) -> None:
        older = await still.get("/documents/nps-contract", revision=1)
        assert (older["revision"], older["content"]["version"], older["updated_by"]["id"]) == (1, "1.3", "k.lomova")

    @pytest.mark.parametrize("path", ["/documents/none", "/documents/nps-contract?revision=9"])
    async def test_that_does_not_exist(self, still: World, path: str) -> None:
        answer = await still.call("vera", "GET", path)
        assert (answer.status_code, answer.json()["code"]) == (404, "document_not_found")

    async def test_there_are_documents_of_all_kinds_in_both_languages(self, still: World) -> None:
        page = await still.get("/documents", limit=100)
        assert {(item["kind"], item["language"]) for item in page["items"]} >= {
            ("report", "ru"), ("report", "en"), ("data_contract", "ru"), ("data_contract", "en"), ("runbook", "ru"),
        }  # fmt: skip
        assert page["total"] >= 8


async def test_a_patch_answers_with_the_fresh_document_and_the_places(world: World) -> None:
    seen = await world.get(CONTRACT)
    patch = [*FRESHER, {"op": "add", "path": "/quality/-", "value": {"check": "no gaps", "severity": "error"}}]
    headers = {"Content-Type": "application/json-patch+json"}
    answer = await world.call("ilya", "PATCH", CONTRACT, content=json.dumps(patch), headers=headers, match=seen["etag"])
    done = answer.json()
    assert done["changed"] == ["/sla/freshness_hours", "/quality/1"]
    assert done["result"] == await world.get(CONTRACT)
    assert (done["result"]["revision"], done["result"]["updated_by"]["id"]) == (seen["revision"] + 1, "ilya")
    assert done["result"]["content"]["sla"]["freshness_hours"] == 12
    assert list(done["result"]["content"]) == list(seen["content"])
    assert (await world.get(CONTRACT, revision=seen["revision"]))["content"] == seen["content"]


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({}, 422),
        ({"params": {"base_revision": 2}}, 200),
        ({"params": {"base_revision": 1}}, 412),
        ({"match": '"document-shipments-contract-2"'}, 200),
        ({"match": '"document-shipments-contract-1"'}, 412),
        ({"match": '"document-shipments-contract-2"', "params": {"base_revision": 1}}, 412),
    ],
)
async def test_a_patch_says_what_it_is_based_on(world: World, how: dict, status: int) -> None:
    answer = await world.call("ilya", "PATCH", CONTRACT, json=FRESHER, **how)
    assert answer.status_code == status
    if status != 200:
        assert answer.json()["code"] == {422: "base_required", 412: "revision_changed"}[status]
        assert (await world.get(CONTRACT))["revision"] == 2


async def test_a_failed_test_changes_nothing_and_tells_what_is_there(world: World) -> None:
    patch = [*FRESHER, {"op": "test", "path": "/owner", "value": "somebody"}]
    answer = await world.call("ilya", "PATCH", CONTRACT, json=patch)
    assert (answer.status_code, answer.json()["code"]) == (409, "patch_conflict")
    assert (answer.json()["index"], answer.json()["path"], answer.json()["found"]) == (1, "/owner", "p.nair")
    assert (await world.get(CONTRACT))["content"]["sla"]["freshness_hours"] == 24


async def test_a_patch_that_changes_nothing_makes_no_revision(world: World) -> None:
    patch = [{"op": "replace", "path": "/sla/freshness_hours", "value": 24}]
    done = (await world.call("ilya", "PATCH", CONTRACT, json=patch, params={"base_revision": 2})).json()
    assert (done["changed"], done["change_id"], done["result"]["revision"]) == ([], None, 2)


async def test_two_patches_on_one_revision_do_not_overwrite_each_other(world: World) -> None:
    first = await world.call("ilya", "PATCH", CONTRACT, json=FRESHER, params={"base_revision": 2})
    patch = [{"op": "replace", "path": "/owner", "value": "ilya"}]
    second = await world.call("anna", "PATCH", CONTRACT, json=patch, params={"base_revision": 2})
    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["current_etag"] == first.json()["etag"]


@pytest.mark.parametrize(
    "patch",
    [
        [],
        {},
        [{"op": "replace", "path": "/a"}],
        [{"op": "move", "path": "/a"}],
        [{"op": "chop", "path": "/owner", "value": 1}],
        [{"op": "replace", "path": "owner", "value": 1}],
        [{"op": "replace", "path": "/owner", "value": 1, "extra": True}],
        [{"op": "replace", "path": "/owner", "value": "a\u0000b"}],
        [{"op": "test", "path": "", "value": 1}] * 101,
    ],
)
async def test_what_is_no_patch_is_refused(world: World, patch: object) -> None:
    answer = await world.call("ilya", "PATCH", CONTRACT, json=patch, params={"base_revision": 2})
    assert answer.status_code == 422
    assert (await world.get(CONTRACT))["revision"] == 2


async def test_a_lone_surrogate_is_refused(world: World) -> None:
    body = b'[{"op": "replace", "path": "/owner", "value": "\\ud800"}]'
    headers = {"Content-Type": "application/json-patch+json"}
    answer = await world.call("ilya", "PATCH", CONTRACT, content=body, headers=headers, match='"x"')
    assert answer.status_code in (412, 422)
    answer = await world.call("ilya", "PATCH", CONTRACT, content=body, headers=headers, params={"base_revision": 2})
    assert answer.status_code == 422


async def test_patching_is_for_editors(world: World) -> None:
    answer = await world.call("d.shubin", "PATCH", CONTRACT, json=FRESHER, params={"base_revision": 2})
    assert answer.status_code == 403
    assert rows(world.database_url, "select revision from documents where id = 'shipments-contract'") == [
        {"revision": 2}
    ]
