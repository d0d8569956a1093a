from datetime import timedelta

from agent.retention import forget_old
from store import conversations


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
