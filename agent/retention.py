"""Forgetting: conversations that were deleted, or lie unused for longer than the operator keeps them; what ran out."""

import asyncio
import logging
from datetime import timedelta

import psycopg

from store import checkpoints, conversations, credentials, limits, sessions
from store.person import SERVICE, act_for
from store.pool import Pool

EVERY = 300.0
DELETED = timedelta(days=1)
log = logging.getLogger(__name__)


async def forget_old(pool: Pool, idle: timedelta | None) -> int:
    """Remove what is due, checkpoints first; returns how many conversations went. The audit log stays."""
    with act_for(SERVICE):
        async with pool.connection() as connection:
            due = await conversations.stale(connection, deleted=DELETED, idle=idle)
        if due:
            await checkpoints.forget(pool, due)
            async with pool.connection() as connection:
                await conversations.remove(connection, due)
    return len(due)


async def forget_run_out(pool: Pool) -> int:
    """Remove sessions and sealed tokens whose time is over, and old counts; returns how many secrets went."""
    with act_for(SERVICE):
        async with pool.connection() as connection:
            await limits.purge(connection)
            return await sessions.purge(connection) + await credentials.purge(connection)


async def keep_forgetting(pool: Pool, idle: timedelta | None, every: float = EVERY) -> None:
    """Do both at once and every five minutes, until cancelled; a database that is away is asked again next time."""
    while True:
        try:
            await forget_run_out(pool)
            await forget_old(pool, idle)
        except psycopg.Error:
            log.warning("old conversations could not be removed; the next try is in %d minutes", every // 60)
        await asyncio.sleep(every)
