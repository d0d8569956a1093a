"""What the API refuses, and the one clear sentence that each client hears."""

import json
import uuid

import pytest

from tests.clients.chats import of, words
from tests.clients.drivers import ClientError


@pytest.fixture
async def asked(enter, boards):
    """A conversation with a card, and the card."""
    chat = await enter()
    board, _ = next(boards)
    (card,) = of("confirm_required", await chat.say(f"delete dashboard {board}"))
    return chat, card


async def test_a_decision_must_name_a_card_of_ones_own(asked, enter):
    _, card = asked
    stranger = await enter("ilya")
    with pytest.raises(ClientError, match="not yours"):
        await stranger.decide("confirm", card)


async def test_a_forged_approval_id_is_refused(asked):
    chat, card = asked
    with pytest.raises(ClientError, match="no such thing"):
        await chat.decide("confirm", card, approval_id=str(uuid.uuid4()))


async def test_a_decision_on_another_version_is_refused(asked, product):
    chat, card = asked
    with pytest.raises(ClientError, match="has changed since it was shown"):
        await chat.decide("confirm", card, card_sha256="0" * 64)
    assert card["metadata"]["approval"]["args"]["dashboard_id"] in product.boards()


async def test_the_second_decision_hears_the_first(asked):
    chat, card = asked
    await chat.decide("deny", card)
    with pytest.raises(ClientError, match="already decided: denied"):
        await chat.decide("confirm", card)


@pytest.mark.parametrize("decision", ["", "{", "[]", json.dumps({"approval_id": "x"})])
async def test_a_decision_without_its_fields_is_explained(asked, decision):
    chat, _ = asked
    with pytest.raises(ClientError, match="decision must be a JSON object with the texts approval_id, card_sha256"):
        await chat.say(action="confirm", decision=decision)


async def test_an_unknown_action_is_explained(enter):
    with pytest.raises(ClientError, match="action must be one of '', 'confirm', 'deny'"):
        await (await enter()).say(action="approve")


@pytest.mark.parametrize("jwt", ["", "nonsense", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm5hIn0."])
async def test_a_wrong_token_is_explained(enter, jwt):
    with pytest.raises(ClientError, match="No valid access token came with this call"):
        await (await enter(jwt=jwt)).say("hello")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("", "The message is empty"),
        ("x" * 100_001, "the limit is 100000. Shorten it"),
        ("a\0b", "NUL character"),
        ("a\ud800b", "lone surrogate|surrogates not allowed"),  # httpx does not even send it
    ],
    ids=["empty", "long", "nul", "surrogate"],
)
async def test_a_message_that_cannot_be_kept_is_explained(enter, message, told):
    with pytest.raises(ClientError, match=told):
        await (await enter()).say(message)


@pytest.mark.parametrize(
    "message",
    ["x" * 100_000, "👩‍👩‍👧‍👦 which dashboards are in stage?", "مرحبا hello", "hello\u200b\u202eworld"],
    ids=["long", "emoji", "arabic", "override"],
)
async def test_unusual_messages_are_answered(enter, message):
    chat = await enter()
    parts = await chat.say(message)
    assert words(parts)
    assert of("error", parts) == []


async def test_no_refusal_tells_how_the_server_is_made(enter, product):
    with pytest.raises(ClientError) as refusal:
        await (await enter()).say("hello", turn_id="x" * 300)
    assert "turn_id must be 1 to 255" in str(refusal.value)
    assert "Traceback" not in str(refusal.value) + product.log


@pytest.mark.parametrize("extra", [{"reason": ["x"]}, {"args": "x"}, {"args": [1]}])
async def test_a_decision_with_fields_of_another_kind_is_explained(asked, extra):
    chat, card = asked
    with pytest.raises(ClientError, match="args must be a JSON object and reason a text"):
        await chat.decide("confirm", card, **extra)


async def test_a_card_is_not_decided_from_another_conversation(asked, enter):
    chat, card = asked
    elsewhere = await enter()
    await elsewhere.say("hello")
    with pytest.raises(ClientError, match="There is no such thing here"):
        await elsewhere.decide("confirm", card)
    await chat.decide("deny", card)


@pytest.mark.parametrize(("turn", "told"), [("nobody-sent-this", "no such thing"), ("a\0", "printable characters")])
async def test_a_turn_that_is_not_there_cannot_be_followed(asked, turn, told):
    chat, _ = asked
    with pytest.raises(ClientError, match=told):
        await chat.say(action="attach", turn_id=turn)
