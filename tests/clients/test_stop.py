"""Stopping and leaving by both real clients: a stop ends the run wherever it stands, leaving ends nothing."""

import asyncio
import uuid

import pytest
from psycopg import AsyncConnection

from tests.clients.chats import of, words
from tests.clients.drivers import node_client

QUESTION = "Which dashboards are in stage?"
WHOLE = "29 dashboards"


def assert_partial(parts):
    """The answer has begun, ends before its last line, and is told as complete as it will ever be."""
    told = of("tool_end", parts)[0]["metadata"]["data"]["rows"][9][1]
    assert words(parts).startswith(WHOLE)
    assert told not in words(parts)
    assert of("stream_token", parts)[-1]["metadata"]["status"] == "done"


async def state(product, turn_id):
    """The state of a turn in the product's database, once it has ended."""
    async with asyncio.timeout(20), await AsyncConnection.connect(product.database_url, autocommit=True) as connection:
        while True:
            query = "select state from turns where client_turn_id = %s"
            row = await (await connection.execute(query, (turn_id,))).fetchone()
            if row and row[0] in ("succeeded", "failed", "canceled"):
                return row[0]
            await asyncio.sleep(0.05)


async def test_a_cancel_keeps_what_was_said(enter, slow):
    chat, other = await enter(at=slow), await enter(at=slow)
    question = asyncio.create_task(chat.client.submit(message=QUESTION))
    other.id = await chat.client.first_words()
    await other.say(action="cancel")
    await question
    assert_partial(await other.say(action="attach"))


async def test_the_cancel_of_the_client_ends_its_stream_and_the_run(enter, slow):
    other = await enter(at=slow)
    for _ in range(5):
        chat, turn_id = await enter(at=slow), uuid.uuid4().hex
        question = asyncio.create_task(chat.client.submit(message=QUESTION, turn_id=turn_id))
        other.id = await chat.client.first_words()
        await chat.client.cancel()
        seen = words((await question)[-1])
        assert await state(slow, turn_id) == "canceled"
        parts = await other.say(action="attach", turn_id=turn_id)
        assert words(parts).startswith(seen)
        assert WHOLE.startswith(seen[:12])
        assert of("tool_end", parts)[0]["metadata"]["data"]["rows"][9][1] not in words(parts)


@pytest.mark.node
async def test_a_client_that_goes_away_stops_nothing(enter, slow):
    turn_id = uuid.uuid4().hex
    async with node_client(slow.url, slow.token("anna")) as leaving:
        question = asyncio.create_task(leaving.submit(message=QUESTION, turn_id=turn_id))
        place = await leaving.first_words()
        leaving.process.kill()
        await asyncio.wait({question})
        assert question.exception() is not None
    assert await state(slow, turn_id) == "succeeded"
    other = await enter(at=slow)
    other.id = place
    parts = await other.say(action="attach", turn_id=turn_id)
    assert of("tool_end", parts)[0]["metadata"]["data"]["rows"][9][1] in words(parts)
