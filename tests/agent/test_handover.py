"""An answer that is broken off in its middle and asked for anew: words once seen stay in view, and none come twice.

The first word of a line is what the model says before it is held; it has hyphens where it is to be long.
"""

import asyncio
from contextlib import suppress

import psycopg
import pytest

from agent.failpoints import Failpoints
from agent.models.errors import ContextTooLong
from agent.views import TurnRef
from store.pool import Pool
from tests.agent.assembly import ANN, House, cards, line, until, words_of

SEEN = "One-two-three-four-five"
GROWN = "One-two-three-four-five six seven"
OTHER = "Something else altogether, and more of it than there was."
SHORT = "No. Nothing."


class Follower:
    """Follows a turn and keeps every list of parts that it was told."""

    def __init__(self, house: House, ref, after: int = 0):
        self.frames: list[list[dict]] = []
        self.task = asyncio.create_task(self._follow(house.turns.tail(ANN, ref.conversation_id, ref.turn_id, after)))

    async def _follow(self, frames) -> None:
        async for parts in frames:
            self.frames.append(parts)

    async def to_the_end(self) -> list[dict]:
        await self.task
        return self.frames[-1]

    async def sees(self, text: str) -> None:
        await until(lambda: bool(self.frames) and words_of(self.frames[-1]) == text)

    def before_the_end(self) -> list[list[dict]]:
        """What was seen while the answer was no answer yet."""
        return [parts for parts in self.frames if any(part["metadata"]["status"] == "pending" for part in parts)]


def driver_of(house: House):
    [driver] = house.turns._worker.drivers.values()
    return driver


async def begun(first: House, there: House, text: str = "talk") -> tuple[TurnRef, Follower]:
    """A turn whose answer is held in its middle at the first, seen by somebody who follows it there."""
    ref = await first.say(text, line(SEEN, middle=asyncio.Event()))
    follower = Follower(there, ref)
    await follower.sees(SEEN)
    return ref, follower


async def hears(house: House, text: str) -> None:
    """The request that runs has said this, and none of it is in view."""
    await until(lambda: bool(house.turns._worker.drivers))
    await until(lambda: "".join(p["content"] for p in driver_of(house).draft.transcript._anew or ()) == text)


def assert_never_less(frames: list[list[dict]]) -> None:
    """Each list has as many words as the one before it; what changed has a number that nothing had before."""
    sizes = [len(words_of(parts)) for parts in frames]
    assert sizes == sorted(sizes)
    told: dict[int, tuple] = {}
    newest = 0
    for parts in frames:
        for part in parts:
            meta = part["metadata"]
            assert meta["seq"] in told or meta["seq"] > newest
            assert told.setdefault(meta["seq"], (meta["id"], part["content"])) == (meta["id"], part["content"])
        newest = max([newest, *told])


async def drained(first: House, second: House) -> None:
    await first.turns.drain(0.05)
    await second.turns.start()


async def lost(first: House, second: House) -> None:
    """The first worker dies with its lease, and with what it has saved so far."""
    await first.turns._worker._stop()
    await second.turns.start()


CHANGES = pytest.mark.parametrize("change_hands", [drained, lost])


@CHANGES
async def test_the_same_words_again_are_one_growing_text(two, change_hands):
    first, second = two
    ref, there = await begun(first, second)
    hold = asyncio.Event()
    first.chat.lines.append(line(GROWN.replace("-", " "), middle=hold))
    await change_hands(first, second)
    await hears(second, "One")
    here = Follower(first, ref)
    await here.sees(SEEN)
    hold.set()
    for follower in (there, here):
        parts = await follower.to_the_end()
        assert words_of(parts) == GROWN.replace("-", " ")
        assert_never_less(follower.frames)
    assert [part["metadata"]["status"] for part in parts] == ["done", "done"]


@CHANGES
async def test_other_words_take_the_place_once_they_are_as_many(two, change_hands):
    first, second = two
    _, follower = await begun(first, second)
    hold = asyncio.Event()
    first.chat.lines.append(line(OTHER, middle=hold))
    await change_hands(first, second)
    await hears(second, "Something")
    await asyncio.sleep(0.3)
    assert words_of(follower.frames[-1]) == SEEN
    hold.set()
    assert words_of(await follower.to_the_end()) == OTHER
    assert_never_less(follower.frames)
    assert all(words_of(parts) in ("", SEEN) or OTHER.startswith(words_of(parts)) for parts in follower.frames)


@CHANGES
async def test_fewer_words_take_the_place_when_they_are_all(two, change_hands):
    first, second = two
    ref, follower = await begun(first, second)
    first.chat.lines.append(line(SHORT))
    await change_hands(first, second)
    assert words_of(await follower.to_the_end()) == SHORT
    assert_never_less(follower.before_the_end())
    page = await second.turns.open(ANN, ref.conversation_id)
    assert (page.messages[1].state, page.messages[1].text) == ("final", SHORT)


async def test_words_stay_in_view_however_often_a_turn_changes_hands(two):
    first, second = two
    _, follower = await begun(first, second)
    first.chat.lines.append(line("One", middle=asyncio.Event()))
    await drained(first, second)
    await hears(second, "One")
    third = House(first.pool, first.url, first.shelf, first.chat)
    third.chat.lines.append(line(GROWN))
    await drained(second, third)
    assert words_of(await follower.to_the_end()) == GROWN
    assert_never_less(follower.frames)
    await third.turns.drain(0.2)


async def test_a_call_instead_of_words_ends_them(two):
    first, second = two
    first.shelf.put("d-1")
    _, follower = await begun(first, second, "rename")
    first.chat.lines += [line("", ("rename_thing", {"thing": "d-1", "name": "B"})), line("Renamed.")]
    await drained(first, second)
    parts = await follower.to_the_end()
    assert [part["metadata"]["type"] for part in parts] == ["tool_end", "stream_token", "usage"]
    assert words_of(parts) == "Renamed."


async def test_a_client_that_goes_on_from_what_it_has_gets_every_change_and_none_twice(two):
    first, second = two
    ref, client = await begun(first, first)
    had = [*client.frames]
    client.task.cancel()
    after = max(part["metadata"]["seq"] for part in had[-1])
    hold = asyncio.Event()
    first.chat.lines.append(line(OTHER, middle=hold))
    await drained(first, second)
    await hears(second, "Something")
    follower = Follower(second, ref, after)
    hold.set()
    parts = await follower.to_the_end()
    assert words_of(parts) == OTHER
    fresh = [part for parts in follower.frames for part in parts if part["metadata"]["seq"] > after]
    assert all(part["content"] != SEEN for part in fresh)
    assert all(part["metadata"]["seq"] > after for part in parts)
    assert_never_less(had + follower.frames)


async def test_a_stop_keeps_the_words_that_are_in_view(two):
    first, second = two
    ref, follower = await begun(first, second)
    first.chat.lines.append(line("One two", middle=asyncio.Event()))
    await drained(first, second)
    await hears(second, "One")
    await second.turns.cancel(ANN, ref.conversation_id)
    assert words_of(await follower.to_the_end()) == SEEN
    page = await second.turns.open(ANN, ref.conversation_id)
    assert (page.messages[1].state, page.messages[1].text) == ("canceled", SEEN)


async def test_a_retry_keeps_what_the_failed_answer_said_until_it_has_said_as_much(house):
    ref, parts = await house.tell("talk", line(SEEN, fails=RuntimeError("cut")), turn_id="t1")
    assert words_of(parts) == SEEN
    hold = asyncio.Event()
    again = await house.say("talk", line(OTHER, middle=hold), to=ref.conversation_id, turn_id="t1")
    follower = Follower(house, again)
    await hears(house, "Something")
    await follower.sees(SEEN)
    assert cards(follower.frames[-1], "error") == []
    hold.set()
    assert words_of(await follower.to_the_end()) == OTHER
    assert_never_less(follower.frames)


async def test_a_retry_that_fails_sooner_keeps_the_longer_words(house):
    ref, _ = await house.tell("talk", line(SEEN, fails=RuntimeError("cut")), turn_id="t1")
    _, parts = await house.tell("talk", line("One", fails=RuntimeError("cut")), to=ref.conversation_id, turn_id="t1")
    assert words_of(parts) == SEEN
    assert cards(parts, "stream_token")[0]["metadata"]["status"] == "pending"


async def test_a_history_found_too_long_in_the_middle_of_the_answer_takes_no_words_away(house):
    hold = asyncio.Event()
    ref = await house.say("talk", line(SEEN, fails=ContextTooLong("too long")), line(OTHER, middle=hold))
    follower = Follower(house, ref)
    await hears(house, "Something")
    await follower.sees(SEEN)
    hold.set()
    assert words_of(await follower.to_the_end()) == OTHER
    assert_never_less(follower.frames)


class Away(Failpoints):
    """The database goes away once, when an answer is complete and before the checkpoint has it.

    With `unsaved` it had been away for a while: what was told meanwhile is not saved either.
    """

    def __init__(self, pool: Pool, *, unsaved: bool):
        super().__init__()
        self._pool = pool
        self._unsaved = unsaved
        self.times = 0

    async def reach(self, name: str) -> None:
        if name == "K04" and not self.times:
            self.times += 1
            if self._unsaved:
                await self._forget()
            raise psycopg.OperationalError("away")

    async def _forget(self) -> None:
        saved = 0
        async with self._pool.connection() as connection, asyncio.timeout(5):
            while not saved:
                done = await connection.execute(
                    """
                    update messages set parts = '[]', version = version - 1
                    where role = 'assistant' and parts @> '[{"metadata": {"type": "usage"}}]'
                    """
                )
                saved = done.rowcount


@pytest.mark.parametrize("unsaved", [False, True])
async def test_an_answer_that_the_checkpoint_could_not_take_stays_and_is_not_told_twice(pool, database_url, unsaved):
    house = House(pool, database_url, options={"failpoints": Away(pool, unsaved=unsaved)})
    await house.turns.start()
    hold = asyncio.Event()
    ref = await house.say("talk", line(SEEN), line(OTHER, middle=hold))
    follower = Follower(house, ref)
    await hears(house, "Something")
    await follower.sees(SEEN)
    hold.set()
    assert words_of(await follower.to_the_end()) == OTHER
    assert_never_less(follower.frames)
    await house.turns.drain(0.2)
    assert await house.faults() == []


async def test_whoever_follows_where_the_turn_was_lost_sees_no_older_state(two):
    """The last save is behind what was told; the next worker's first one is beyond it."""
    first, second = two
    _, follower = await begun(first, first)
    await first.turns._worker._stop()
    async with first.pool.connection() as connection:
        await connection.execute("update messages set parts = '[]', version = version - 1 where role = 'assistant'")
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.shield(follower.task), 0.6)
    assert words_of(follower.frames[-1]) == SEEN
    first.chat.lines.append(line(OTHER))
    await second.turns.start()
    assert words_of(await follower.to_the_end()) == OTHER


async def test_a_turn_that_is_given_back_before_it_was_read_keeps_what_it_said(two):
    first, second = two
    first.shelf.put("d-1")
    ref, parts = await first.tell("delete", line("Shall I?", ("delete_thing", {"thing": "d-1"})))
    await first.turns.drain(0.2)
    await first.decide(cards(parts)[0], "deny")
    async with first.pool.connection() as connection, connection.transaction():
        await connection.execute("lock table always_allowed in access exclusive mode")
        await second.turns.start()
        await until(lambda: bool(second.turns._worker.drivers))
        await second.turns.drain(0.05)
    page = await first.turns.open(ANN, ref.conversation_id)
    assert page.active_turn is not None
    assert page.active_turn.state == "queued"
    assert page.messages[1].text == "Shall I?"
