"""Questions, sessions, sealed tokens, permissions, tokens spent, feedback and rate limits."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from store import always, credentials, feedback, leases, limits, messages, questions, sessions, turns, usage
from store.errors import NotFound
from store.messages import Content
from store.pool import Connection, Pool, open_pool
from store.questions import NewQuestion
from store.sessions import Session
from store.usage import Total, Usage
from tests.store import scenes
from tests.store.scenes import OTHER, OWNER, TENANT

SOON = timedelta(minutes=5)


async def test_the_first_answer_stands_and_wakes_the_turn(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=10)
    async with pool.connection() as connection:
        turn = await scenes.running(connection)
        asked = await questions.insert(connection, turn, _question())
        await leases.wait(connection, turn, "waiting_answer", Content(), [asked.id])
    answers = await asyncio.gather(*(_answer(pool, asked, f"answer {n}") for n in range(10)))
    async with pool.connection() as connection:
        stored = await questions.get(connection, TENANT, OWNER, asked.id)
        assert (await scenes.state_of(connection, turn)).state == "queued"
    await pool.close()
    assert stored is not None
    assert [one.question.answer for one in answers if one.won] == [stored.answer]
    assert {one.question.answer for one in answers} == {stored.answer}


async def test_a_question_is_asked_once_and_only_its_person_answers(connection: Connection) -> None:
    turn = await scenes.running(connection)
    first, again = [await questions.insert(connection, turn, _question()) for _ in range(2)]
    assert first.id == again.id
    assert first.choices == [{"id": "a", "label": "Первый"}]
    assert [one.id for one in await questions.of_turn(connection, turn.id)] == [first.id]
    assert [one.id for one in await questions.pending_of_owner(connection, TENANT, OWNER)] == [first.id]
    assert await questions.pending_of_owner(connection, TENANT, OTHER) == []
    assert await questions.get(connection, TENANT, OTHER, first.id) is None
    with pytest.raises(NotFound):
        await questions.answer(connection, TENANT, OTHER, first.id, "x")


async def test_a_session_ends_when_its_time_is_over(connection: Connection) -> None:
    session = _session()
    await sessions.put(connection, session)
    assert await sessions.get(connection, session.handle_sha256) == session
    assert await sessions.extend(connection, session.handle_sha256, 60)
    assert await sessions.renew(connection, replace(session, expires_at=datetime.now(UTC) - SOON))
    assert await sessions.get(connection, session.handle_sha256) is None
    assert not await sessions.extend(connection, session.handle_sha256, 60)
    assert not await sessions.renew(connection, session)
    assert await sessions.purge(connection) == 1
    assert await sessions.purge(connection) == 0


async def test_of_sessions_that_are_over_a_name_stays_and_no_token(connection: Connection) -> None:
    over = datetime.now(UTC) - SOON
    for n in range(3):
        await sessions.put(connection, replace(_session(), handle_sha256=bytes([n]) * 32, expires_at=over))
    await sessions.put(connection, replace(_session(), handle_sha256=b"o" * 32, subject=OTHER))
    assert await sessions.purge(connection) == 3
    rows = await connection.execute("select subject, name, length(sealed) as token from sessions order by subject")
    kept = [(row["subject"], row["name"], row["token"]) for row in await rows.fetchall()]
    assert kept == sorted([(OWNER, "Ann", 0), (OTHER, "Ann", len(b"sealed"))])


async def test_a_session_is_renewed_only_for_the_same_person(connection: Connection) -> None:
    session = _session()
    await sessions.put(connection, session)
    assert await sessions.renew(connection, replace(session, role="admin"))
    assert not await sessions.renew(connection, replace(session, subject=OTHER))
    assert not await sessions.renew(connection, replace(session, tenant=OTHER))
    found = await sessions.get(connection, session.handle_sha256)
    assert found is not None
    assert (found.subject, found.role) == (OWNER, "admin")
    await sessions.delete(connection, session.handle_sha256)
    assert not await sessions.renew(connection, session)
    assert await sessions.get(connection, session.handle_sha256) is None


def test_a_session_does_not_print_its_secrets() -> None:
    assert "sealed" not in repr(_session())


async def test_a_sealed_token_lives_at_most_fifteen_minutes_and_ends_with_its_turn(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await credentials.put(connection, turn.id, b"one", 86_400)
    await credentials.put(connection, turn.id, b"two", 86_400)
    assert await credentials.get(connection, turn.id) == b"two"
    rows = await connection.execute(
        "select expires_at <= clock_timestamp() + interval '15 minutes' as soon from turn_credentials"
    )
    assert await rows.fetchone() == {"soon": True}
    await leases.finish(connection, turn, "succeeded", Content())
    assert await credentials.get(connection, turn.id) is None


async def test_a_sealed_token_that_ran_out_is_not_handed_out(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await credentials.put(connection, turn.id, b"old", -1)
    assert await credentials.get(connection, turn.id) is None
    assert await credentials.purge(connection) == 1


async def test_a_tool_is_allowed_for_one_person_until_it_is_revoked(connection: Connection) -> None:
    for tool in ("start_task", "create_backup", "start_task"):
        await always.allow(connection, TENANT, OWNER, tool)
    assert await always.page(connection, TENANT, OWNER) == ["create_backup", "start_task"]
    assert await always.allowed(connection, TENANT, OWNER, "start_task")
    assert not await always.allowed(connection, TENANT, OTHER, "start_task")
    assert await always.revoke(connection, TENANT, OWNER, "start_task")
    assert not await always.revoke(connection, TENANT, OWNER, "start_task")
    assert not await always.allowed(connection, TENANT, OWNER, "start_task")


async def test_a_model_request_counts_once_even_when_its_step_runs_again(connection: Connection) -> None:
    turn = await scenes.running(connection)
    for step, tokens in (("s1", 100), ("s1", 999), ("s2", 50)):
        await usage.record(connection, turn, Usage(step, "m", input_tokens=tokens, output_tokens=10, cached_tokens=5))
    expected = [Total("m", 2, 150, 10, 0, 20)]
    assert await usage.of_turn(connection, turn.id) == expected
    assert await usage.of_conversation(connection, TENANT, OWNER, turn.conversation_id) == expected
    assert await usage.of_conversation(connection, TENANT, OTHER, turn.conversation_id) == []
    assert await usage.spent(connection, TENANT, 3600) == 170
    assert await usage.spent(connection, TENANT, 3600, OTHER) == 0
    await connection.execute("update usage set at = at - interval '2 hours'")
    assert await usage.spent(connection, TENANT, 3600, OWNER) == 0


async def test_only_the_owner_rates_an_answer(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await leases.finish(connection, turn, "succeeded", Content())
    asked, answer = await messages.page(connection, TENANT, OWNER, turn.conversation_id)
    await feedback.put(connection, TENANT, OWNER, answer.id, 1)
    await feedback.put(connection, TENANT, OWNER, answer.id, -1, "wrong environment")
    assert await feedback.of_messages(connection, OWNER, [answer.id, asked.id]) == {answer.id: -1}
    for tenant, owner, message in ((TENANT, OTHER, answer.id), ("x", OWNER, answer.id), (TENANT, OWNER, asked.id)):
        with pytest.raises(NotFound):
            await feedback.put(connection, tenant, owner, message, 1)
    await feedback.clear(connection, OWNER, answer.id)
    assert await feedback.of_messages(connection, OWNER, [answer.id]) == {}


async def test_hits_over_the_limit_are_refused_until_the_window_ends(connection: Connection) -> None:
    waits = [await limits.hit(connection, "ann", 3, 60) for _ in range(5)]
    assert waits[:3] == [0, 0, 0]
    assert all(0 < wait <= 60 for wait in waits[3:])
    assert await limits.hit(connection, "bob", 3, 60) == 0
    await connection.execute("update rate_limits set window_start = window_start - interval '61 seconds'")
    assert await limits.hit(connection, "ann", 3, 60) == 0
    await connection.execute("update rate_limits set window_start = window_start - interval '2 days'")
    assert await limits.purge(connection) == 2


async def test_hits_at_once_are_all_counted(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=10)
    waits = await asyncio.gather(*(_hit(pool) for _ in range(50)))
    await pool.close()
    assert sum(wait == 0 for wait in waits) == 20


def _question() -> NewQuestion:
    return NewQuestion(uuid4(), "ai-1:call-9", "Which one?", [{"id": "a", "label": "Первый"}], True)


def _session() -> Session:
    now = datetime.now(UTC)
    return Session(b"h" * 32, TENANT, OWNER, "Ann", "editor", "demo", b"sealed", now + SOON, now + SOON)


async def _answer(pool: Pool, asked: questions.Question, text: str) -> questions.Answered:
    async with pool.connection() as connection, connection.transaction():
        answered = await questions.answer(connection, TENANT, OWNER, asked.id, text)
        await turns.resume(connection, asked.turn_id)
    return answered


async def _hit(pool: Pool) -> float:
    async with pool.connection() as connection:
        return await limits.hit(connection, "shared", 20, 60)


async def test_tokens_are_summed_by_day_by_person_and_by_row(connection: Connection) -> None:
    turn, today = await scenes.running(connection), datetime.now(UTC).date()
    for step, model in (("s1", "a"), ("s2", "a"), ("s3", "b")):
        await usage.record(connection, turn, Usage(step, model, 10, 4, 1, 5))
    await connection.execute(
        "insert into usage (tenant, owner, conversation_id, turn_id, step_key, model, input_tokens, at) values"
        " (%(t)s, %(o)s, %(id)s, %(id)s, 's', 'a', 7, now() - interval '1 day'), ('else', %(o)s, %(id)s, %(id)s, 'e',"
        " 'a', 99, now())",
        {"t": TENANT, "o": OTHER, "id": uuid4()},
    )
    await sessions.put(connection, replace(_session(), tenant=TENANT, subject=OWNER, name="Ann"))
    period = (today - timedelta(days=6), today + timedelta(days=1))

    by_day = await usage.grouped(connection, TENANT, "day", *period)
    assert [(s.day, s.model, s.turns, s.requests, s.input_tokens) for s in by_day] == [
        (today - timedelta(days=1), "a", 1, 1, 7),
        (today, "a", 1, 2, 20),
        (today, "b", 1, 1, 10),
    ]
    by_person = await usage.grouped(connection, TENANT, "person", *period)
    assert [(s.owner, s.name, s.output_tokens, s.cached_tokens) for s in by_person] == [
        (OWNER, "Ann", 15, 12),
        (OTHER, None, 0, 0),
    ]
    mine = await usage.grouped(connection, TENANT, "row", *period, OTHER)
    assert [(s.owner, s.input_tokens) for s in mine] == [(OTHER, 7)]
    assert await usage.grouped(connection, TENANT, "row", period[0], today - timedelta(days=1)) == []
