"""Every changing tool against the real workspace: carried out once, told truly, undone where it says so."""

import json

import pytest

from tests.tools.wishes import CHANGES, args_of
from tests.tools.workspace import Workspace
from tools.catalogue import WORKSPACE
from tools.toolset import Effect

UNDOABLE = {"create_dashboard", "update_dashboard", "delete_dashboard", "apply_document_patch", "undo_change"}
EVERY = pytest.mark.parametrize("name", list(CHANGES))


def test_every_change_of_the_catalogue_is_tried() -> None:
    assert set(CHANGES) == {spec.name for spec in WORKSPACE if spec.effect is not Effect.READ}


@EVERY
async def test_it_runs_once_under_what_was_shown_and_tells_the_way_back(workspace: Workspace, name: str) -> None:
    args = await args_of(workspace, name)
    card = await workspace.ask(name, **args)
    call = workspace.call("anna", if_match=card.etag, approval_id=f"approval-{name}")

    result = await workspace.run(name, call=call, **args)
    assert result.ok, result.text
    assert result.text.startswith('{"done":true,')
    assert result.summary
    assert not result.replayed
    events = await workspace.run("list_audit_events", limit=1)
    event = json.loads(events.text)["items"][0]
    assert (event["action"], event["approval_id"]) == (name, f"approval-{name}")
    assert event["person"].endswith("(anna)")

    again = await workspace.run(name, call=call, **args)
    assert (again.ok, again.replayed, again.summary) == (True, True, result.summary)
    assert (await workspace.run("list_audit_events")).data["total"] == events.data["total"]

    assert (result.undo is not None) == (name in UNDOABLE)
    if result.undo is not None:
        undone = await workspace.run(result.undo["tool"], **result.undo["args"])
        assert undone.ok, undone.text


@pytest.mark.parametrize("place", ["before_ledger", "after_ledger", "after_effect", "after_commit_before_response"])
async def test_a_backend_that_breaks_in_between_still_acts_once(workspace: Workspace, place: str) -> None:
    before = (await workspace.run("list_backups", environment="dev")).data["total"]
    workspace.failures.append(place)
    result = await workspace.run("create_backup", environment="dev")
    assert result.ok, result.text
    assert workspace.failures == []
    assert result.replayed == (place == "after_commit_before_response")
    assert (await workspace.run("list_backups", environment="dev")).data["total"] == before + 1
