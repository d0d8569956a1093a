"""The person's token for a turn that another process may have to finish: sealed, for at most 15 minutes."""

from uuid import UUID

from store.pool import Connection
from store.rows import value

LONGEST = 900.0


async def put(connection: Connection, turn_id: UUID, sealed: bytes, seconds: float) -> None:
    """Keep a sealed token for `seconds`, at most `LONGEST`; it replaces the turn's former one."""
    await connection.execute(
        """
        insert into turn_credentials (turn_id, sealed, expires_at)
        values (%s, %s, clock_timestamp() + make_interval(secs => %s))
        on conflict (turn_id) do update set sealed = excluded.sealed, expires_at = excluded.expires_at
        """,
        (turn_id, sealed, min(seconds, LONGEST)),
    )


async def get(connection: Connection, turn_id: UUID) -> bytes | None:
    """The sealed token of a turn, unless it has run out."""
    query = "select sealed from turn_credentials where turn_id = %s and expires_at > clock_timestamp()"
    return await value(connection, query, (turn_id,))


async def delete(connection: Connection, turn_id: UUID) -> None:
    """Forget a turn's token; ending a turn does this by itself."""
    await connection.execute("delete from turn_credentials where turn_id = %s", (turn_id,))


async def purge(connection: Connection) -> int:
    """Remove all tokens that have run out; says how many."""
    return (await connection.execute("delete from turn_credentials where expires_at <= clock_timestamp()")).rowcount
