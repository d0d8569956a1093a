"""A conversation of 2,000 turns: opening it, loading earlier messages and going on read a page and not all of it."""

import uuid

import pytest

from store.pool import open_pool
from tests.agent.assembly import ANN, House, line
from tests.agent.counting import CountingProxy

TURNS = 2_000
PAGE = 50
# A message and its turn, each with the conversation that its policy asks for, one message more than a page to see
# whether there are earlier ones; and what is read once.
READ = 4 * (PAGE + 1) + 10
OTHERS = """
    insert into conversations (id, tenant, owner)
    select gen_random_uuid(), %(tenant)s, %(owner)s from generate_series(1, 1000)
"""
SEED = """
    with place as (
        insert into conversations (id, tenant, owner, title) values (%(place)s, %(tenant)s, %(owner)s, 'Long')
        returning id
    ), turn as (
        insert into turns (id, conversation_id, client_turn_id, request_sha256, state, created_at, finished_at)
        select gen_random_uuid(), place.id, 't' || n, '', 'succeeded',
            clock_timestamp() - make_interval(secs => %(turns)s - n), clock_timestamp()
        from place, generate_series(1, %(turns)s) n returning id, conversation_id, client_turn_id, created_at
    )
    insert into messages (id, conversation_id, turn_id, role, state, parts, text, version)
    select gen_random_uuid(), conversation_id, id, role, 'final',
        jsonb_build_array(jsonb_build_object('role', role, 'content', client_turn_id, 'metadata',
            jsonb_build_object('type', 'stream_token', 'id', 't', 'seq', 1, 'status', 'done'))),
        role || ' ' || client_turn_id, 1
    from turn, unnest(array['user', 'assistant']) role order by created_at, role desc
"""


class Library:
    """Several long conversations of one person behind the counting proxy, and the numbers of rows that were read."""

    def __init__(self, house: House, proxy: CountingProxy, places: list[str]):
        self.house = house
        self.proxy = proxy
        self.places = places

    async def open(self, before: int | None = None):
        """A page, with the statements it took, the rows that came over the wire, and those that the server read."""
        read = await self._read()
        self.proxy.forget()
        page = await self.house.turns.open(ANN, self.places[0], before=before, limit=PAGE)
        statements, rows = self.proxy.total, self.proxy.rows
        return page, statements, rows, await self._read() - read

    async def _read(self) -> int:
        async with self.house.pool.connection() as connection:
            await connection.execute("select pg_stat_force_next_flush()")
            found = await connection.execute(
                "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables"
            )
            row = await found.fetchone()
        assert row is not None
        return row["read"]


@pytest.fixture(params=[1, -1], ids=["first", "last"])
async def library(database_url, request):
    """Three conversations of 2,000 turns each among many; their process does nothing by itself.

    The one that is opened is the first or the last by its id: the planner's guess of its length differs.
    """
    async with CountingProxy(database_url) as proxy:
        pool = await open_pool(proxy.url, max_size=1)
        places = sorted(str(uuid.uuid4()) for _ in range(3))[:: request.param]
        async with pool.connection() as connection:
            mine = {"tenant": ANN.tenant, "owner": ANN.subject}
            # Few would be read whole, which counts for nothing and hides the rest.
            await connection.execute(OTHERS, mine)
            for place in places:
                await connection.execute(SEED, {"place": place, "turns": TURNS, **mine})
            await connection.execute("analyze")
        yield Library(House(pool, proxy.url), proxy, places)
        await pool.close()


async def test_opening_reads_one_page(library):
    page, statements, rows, read = await library.open()
    print(f"open: {statements} statements, {rows} rows sent, {read} rows read")
    assert [message.text for message in page.messages[-2:]] == ["user t2000", "assistant t2000"]
    assert len(page.messages) == PAGE
    assert statements <= 4
    assert rows <= PAGE + 5
    assert read <= READ


async def test_every_page_costs_the_same_and_all_messages_come_once(library):
    said, before, costs = [], None, []
    while True:
        page, *cost = await library.open(before)
        said = [message.text for message in page.messages] + said
        costs.append(cost)
        if (before := page.earlier) is None:
            break
    assert said == [f"{role} t{n}" for n in range(1, TURNS + 1) for role in ("user", "assistant")]
    assert len(costs) == 2 * TURNS / PAGE
    assert max(read for _, _, read in costs) <= READ
    assert {statements for statements, _, _ in costs} <= {3, 4}


async def test_a_turn_reads_no_more_for_what_came_before(library):
    house = library.house
    took = []
    for place in (None, library.places[0]):
        before = await library._read()
        ref = await house.say("hello", line("Hello."), to=place)
        assert ref.state == "queued"
        took.append(await library._read() - before)
    print(f"accept: {took[0]} rows read in a new conversation, {took[1]} in a long one")
    assert took[1] <= took[0] + 20
