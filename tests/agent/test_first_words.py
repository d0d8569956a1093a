"""Whoever follows a turn hears its words while it goes on, however the look at it and its beginning fall together."""

import asyncio

from tests.agent.assembly import ANN, line, words_of


async def test_the_first_words_of_a_new_turn_are_told_while_it_goes_on(house):
    for number in range(8):
        hold = asyncio.Event()
        ref = await house.say("hello", line("One two.", middle=hold), turn_id=f"t{number}")
        frames = house.turns.tail(ANN, ref.conversation_id, ref.turn_id)
        async with asyncio.timeout(4):  # the beat would tell them after five seconds
            while not words_of(await anext(frames)):
                pass
        await frames.aclose()
        hold.set()
        assert words_of(await house.follow(ref)) == "One two."
