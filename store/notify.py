"""Wake-ups between processes over LISTEN/NOTIFY. They may be lost: everyone who listens also polls.

A notice carries an id and nothing else; whoever gets it reads the database.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Never
from uuid import UUID

import psycopg
from psycopg import AsyncConnection, sql

from store.pool import Connection

RETRY = 1.0


class Channel(StrEnum):
    """What happened, and to what the id belongs."""

    WORK = "countersign_work"  # a turn was queued
    CANCEL = "countersign_cancel"  # a running turn is to stop
    DECIDED = "countersign_decided"  # an approval was decided
    CHANGED = "countersign_changed"  # a turn waits or has ended


@dataclass(frozen=True, slots=True)
class Notice:
    """`id` is None when the listener (re)connected: notices may have been missed, so look at everything."""

    channel: Channel
    id: UUID | None


async def notify(connection: Connection, channel: Channel, id: UUID) -> None:
    """Tell all listeners, once the surrounding transaction commits."""
    await connection.execute("select pg_notify(%s, %s)", (channel.value, str(id)))


class Listener:
    """Hears notices on a connection of its own, and connects again for as long as it runs.

    `url` must reach the server itself: a pooler in transaction mode swallows LISTEN.
    """

    def __init__(self, url: str, hear: Callable[[Notice], None], retry: float = RETRY):
        self._url = url
        self._hear = hear
        self._retry = retry

    async def run(self) -> Never:
        """Listen until cancelled. `hear` is called in the event loop and must neither block nor raise."""
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError):
                await asyncio.sleep(self._retry)

    async def _listen(self) -> None:
        async with await AsyncConnection.connect(self._url, autocommit=True) as connection:
            for channel in Channel:
                await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
            for channel in Channel:
                self._hear(Notice(channel, None))
            async for notice in connection.notifies():
                with suppress(ValueError):  # not an id: somebody else's notice
                    self._hear(Notice(Channel(notice.channel), UUID(notice.payload)))
