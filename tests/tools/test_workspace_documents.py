"""A patch only ever touches the revision that was read, whatever was removed and moved in between."""

import json
import random

from tests.tools.workspace import Workspace

DOCUMENT = "returns-runbook"
ROUNDS = 25


async def read(workspace: Workspace) -> dict:
    return json.loads((await workspace.run("read_document", document=DOCUMENT)).text)


async def patch(workspace: Workspace, base: int, *operations: dict):
    return await workspace.run("apply_document_patch", document_id=DOCUMENT, base_revision=base, patch=list(operations))


def between(dice: random.Random, length: int) -> dict:
    """What somebody else does to the list meanwhile: an item goes, moves or comes."""
    one, other = dice.randrange(length), dice.randrange(length)
    return dice.choice(
        (
            {"op": "remove", "path": f"/marks/{one}"},
            {"op": "move", "from": f"/marks/{one}", "path": f"/marks/{(one + 1 + other % (length - 1)) % length}"},
            {"op": "add", "path": f"/marks/{one}", "value": {"name": f"new {dice.random()}", "seen": 0}},
        )
    )


async def test_a_patch_of_an_old_revision_changes_nothing_and_one_of_the_fresh_revision_hits_its_item(workspace):
    dice = random.Random(3)
    marks = [{"name": f"mark {n}", "seen": 0} for n in range(40)]
    seen = await read(workspace)
    seen = (await patch(workspace, seen["revision"], {"op": "add", "path": "/marks", "value": marks})).data
    for number in range(1, ROUNDS):
        items = seen["content"]["marks"]
        wanted = dice.randrange(len(items))
        moved = await patch(workspace, seen["revision"], between(dice, len(items)))
        assert moved.ok, moved.text

        stale = await patch(workspace, seen["revision"], mark(wanted, number))
        assert (stale.ok, stale.problem.code) == (False, "revision_changed")
        assert "Look at it again." in stale.text
        fresh = await read(workspace)
        assert fresh["content"] == moved.data["content"]

        names = [item["name"] for item in fresh["content"]["marks"]]
        name = items[wanted]["name"] if items[wanted]["name"] in names else names[0]
        done = await patch(workspace, fresh["revision"], mark(names.index(name), number))
        hit = [item["name"] for item in done.data["content"]["marks"] if item["seen"] == number]
        assert hit == [name]
        seen = done.data


def mark(place: int, number: int) -> dict:
    return {"op": "replace", "path": f"/marks/{place}/seen", "value": number}


async def test_a_patch_answers_with_the_fresh_document_its_revision_and_what_changed(workspace):
    seen = await read(workspace)
    done = await patch(workspace, seen["revision"], {"op": "add", "path": "/reviewed", "value": True})
    told = json.loads(done.text)
    assert told["result"]["revision"] == seen["revision"] + 1
    assert told["result"]["content"] == {**seen["content"], "reviewed": True}
    assert "/reviewed" in json.dumps(told["changed"])
    assert (done.data["id"], done.data["revision"]) == (DOCUMENT, seen["revision"] + 1)
