"""What a turn costs, in counts that no busy machine changes: statements, bytes sent to the database, model requests."""

import pytest

from store.pool import open_pool
from tests.agent.assembly import House, cards, line, until
from tests.agent.counting import CountingProxy

# Measured: 88, 112 and 222 statements. The rest is for looks at a draft that a busy machine repeats.
MOST = {"say": 89, "read": 117, "delete": 231}


class Meter:
    """A house behind the counting proxy; every turn says what it took."""

    def __init__(self, house: House, proxy: CountingProxy):
        self.house = house
        self.proxy = proxy
        self.place: str | None = None

    async def turn(self, kind: str, name: str = "d-1") -> tuple[int, int]:
        """One whole turn with its decision: statements and bytes sent."""
        self.proxy.forget()
        lines = {
            "say": [line("Hello there.")],
            "read": [line("", ("find_things", {"query": "d"})), line("Found.")],
            "delete": [line("", ("delete_thing", {"thing": name})), line("Deleted.")],
        }[kind]
        ref, parts = await self.house.tell(kind, *lines, to=self.place)
        self.place = ref.conversation_id
        for card in cards(parts):
            await self.house.decide(card)
            await self.house.follow(ref)
        await until(lambda: not self.house.turns._worker.drivers)
        assert await self.house.state(ref) == "succeeded"
        return self.proxy.total, self.proxy.sent

    async def least(self, kind: str, count: int) -> tuple[int, int]:
        """The least of some turns, so that a poll in one of them counts for nothing."""
        took = [await self.turn(kind, f"d-{number}") for number in range(count)]
        return min(statements for statements, _ in took), min(sent for _, sent in took)


@pytest.fixture
async def meter(database_url):
    """A meter whose house renews no lease, reaps nothing and looks for no work unasked for the time of a test."""
    async with CountingProxy(database_url) as proxy:
        pool = await open_pool(proxy.url)
        house = House(pool, proxy.url, options={"lease_seconds": 300.0, "poll_seconds": 300.0})
        house.shelf.put("d-1", "Sales")
        await house.turns.start()
        yield Meter(house, proxy)
        await house.turns.drain(0.2)
        faults = await house.faults()
        await pool.close()
        assert faults == []


@pytest.mark.parametrize("kind", MOST)
async def test_a_turn_takes_so_many_statements_and_no_more(meter, kind):
    for number in range(3):
        meter.house.shelf.put(f"d-{number}", "Sales")
    statements, _ = await meter.least(kind, 3)
    print(f"{kind}: {statements} statements")
    assert statements <= MOST[kind]
    assert len(meter.house.chat.sent) == 3 * (1 if kind == "say" else 2)


async def test_the_thirtieth_turn_costs_what_the_fifth_does(meter):
    await meter.least("read", 3)
    fifth, _ = await meter.least("read", 3)
    await meter.least("read", 6)
    _, full = await meter.least("read", 3)
    await meter.least("read", 12)
    thirtieth, sent = await meter.least("read", 3)
    print(f"statements {fifth} -> {thirtieth}, bytes with a full window {full} -> {sent}")
    assert thirtieth <= fifth
    assert sent <= 1.03 * full
    assert len(meter.house.chat.sent) == 2 * 30
