"""How many turns and requests there are right now, over all replicas."""

from store.pool import Connection


async def active_turns(connection: Connection) -> dict[str, int]:
    """Turns that have not ended, by state; reads the index of active turns alone."""
    query = """
        select state, count(*) as n from turns
        where state in ('queued', 'running', 'waiting_approval', 'waiting_answer', 'waiting_auth')
        group by state
    """
    rows = await (await connection.execute(query)).fetchall()
    return {row["state"]: row["n"] for row in rows}


async def pending_approvals(connection: Connection) -> int:
    """Requests that wait for a person and have not expired."""
    query = "select count(*) as n from approvals where state = 'pending' and expires_at > clock_timestamp()"
    row = await (await connection.execute(query)).fetchone()
    return row["n"] if row else 0
