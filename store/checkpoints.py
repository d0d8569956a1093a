"""LangGraph's checkpoints, written only by the worker that holds the turn.

`thread_id` is the conversation's id. A saver is made for each turn: `AsyncPostgresSaver` takes one lock around
every statement, even over a pool, so a shared one would let the turns of a process wait for each other.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg import AsyncCursor, errors
from psycopg.rows import DictRow

from store.errors import LostLease
from store.pool import Connection, Pool

# Strict: data in a checkpoint never becomes code (CVE-2026-28277), whatever LANGGRAPH_STRICT_MSGPACK says.
SERDE = JsonPlusSerializer(allowed_msgpack_modules=None)
PRUNE_TRIES = 3
_PRUNE: LiteralString = """
    with newest as (
        select checkpoint_id, checkpoint from checkpoints where thread_id = %(thread)s
        order by checkpoint_id desc limit 1
    ), old as (
        delete from checkpoints where thread_id = %(thread)s and checkpoint_id < (select checkpoint_id from newest)
        returning checkpoint_id
    ), writes as (
        delete from checkpoint_writes where thread_id = %(thread)s and checkpoint_id in (select checkpoint_id from old)
    )
    delete from checkpoint_blobs b where b.thread_id = %(thread)s and not exists (
        select 1 from newest, jsonb_each_text(newest.checkpoint -> 'channel_versions') v
        where v.key = b.channel and v.value = b.version
    )
"""
Reached = Callable[[str], Awaitable[None]]


class FencedSaver(AsyncPostgresSaver):
    """A saver for one claimed turn; its writes raise `LostLease` once the turn is somebody else's or has ended.

    Without the check a worker that was paused past its lease writes over later turns (langgraph#8796).
    `reached` is awaited with S1 after a checkpoint and with S2 after a task's writes are committed.
    """

    def __init__(self, pool: Pool, turn_id: UUID, fence: int, reached: Reached | None = None):
        super().__init__(pool, serde=SERDE)
        self._reached = reached or _nothing
        self._pool = pool
        self._turn_id = turn_id
        self._fence = fence

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, in one transaction with the check of the fence. Raises `LostLease`."""
        async with self._fenced(config) as saver:
            saved = await saver.aput(config, checkpoint, metadata, new_versions)
        await self._reached("S1")
        return saved

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task wrote, in one transaction with the check of the fence. Raises `LostLease`."""
        async with self._fenced(config) as saver:
            await saver.aput_writes(config, writes, task_id, task_path)
        await self._reached("S2")

    @asynccontextmanager
    async def _fenced(self, config: RunnableConfig) -> AsyncIterator[AsyncPostgresSaver]:
        """A saver in a transaction that keeps the turn ours first; all is sent at once, then read whether it was."""
        async with self._pool.connection() as connection, connection.pipeline(), connection.transaction():
            held = await self._held(connection, config.get("configurable", {})["thread_id"])
            yield AsyncPostgresSaver(connection, serde=SERDE)
            if not await held.fetchone():
                raise LostLease

    async def _held(self, connection: Connection, thread_id: str) -> AsyncCursor[DictRow]:
        return await connection.execute(
            """
            select 1 from turns where id = %s and fence = %s and conversation_id::text = %s and state = 'running'
            for share
            """,
            (self._turn_id, self._fence, thread_id),
        )


async def _nothing(name: str) -> None:
    """The product's failpoint."""


async def prune(pool: Pool, conversation_id: UUID) -> None:
    """Keep only the newest checkpoint of a conversation; called after each turn, safe beside a running one.

    `AsyncPostgresSaver.aprune(strategy="keep_latest")` in one statement instead of twenty, for a graph without
    subgraphs and delta channels. One statement sees one snapshot: what a running turn adds meanwhile stays, and
    refers to blobs of the newest checkpoint or to new ones.
    """
    for left in reversed(range(PRUNE_TRIES)):
        try:
            async with pool.connection() as connection:
                await connection.execute(_PRUNE, {"thread": str(conversation_id)})
            return
        except errors.DeadlockDetected:
            if not left:
                raise
            await asyncio.sleep(0.05)


async def forget(pool: Pool, conversation_ids: Sequence[UUID]) -> None:
    """Remove all checkpoints of these conversations."""
    saver = AsyncPostgresSaver(pool, serde=SERDE)
    await saver.aprune([str(conversation_id) for conversation_id in conversation_ids], strategy="delete")
