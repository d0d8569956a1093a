"""The fence of a turn: every claim raises it, and a worker with an older number can write nothing.

A paused worker wakes up believing that the turn is still its own. Without the check it erases what the next
worker wrote (langgraph#8796).
"""

from typing import LiteralString, Protocol
from uuid import UUID

from store.errors import LostLease
from store.pool import Connection

# A turn that is ours and stays so until the statement's transaction ends; for a write that needs nothing else first.
HELD: LiteralString = """
    held as (
        select id, conversation_id from turns where id = %(turn)s and fence = %(fence)s and state = 'running' for share
    )
"""


VERSIONS = 1_000_000  # more changes than a message can see in one claim of its turn


def first_version(fence: int) -> int:
    """The message version that a claim begins with: beyond all that an earlier worker told and perhaps did not save."""
    return fence * VERSIONS


class Lease(Protocol):
    """The right to write for a turn. A claimed `store.turns.Turn` is one."""

    @property
    def turn_id(self) -> UUID:
        """The turn that is held."""
        ...

    @property
    def fence(self) -> int:
        """The number that the claim returned."""
        ...


async def share(connection: Connection, lease: Lease) -> None:
    """Keep the turn ours until the surrounding transaction ends; raises `LostLease`."""
    query = "select 1 from turns where id = %s and fence = %s and state = 'running' for share"
    if not await (await connection.execute(query, (lease.turn_id, lease.fence))).fetchone():
        raise LostLease


async def lock(connection: Connection, lease: Lease) -> None:
    """As `share`, but for a transaction that goes on to change the turn itself."""
    query = "select 1 from turns where id = %s and fence = %s and state = 'running' for no key update"
    if not await (await connection.execute(query, (lease.turn_id, lease.fence))).fetchone():
        raise LostLease
