"""Leases kept alive, over a synchronous connection that nothing else uses."""

from collections.abc import Sequence
from uuid import UUID

import psycopg


def connect(url: str, timeout: float) -> psycopg.Connection:
    """A connection for heartbeats alone; a beat that takes longer than `timeout` seconds fails."""
    limit = max(int(timeout * 1000), 1)
    return psycopg.connect(
        url,
        autocommit=True,
        prepare_threshold=None,
        connect_timeout=max(int(timeout), 2),
        options=f"-c statement_timeout={limit} -c lock_timeout={limit}",
        keepalives=1,
        tcp_user_timeout=limit,
    )


def beat(connection: psycopg.Connection, held: Sequence[tuple[UUID, int]], seconds: float) -> dict[UUID, bool]:
    """Renew (turn id, fence) for `seconds`; answers whether each turn is to be cancelled. Lost ones are missing."""
    rows = connection.execute(
        """
        with held as (select * from unnest(%s::uuid[], %s::bigint[]) as h(id, fence)),
             mine as (select t.id from turns t join held using (id, fence) where t.state = 'running'
                      order by t.id for no key update of t)
        update turns t set lease_until = clock_timestamp() + make_interval(secs => %s)
          from mine where t.id = mine.id
        returning t.id, t.cancel_requested_at is not null
        """,
        ([turn_id for turn_id, _ in held], [fence for _, fence in held], seconds),
    )
    return dict(rows.fetchall())
