from datetime import UTC, datetime, timedelta

from agent.retention import forget_old, forget_run_out
from store import conversations, credentials, sessions
from store.sessions import Session
from tests.store import scenes


async def make(connection, title):
    return await conversations.create(connection, "t", "iss|ann", title=title, lang="en")


async def age(connection, row, days):
    await connection.execute(
        "update conversations set updated_at = clock_timestamp() - make_interval(days => %s) where id = %s",
        (days, row.id),
    )


async def kept(connection):
    return {row.title for row in await conversations.page(connection, "t", "iss|ann")}


async def test_unused_conversations_go_and_used_ones_stay(pool):
    async with pool.connection() as connection:
        await age(connection, await make(connection, "old"), 40)
        await age(connection, await make(connection, "young"), 20)
        assert await forget_old(pool, timedelta(days=30)) == 1
        assert await kept(connection) == {"young"}


async def test_without_a_limit_nothing_that_is_not_deleted_goes(pool):
    async with pool.connection() as connection:
        await age(connection, await make(connection, "ancient"), 4000)
        assert await forget_old(pool, None) == 0
        assert await kept(connection) == {"ancient"}


async def test_a_deleted_conversation_is_gone_for_good_a_day_later(pool):
    async with pool.connection() as connection:
        row = await make(connection, "deleted")
        await conversations.delete(connection, "t", "iss|ann", row.id)
        assert await forget_old(pool, None) == 0
        await connection.execute("update conversations set deleted_at = clock_timestamp() - interval '2 days'")
        assert await forget_old(pool, None) == 1


async def test_no_sealed_token_outlives_its_time(pool):
    over = datetime.now(UTC) - timedelta(minutes=1)
    async with pool.connection() as connection:
        turn = await scenes.running(connection)
        await credentials.put(connection, turn.id, b"sealed", -1)
        await sessions.put(
            connection, Session(b"h" * 32, "t", "iss|ann", "Ann", "editor", "demo", b"sealed", over, over)
        )
    assert await forget_run_out(pool) == 2
    async with pool.connection() as connection:
        left = "select count(*) as n from turn_credentials union all select count(*) from sessions where sealed <> ''"
        assert [row["n"] for row in await (await connection.execute(left)).fetchall()] == [0, 0]
