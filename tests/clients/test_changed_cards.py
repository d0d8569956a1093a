"""A card whose thing or whose arguments change before the decision, over the API and against the real backend."""

import json

import pytest

from tests.clients.chats import of
from tests.clients.drivers import ClientError


@pytest.fixture
async def asked(enter, boards):
    """A conversation with a card to delete a dashboard, the card, and the dashboard's id."""
    chat = await enter()
    board, _ = next(boards)
    (card,) = of("confirm_required", await chat.say(f"delete dashboard {board}"))
    return chat, card, board


async def test_what_changed_meanwhile_is_said_on_a_new_card_before_anything_runs(asked, product):
    chat, card, board = asked
    revision = product.backend("GET", f"/dashboards/{board}").headers["etag"]
    renamed = product.backend(
        "PATCH", f"/dashboards/{board}", json={"name": "Kept for the audit"}, headers={"If-Match": revision}
    )
    assert renamed.status_code == 200, renamed.text
    (anew,) = of("confirm_required", await chat.decide("confirm", card))
    assert board in product.boards()
    approval = anew["metadata"]["approval"]
    assert approval["id"] != card["metadata"]["approval"]["id"]
    assert "Kept for the audit" in json.dumps(approval["card"]["evidence"][0])
    assert approval["card"]["evidence"][0]["title"] == "Changed since you signed"
    await chat.decide("confirm", anew)
    assert board not in product.boards()


async def test_an_edit_asks_anew_and_only_the_edited_call_runs(asked, product, boards):
    chat, card, board = asked
    other, _ = next(boards)
    (anew,) = of("confirm_required", await chat.decide("confirm", card, args={"dashboard_id": other}))
    (again,) = of("confirm_required", await chat.decide("confirm", card, args={"dashboard_id": other}))
    assert anew["metadata"]["approval"] == again["metadata"]["approval"]
    with pytest.raises(ClientError, match="already decided: replaced"):
        await chat.decide("confirm", card)
    await chat.decide("confirm", anew)
    assert board in product.boards()
    assert other not in product.boards()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({}, "do not fit this tool"),
        ({"dashboard_id": "\0"}, "do not fit this tool"),
        ({"dashboard_id": 1, "tool": "wipe"}, "no such fields: tool"),
        ({"dashboard_id": []}, "do not fit this tool"),
    ],
)
async def test_an_edit_that_does_not_fit_the_tool_leaves_the_card_as_it_was(asked, product, args, told):
    chat, card, board = asked
    with pytest.raises(ClientError, match=told):
        await chat.decide("confirm", card, args=args)
    await chat.decide("deny", card)
    assert board in product.boards()
