"""A model server that misbehaves under whole turns: they fail in words, nothing ran, the same turn id tries again."""

from dataclasses import replace

import pytest

from agent.guards import Limits
from tests.agent.assembly import ANN, words_of
from tests.faults.worker import new_turn_id, running

pytestmark = pytest.mark.faults
HASTY = Limits(backoff=0.02, retries=1, request=10.0, first_token=1.5, between_tokens=0.7)
HALF = '{"thing": "d-1", "name": "B'
FAULTS = {
    "overloaded": ("model_unreachable", [{"status": 503}] * 2, ""),
    "rate limit": ("model_rate_limited", [{"status": 429, "headers": {"retry-after": "0"}}] * 2, ""),
    "rate limit for a minute": ("model_rate_limited", [{"status": 429, "headers": {"retry-after": "60"}}], ""),
    "silence": ("model_timeout", [{"text": "late", "wait": 5}] * 2, ""),
    "silence in the middle": ("model_timeout", [{"text": "One two three", "stall_after": 2}], "One two"),
    "connection cut": ("model_unreachable", [{"text": "One two three", "drop_after": 2}], "One two"),
    "no finish": ("model_interrupted", [{"text": "One two three", "cut_after": 2}], "One two"),
    "error in the stream": ("model_interrupted", [{"text": "One two three", "error_after": 2}], "One two"),
    "half a call": ("model_interrupted", [{"calls": [{"name": "rename_thing", "args": HALF}], "cut_after": 1}], ""),
    "nothing": ("model_empty", [{"text": ""}] * 2, ""),
    "content filter": ("model_filtered", [{"status": 400, "error": {"code": "content_filter"}}], ""),
    "refusal": ("model_refused", [{"refusal": "I will not."}], ""),
    "context": ("model_context", [{"status": 400, "error": {"code": "context_length_exceeded"}}] * 2, ""),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_turn_fails_in_words_and_is_tried_again(plant, fault):
    code, replies, heard = FAULTS[fault]
    await plant.put("d-1")
    plant.model.push(*replies)
    turn_id = new_turn_id()
    async with running(replace(plant.plan(), limits=HASTY)) as turns:
        ref, parts = await followed(turns, "rename d-1", turn_id)
        assert await plant.state(ref) == "failed"
        assert [m[:2] for m in await plant.messages(ref)] == [("user", "final"), ("assistant", "failed")]
        [error] = [part for part in parts if part["metadata"]["type"] == "error"]
        assert error["metadata"]["code"] == code
        assert error["content"]
        assert words_of(parts).strip() == heard
        assert await plant.effects() == []
        asked = len(plant.model.requests)
        assert asked == len(replies)

        ref, parts = await followed(turns, "rename d-1", turn_id)
        assert await plant.state(ref) == "succeeded"
        assert words_of(parts).endswith("Renamed, as you asked.")
        assert [m[:2] for m in await plant.messages(ref)] == [("user", "final"), ("assistant", "final")]
        assert len(await plant.effects()) == 1
        assert plant.model.refusals == []
        assert len(plant.model.requests) == asked + 2


async def test_a_call_whose_arguments_are_broken_goes_back_to_the_model(plant):
    await plant.put("d-1")
    plant.model.push({"calls": [{"name": "rename_thing", "args": HALF, "id": "c"}]})
    async with running(plant.plan()) as turns:
        ref, _ = await followed(turns, "rename d-1", new_turn_id())
        assert await plant.state(ref) == "succeeded"
        assert await plant.effects() == []


async def test_a_model_server_that_is_not_there(plant, tmp_path):
    async with running(replace(plant.plan(limits=HASTY), model_url="http://127.0.0.1:9/v1")) as turns:
        ref, parts = await followed(turns, "say hello", new_turn_id())
        assert await plant.state(ref) == "failed"
        [error] = [part for part in parts if part["metadata"]["type"] == "error"]
        assert (error["metadata"]["code"], error["metadata"]["retry"]) == ("model_unreachable", True)


async def followed(turns, text, turn_id):
    """Send and follow to the end."""
    ref = await turns.accept(ANN, None, text, turn_id)
    frames = [parts async for parts in turns.tail(ANN, ref.conversation_id, ref.turn_id)]
    return ref, frames[-1]
