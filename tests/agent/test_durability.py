"""What a call comes from is kept before the call is sent: a crash right after it must find the same call again."""

import asyncio

from agent.failpoints import Failpoints
from store.pool import open_pool
from tests.agent.assembly import House, line


class SlowSaver(Failpoints):
    """Lets every checkpoint take its time, and notes a call that is sent while one is still being kept."""

    def __init__(self):
        super().__init__()
        self.sent = asyncio.Event()
        self.hasty = False

    async def reach(self, name: str) -> None:
        if name == "K10":
            self.sent.set()
        elif name == "S1" and not self.sent.is_set():
            try:
                await asyncio.wait_for(self.sent.wait(), 0.5)
                self.hasty = True
            except TimeoutError:
                return


async def test_no_call_is_sent_before_the_message_that_made_it_is_kept(database_url):
    pool = await open_pool(database_url, max_size=20)
    saver = SlowSaver()
    house = House(pool, database_url, options={"failpoints": saver})
    house.shelf.put("d-1")
    await house.turns.start()
    await house.tell("rename", line("", ("rename_thing", {"thing": "d-1", "name": "B"})), line("Done."))
    await house.turns.drain(0.2)
    faults = await house.faults()
    await pool.close()
    assert faults == []
    assert len(house.shelf.effects) == 1
    assert not saver.hasty
