"""Inserting rows that are told relative to one moment."""

from datetime import datetime, timedelta
from typing import Any

from backend.database import Connection

Row = dict[str, Any]


class Writer:
    """Writes into the tables of one connection; `now` is the moment from which times are counted back."""

    def __init__(self, connection: Connection, now: datetime):
        self.connection = connection
        self.now = now

    def ago(self, hours: float) -> datetime:
        """The moment so many hours before now."""
        return self.now - timedelta(hours=hours)

    async def insert(self, table: str, rows: list[Row]) -> None:
        """Insert rows; the first one names the columns."""
        columns = list(rows[0])
        places = ", ".join(f"%({column})s" for column in columns)
        statement = f"insert into {table} ({', '.join(columns)}) values ({places})"
        async with self.connection.cursor() as cursor:
            await cursor.executemany(statement.encode(), rows)
