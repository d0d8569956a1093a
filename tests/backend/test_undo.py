"""Undo: back to what was, unless something newer touched it."""

from tests.backend.world import World


async def change(world: World, dashboard: int, **body: object) -> int:
    answer = await world.call("ilya", "PATCH", f"/dashboards/{dashboard}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["change_id"]


async def undo(world: World, change_id: int, **options: object) -> tuple[int, dict]:
    answer = await world.call("ilya", "POST", f"/changes/{change_id}/undo", **options)
    return answer.status_code, answer.json()


async def test_an_update_is_undone(world: World) -> None:
    made = await change(world, 88, name="Spend FY26", add_tags=["fy26"])
    status, done = await undo(world, made)
    board = await world.get("/dashboards/88")
    assert (status, board["name"], board["tags"]) == (200, "Marketing Spend Overview", ["marketing"])
    assert done["changed"] == ["name", "tags"]
    assert done["etag"] == board["etag"]
    assert board["last_change"]["undoes"] == made
    assert (await world.get(f"/changes/{made}"))["undone_by"] == done["change_id"]


async def test_a_deleted_dashboard_comes_back_with_a_new_etag(world: World) -> None:
    before = await world.get("/dashboards/94")
    deleted = await world.call("ilya", "DELETE", "/dashboards/94")
    status, done = await undo(world, deleted.json()["change_id"])
    after = await world.get("/dashboards/94")
    assert status == 200
    assert {key: after[key] for key in ("name", "charts", "owner", "tags")} == {
        key: before[key] for key in ("name", "charts", "owner", "tags")
    }
    assert after["etag"] == done["etag"] != before["etag"]


async def test_a_created_dashboard_goes_away(world: World) -> None:
    made = (await world.call("ilya", "POST", "/dashboards", json={"name": "Oops", "environment": "dev"})).json()
    status, done = await undo(world, made["change_id"])
    assert (status, done["etag"]) == (200, None)
    assert (await world.call("vera", "GET", f"/dashboards/{made['resource']['id']}")).status_code == 404


async def test_newer_changes_must_go_first(world: World) -> None:
    older = await change(world, 88, name="One")
    newer = await change(world, 88, description="Two")
    status, refused = await undo(world, older)
    assert (status, refused["code"]) == (409, "newer_changes")
    assert [(item["id"], item["by"]["id"]) for item in refused["newer"]] == [(newer, "ilya")]
    assert f"hange {older}" not in refused["detail"]
    assert refused["detail"].startswith("“One” was changed again after that, by Ilya Sorokin on 20")
    marked = await world.get(f"/changes/{older}")
    assert (marked["undoable"], marked["blocked_by"]) == (False, [newer])
    assert (await undo(world, newer))[0] == 200
    assert (await undo(world, older))[0] == 200
    assert (await world.get("/dashboards/88"))["name"] == "Marketing Spend Overview"


async def test_other_things_do_not_stand_in_the_way(world: World) -> None:
    made = await change(world, 88, name="One")
    await change(world, 89, name="Other")
    assert (await undo(world, made))[0] == 200


async def test_twice_is_refused_and_redo_works_once(world: World) -> None:
    made = await change(world, 88, name="One")
    _, undone = await undo(world, made)
    status, refused = await undo(world, made)
    assert (status, refused["code"], refused["undone_by"]) == (409, "already_undone", undone["change_id"])
    status, redone = await undo(world, undone["change_id"])
    assert (status, (await world.get("/dashboards/88"))["name"]) == (200, "One")
    assert (await undo(world, redone["change_id"]))[1]["code"] == "not_undoable"
    assert (await undo(world, made))[0] == 200
    assert (await world.get("/dashboards/88"))["name"] == "Marketing Spend Overview"


async def test_a_restored_backup_blocks_what_it_overwrote(world: World) -> None:
    made = await change(world, 200, name="Last Mile 2")
    await world.call("anna", "POST", "/backups/bk-551/restore", json={})
    status, refused = await undo(world, made)
    assert (status, refused["code"]) == (409, "newer_changes")
    assert refused["newer"][0]["operation"] == "restore_backup"


async def test_a_name_that_was_taken_meanwhile(world: World) -> None:
    made = await change(world, 90, name="Spend FY26")
    await change(world, 77, name="Marketing Spend Overview")
    status, refused = await undo(world, made)
    assert (status, refused["code"], refused["other_id"]) == (409, "name_taken", 77)
    assert (await world.get("/dashboards/90"))["name"] == "Spend FY26"


async def test_a_document_is_undone_as_a_new_revision(world: World) -> None:
    document = await world.get("/documents/month-close")
    assert len(document["content"]["steps"]) == 5
    status, done = await undo(world, document["last_change"]["id"])
    after = await world.get("/documents/month-close")
    assert (status, after["revision"]) == (200, document["revision"] + 1)
    assert [step["do"] for step in after["content"]["steps"]][3] == "Сверить кассу и банк"
    assert list(after["content"]) == list(document["content"])
    assert done["etag"] == after["etag"]


async def test_undoing_a_document_stops_at_newer_revisions(world: World) -> None:
    last = (await world.get("/documents/nps-contract"))["last_change"]["id"]
    patch = [{"op": "replace", "path": "/owner", "value": "ilya"}]
    await world.call("ilya", "PATCH", "/documents/nps-contract", json=patch, params={"base_revision": 3})
    status, refused = await undo(world, last)
    assert (status, refused["code"]) == (409, "newer_changes")


async def test_a_preview_shows_the_way_back(world: World) -> None:
    made = await change(world, 88, name="One")
    status, preview = await undo(world, made, params={"dry_run": "true"})
    assert status == 200
    assert preview["changes"] == [{"field": "name", "before": "One", "after": "Marketing Spend Overview"}]
    assert preview["etag"] == (await world.get("/dashboards/88"))["etag"]


async def test_undoing_is_for_editors_and_needs_a_change(world: World) -> None:
    assert (await world.call("d.shubin", "POST", "/changes/2001/undo")).status_code == 403
    assert (await world.call("ilya", "POST", "/changes/1/undo")).status_code == 404
