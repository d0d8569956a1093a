"""Wake-ups arrive once their transaction commits, and a listener that was cut off says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import psycopg

from store import approvals, leases, turns
from store.approvals import Verdict
from store.messages import Content
from store.notify import Channel, Listener, Notice, notify
from store.pool import Connection
from tests.store import scenes
from tests.store.scenes import OWNER, TENANT


class Ear:
    """Collects notices and lets a test wait for one."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[Notice] = asyncio.Queue()

    async def wait(self, channel: Channel, id: UUID | None) -> list[Notice]:
        """All notices up to this one."""
        notices: list[Notice] = []
        async with asyncio.timeout(10):
            while not notices or notices[-1] != Notice(channel, id):
                notices.append(await self.heard.get())
        return notices


@asynccontextmanager
async def _listening(url: str) -> AsyncIterator[Ear]:
    ear = Ear()
    task = asyncio.create_task(Listener(url, ear.heard.put_nowait, retry=0.01).run())
    for channel in Channel:
        await ear.wait(channel, None)
    yield ear
    task.cancel()
    await asyncio.wait([task])


async def test_a_notice_arrives_when_its_transaction_commits(connection: Connection, database_url: str) -> None:
    lost, kept = uuid4(), uuid4()
    async with _listening(database_url) as ear:
        async with connection.transaction(force_rollback=True):
            await notify(connection, Channel.WORK, lost)
        async with connection.transaction():
            await notify(connection, Channel.WORK, kept)
        assert await ear.wait(Channel.WORK, kept) == [Notice(Channel.WORK, kept)]


async def test_a_listener_that_was_cut_off_connects_again_and_says_so(
    connection: Connection, database_url: str
) -> None:
    async with _listening(database_url) as ear:
        await _cut_listeners(connection)
        for channel in Channel:
            await ear.wait(channel, None)
        again = uuid4()
        await notify(connection, Channel.CANCEL, again)
        await ear.wait(Channel.CANCEL, again)


async def test_a_listener_waits_for_a_server_that_is_not_there(database_url: str) -> None:
    nowhere = psycopg.conninfo.make_conninfo(database_url, host="/nonexistent")
    task = asyncio.create_task(Listener(nowhere, lambda notice: None, retry=0.01).run())
    done, _ = await asyncio.wait([task], timeout=0.2)
    task.cancel()
    await asyncio.wait([task])
    assert not done


async def test_a_notice_of_something_else_does_not_end_the_listener(connection: Connection, database_url: str) -> None:
    async with _listening(database_url) as ear:
        await connection.execute("select pg_notify('countersign_work', 'not an id')")
        known = uuid4()
        await notify(connection, Channel.WORK, known)
        assert await ear.wait(Channel.WORK, known) == [Notice(Channel.WORK, known)]


async def test_a_turn_tells_of_itself_on_its_whole_way(connection: Connection, database_url: str) -> None:
    async with _listening(database_url) as ear:
        turn = await scenes.queued(connection)
        await ear.wait(Channel.WORK, turn.id)
        turn = await scenes.claim(connection, turn)
        card = await scenes.pending(connection, turn)
        await leases.wait(connection, turn, "waiting_approval", Content(), [card.id])
        await ear.wait(Channel.CHANGED, turn.id)
        await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, Verdict("approved", OWNER))
        await ear.wait(Channel.DECIDED, card.id)
        await turns.resume(connection, turn.id)
        await ear.wait(Channel.WORK, turn.id)
        turn = await scenes.claim(connection, turn)
        await turns.cancel(connection, TENANT, OWNER, turn.id)
        await ear.wait(Channel.CANCEL, turn.id)
        await leases.finish(connection, turn, "canceled", Content())
        await ear.wait(Channel.CHANGED, turn.id)


async def _cut_listeners(connection: Connection) -> None:
    await connection.execute(
        """
        select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and query like 'listen %'
        """
    )
