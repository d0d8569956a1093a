"""Every changing operation previews itself without changing anything, and the preview's etag fits the real call."""

import pytest

from backend.models.common import Preview
from tests.backend.operations import CHANGES, MAKES_NEW, Operation
from tests.backend.world import World, fingerprint

AFTERWARDS = {
    "create_dashboard": 409,  # the name is taken now
    "start_task": 200,
    "create_backup": 200,  # a backup does not change the content
    "delete_dashboard": 404,
    "delete_dataset": 404,
    "delete_backup": 404,
}


@pytest.mark.parametrize("operation", CHANGES, ids=lambda operation: operation.name)
async def test_a_dry_run_changes_nothing_and_the_real_call_what_it_said(world: World, operation: Operation) -> None:
    before = fingerprint(world.database_url)
    call = ("anna", operation.method, operation.path)
    dry = await world.call(*call, params={"dry_run": "true"}, key="dry-run-key", **operation.options)
    assert dry.status_code == 200, dry.text
    preview = Preview.model_validate(dry.json())
    assert preview.operation == operation.id
    assert preview.changes or preview.counts
    assert preview.reversible or preview.irreversible_note
    assert fingerprint(world.database_url) == before

    assert (preview.etag is None) == (operation.id in MAKES_NEW)
    done = await world.call(*call, match=preview.etag, key="dry-run-key", **operation.options)
    assert done.status_code in (200, 201), done.text
    after = fingerprint(world.database_url)
    assert after["audit_events"] != before["audit_events"]
    assert after["ledger"] != before["ledger"]
    assert sum(after[name] != before[name] for name in after) > 2 or operation.id == "refresh_dataset"

    again = await world.call(*call, params={"dry_run": "true"}, match=preview.etag, **operation.options)
    assert again.status_code == AFTERWARDS.get(operation.id, 412), again.text


@pytest.mark.parametrize("operation", CHANGES, ids=lambda operation: operation.name)
async def test_an_old_etag_is_refused_and_the_current_one_told(world: World, operation: Operation) -> None:
    before = fingerprint(world.database_url)
    answer = await world.call("anna", operation.method, operation.path, match='"old-1"', **operation.options)
    assert (answer.status_code, answer.json()["code"]) == (412, "revision_changed")
    assert (answer.json()["current_etag"] is None) == (operation.id in MAKES_NEW)
    assert fingerprint(world.database_url) == before
