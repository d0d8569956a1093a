"""Rate limits over fixed windows, shared by all replicas: one statement a hit."""

from store.pool import Connection
from store.rows import value


async def hit(connection: Connection, bucket: str, limit: int, seconds: float) -> float:
    """Count one hit; 0.0 when it is within `limit` hits in `seconds`, else the seconds until the next window.

    A window begins with the first hit after the last one ended. Refused hits do not make the wait longer.
    """
    return await value(
        connection,
        """
        insert into rate_limits as r (bucket, window_start, hits) values (%(bucket)s, clock_timestamp(), 1)
        on conflict (bucket) do update set
            hits = case when r.window_start + make_interval(secs => %(seconds)s) <= clock_timestamp()
                then 1 else least(r.hits + 1, %(limit)s + 1) end,
            window_start = case when r.window_start + make_interval(secs => %(seconds)s) <= clock_timestamp()
                then clock_timestamp() else r.window_start end
        returning case when r.hits <= %(limit)s then 0 else greatest(0.001, extract(epoch from
            r.window_start + make_interval(secs => %(seconds)s) - clock_timestamp())) end::float8
        """,
        {"bucket": bucket, "limit": limit, "seconds": seconds},
    )


async def purge(connection: Connection, seconds: float = 86_400.0) -> int:
    """Remove buckets whose window began longer than `seconds` ago; says how many."""
    query = "delete from rate_limits where window_start < clock_timestamp() - make_interval(secs => %s)"
    return (await connection.execute(query, (seconds,))).rowcount
