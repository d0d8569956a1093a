"""The database's clock, the only one that leases and expiries go by."""

from datetime import datetime

from store.pool import Connection
from store.rows import value


async def now(connection: Connection) -> datetime:
    """The time now, moving on within a transaction as well."""
    return await value(connection, "select clock_timestamp()")
