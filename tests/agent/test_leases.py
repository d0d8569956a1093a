"""Leases, takeover and the second replica: one worker acts for a turn, and none of its words is lost."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agent.failpoints import Failpoints
from agent.leases import Heartbeat, LeaseLost
from agent.steps import TokenText
from store import leases
from store import turns as turn_rows
from tests.agent.assembly import ANN, LEASE, House, cards, line, until, words_of
from tests.agent.bench import Bench, principal


def driver_of(house: House):
    [driver] = house.turns._worker.drivers.values()
    return driver


async def test_heartbeat_keeps_a_lease_alive_and_tells_of_cancellation(pool, database_url):
    bench = await Bench.open(pool)
    beats = Heartbeat(database_url, 2.0)
    beats.start()
    lease = beats.hold(bench.turn.id, bench.turn.fence, time.monotonic())
    await asyncio.sleep(5.0)
    lease.check()
    async with pool.connection() as connection:
        await turn_rows.cancel(connection, bench.turn.tenant, bench.turn.owner, bench.turn.id)
    async with asyncio.timeout(2):
        await lease.cancel.wait()
    await beats.stop()


async def test_heartbeat_tells_at_once_of_a_turn_that_was_taken_over(pool, database_url):
    bench = await Bench.open(pool)
    beats = Heartbeat(database_url, 0.6)
    beats.start()
    lease = beats.hold(bench.turn.id, bench.turn.fence, time.monotonic())
    await bench.sql("update turns set fence = fence + 1")
    async with asyncio.timeout(2):
        await lease.lost.wait()
    await beats.stop()


async def test_without_a_database_the_lease_is_given_up_before_it_runs_out(pool, database_url):
    bench = await Bench.open(pool)
    beats = Heartbeat("postgresql://127.0.0.1:1/nowhere", 1.0)
    beats.start()
    began = time.monotonic()
    lease = beats.hold(bench.turn.id, bench.turn.fence, began)
    await lease.lost.wait()
    assert 0.5 < time.monotonic() - began < 1.0
    with pytest.raises(LeaseLost):
        lease.check()
    await beats.stop()


async def test_blocked_event_loop_costs_no_lease(pool, database_url):
    bench = await Bench.open(pool)
    beats = Heartbeat(database_url, 1.0)
    beats.start()
    lease = beats.hold(bench.turn.id, bench.turn.fence, time.monotonic())
    time.sleep(2.5)  # noqa: ASYNC251
    async with pool.connection() as connection:
        claimed = await leases.claim(connection, "other", seconds=1, run_seconds=1, turn_id=bench.turn.id)
    assert claimed is None
    await beats.stop()
    assert lease.fence == bench.turn.fence


async def test_sixteen_workers_claim_each_turn_once(pool):
    turns = [(await Bench.open(pool)).turn for _ in range(40)]
    async with pool.connection() as connection:
        await connection.execute("update turns set state = 'queued', attempt = 0")
    claimed = []

    async def work(name: str) -> None:
        while True:
            async with pool.connection() as connection:
                turn = await leases.claim(connection, name, seconds=60, run_seconds=60)
            if turn is None:
                return
            claimed.append(turn.id)

    await asyncio.gather(*(work(f"w{n}") for n in range(16)))
    assert sorted(claimed) == sorted(turn.id for turn in turns)


async def test_the_other_replica_finishes_what_the_first_lost(two):
    first, second = two
    ref = await first.say("talk", line("Half an answer", middle=asyncio.Event()))
    await first.chat.spoke.wait()
    second.chat.lines.append(line("The whole answer"))
    await second.turns.start()
    first.turns._worker._heartbeat.drop(driver_of(first)._lease)
    driver_of(first)._lease.ends = 0.0
    async with asyncio.timeout(LEASE + 3):
        parts = await second.follow(ref)
    assert words_of(parts) == "The whole answer"
    assert len(first.chat.sent) == 2


async def test_no_seq_stands_for_two_things_when_a_turn_changes_hands(two):
    """What the first told and could not save any more has numbers that the second must not give out again."""
    first, second = two
    ref = await first.say("talk", line("Half an answer", middle=asyncio.Event()))
    await first.chat.spoke.wait()
    for _ in range(50):
        driver_of(first).draft.transcript.fold(TokenText("unsaved", "word "))
    told = await anext(first.turns.tail(ANN, ref.conversation_id, ref.turn_id))
    second.chat.lines.append(line("The whole answer"))
    await second.turns.start()
    first.turns._worker._heartbeat.drop(driver_of(first)._lease)
    driver_of(first)._lease.ends = 0.0
    parts = await second.follow(ref)
    assert words_of(parts) == "The whole answer"
    assert min(seqs(parts)) > max(seqs(told))


def seqs(parts) -> list[int]:
    return [part["metadata"]["seq"] for part in parts]


async def test_worker_that_lost_its_lease_calls_nothing_and_writes_nothing(two):
    first, second = two
    first.shelf.put("d-1")
    hold = asyncio.Event()
    rename = ("rename_thing", {"thing": "d-1", "name": "B"})
    ref = await first.say("rename", line("Now", rename, middle=hold))
    await first.chat.spoke.wait()
    lease = driver_of(first)._lease
    first.turns._worker._heartbeat.drop(lease)
    second.chat.lines += [line("", rename), line("Renamed.")]
    await second.turns.start()
    async with asyncio.timeout(LEASE + 3):
        parts = await second.follow(ref)
    hold.set()
    await until(lambda: not first.turns._worker.drivers)
    assert words_of(parts) == "Renamed."
    assert len(first.shelf.effects) == 1
    assert lease.lost.is_set() or lease.ends < time.monotonic()


async def test_the_other_replica_tails_what_it_does_not_drive(two):
    first, second = two
    await second.turns.drain(0.1)
    hold = asyncio.Event()
    ref = await first.say("talk", line("One two", middle=hold))
    await first.chat.spoke.wait()
    frames = second.turns.tail(ANN, ref.conversation_id, ref.turn_id)
    async with asyncio.timeout(3):
        while words_of(await anext(frames)) != "One":
            pass
    hold.set()
    rest = [parts async for parts in frames]
    assert words_of(rest[-1]) == "One two"


async def test_cancel_reaches_the_other_replica_within_a_second(two):
    first, second = two
    await second.turns.start()
    took = []
    for _ in range(10):
        first.chat.spoke.clear()
        ref = await first.say("talk", line("One two", middle=asyncio.Event()))
        await first.chat.spoke.wait()
        other = second if first.turns._worker.drivers else first
        began = time.monotonic()
        await other.turns.cancel(ANN, ref.conversation_id)
        assert words_of(await other.follow(ref)) == "One"
        took.append(time.monotonic() - began)
    assert max(took) < 1.0


async def test_decision_on_one_replica_lets_the_turn_go_on_on_either(two):
    first, second = two
    first.shelf.put("d-1")
    ref, parts = await first.tell("delete", line("", ("delete_thing", {"thing": "d-1"})))
    await first.turns.drain(0.2)
    await second.turns.start()
    second.chat.lines.append(line("Gone."))
    await second.decide(cards(parts)[0])
    assert words_of(await second.follow(ref)) == "Gone."
    assert len(first.shelf.effects) == 1


async def test_process_can_be_drained_at_any_moment_after_its_start(pool, database_url):
    for moment in range(80):
        house = House(pool, database_url)
        await house.turns.start()
        await asyncio.sleep(moment % 10 * 0.003)
        async with asyncio.timeout(5):
            await house.turns.drain(0.2)


async def test_drain_gives_a_running_turn_back_and_another_goes_on(two):
    first, second = two
    ref = await first.say("talk", line("Half an answer", middle=asyncio.Event()))
    await first.chat.spoke.wait()
    began = time.monotonic()
    await first.turns.drain(0.3)
    assert time.monotonic() - began < 3
    assert await first.state(ref) == "queued"
    second.chat.lines.append(line("The whole answer"))
    await second.turns.start()
    assert words_of(await second.follow(ref)) == "The whole answer"


async def test_drain_lets_a_running_answer_end_and_nobody_is_asked_anew(two):
    first, second = two
    hold = asyncio.Event()
    ref = await first.say("talk", line("The whole answer", middle=hold))
    await first.chat.spoke.wait()
    draining = asyncio.create_task(first.turns.drain(10.0))
    await second.turns.start()
    hold.set()
    assert words_of(await second.follow(ref)) == "The whole answer"
    await draining
    assert await first.state(ref) == "succeeded"
    assert len(first.chat.sent) == 1


async def test_drain_waits_for_a_call_on_its_way_and_loses_no_result(two):
    first, second = two
    first.shelf.put("d-1")
    first.shelf.gate = asyncio.Event()
    ref = await first.say("rename", line("", ("rename_thing", {"thing": "d-1", "name": "B"})))
    await first.shelf.entered.wait()
    draining = asyncio.create_task(first.turns.drain(1.0))
    await asyncio.sleep(0.1)
    first.shelf.gate.set()
    await draining
    second.chat.lines.append(line("Renamed."))
    await second.turns.start()
    assert words_of(await second.follow(ref)) == "Renamed."
    assert len(first.shelf.effects) == 1
    assert first.shelf.calls["rename_thing"] == 1


async def test_turn_that_lost_five_workers_fails_with_a_message_and_the_conversation_goes_on(house):
    await house.turns.drain(0.1)
    ref = await house.say("talk")
    for _ in range(5):
        async with house.pool.connection() as connection:
            assert await leases.claim(connection, "doomed", seconds=-1, run_seconds=60)
    page = await house.turns.open(ANN, ref.conversation_id)
    parts = await house.follow(ref)
    assert page.active_turn is None
    assert (await house.state(ref), cards(parts, "error")[0]["metadata"]["code"]) == ("failed", "given_up")


async def test_expired_token_lets_the_turn_wait_for_its_person(house):
    gone = principal(minutes=0.2)
    ref, parts = await house.tell("talk", line("Welcome back."), who=gone)
    assert await house.state(ref) == "waiting_auth"
    assert cards(parts, "notice")[0]["metadata"]["code"] == "sign_in"
    assert house.chat.sent == []
    await house.turns.open(ANN, ref.conversation_id)
    assert words_of(await house.follow(ref)) == "Welcome back."


async def test_token_that_runs_out_in_the_middle_stops_before_the_next_call(house):
    house.shelf.put("d-1")
    hold = asyncio.Event()
    rename = ("rename_thing", {"thing": "d-1", "name": "B"})
    soon = replace(ANN, expires_at=datetime.now(UTC) + timedelta(seconds=31))
    ref = await house.say("rename", line("Now", rename, middle=hold), line("Renamed."), who=soon)
    await house.chat.spoke.wait()
    await asyncio.sleep(1.2)
    hold.set()
    await house.follow(ref, who=soon)
    assert await house.state(ref) == "waiting_auth"
    assert house.shelf.effects == []
    assert words_of(await house.follow(ref)) == "Now\nRenamed."
    assert len(house.shelf.effects) == 1
    assert house.shelf.effects[0].user_jwt == ANN.user_jwt


async def test_late_decision_acts_with_the_token_of_the_decider(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete", line("", ("delete_thing", {"thing": "d-1"})), line("Gone."))
    fresh = replace(ANN, user_jwt="a-fresh-one")
    await house.decide(cards(parts)[0], who=fresh)
    await house.follow(ref)
    assert house.shelf.effects[0].user_jwt == "a-fresh-one"


class Stumbling(Failpoints):
    """Something that nobody foresaw goes wrong once, at this point."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.stumbled = 0

    async def reach(self, name: str) -> None:
        if name == self.name and not self.stumbled:
            self.stumbled += 1
            raise RuntimeError("unforeseen")


@pytest.mark.parametrize("point", ["K02", "K18"])
async def test_a_worker_works_on_after_an_error_that_nobody_foresaw(pool, database_url, point):
    stumbling = Stumbling(point)
    options = {"lease_seconds": 1.0, "failpoints": stumbling}
    house = House(pool, database_url, options=options)
    async with asyncio.timeout(10):
        await house.turns.start()
        _, parts = await house.tell("hello", line("Hi."))
    assert (stumbling.stumbled, words_of(parts)) == (1, "Hi.")
    await house.turns.drain(0.2)
    assert await house.faults() == []
