"""Setting a database back to how it was planted, in about 30 ms: much less than another copy takes."""

import psycopg
from psycopg import sql

from backend.database import SCHEMA


class Pristine:
    """A copy of all rows and sequences of the workspace's schema, beside it in the same database."""

    def __init__(self, admin_url: str):
        self._connection = psycopg.connect(admin_url, autocommit=True)
        self._connection.execute("set session_replication_role = replica")  # no triggers, no foreign keys
        self._connection.execute("create schema pristine")
        self._tables = self._names("select tablename from pg_tables where schemaname = %s")
        for table in self._tables:
            self._run("create table {copy} as table {table}", table)
        counts = "select sequencename, coalesce(last_value, start_value), last_value is not null from pg_sequences"
        found = self._connection.execute(f"{counts} where schemaname = %s".encode(), (SCHEMA,))
        self._sequences = found.fetchall()

    def reset(self) -> None:
        """Put every row and sequence back."""
        tables = sql.SQL(", ").join(sql.Identifier(SCHEMA, table) for table in self._tables)
        self._connection.execute(sql.SQL("truncate {}").format(tables))
        for table in self._tables:
            self._run("insert into {table} overriding system value table {copy}", table)
        for name, value, called in self._sequences:
            self._connection.execute("select setval(%s::regclass, %s, %s)", (f"{SCHEMA}.{name}", value, called))

    def close(self) -> None:
        """Let the database go."""
        self._connection.close()

    def _names(self, query: str) -> list[str]:
        return [row[0] for row in self._connection.execute(query.encode(), (SCHEMA,))]

    def _run(self, statement: str, table: str) -> None:
        places = {"table": sql.Identifier(SCHEMA, table), "copy": sql.Identifier("pristine", table)}
        self._connection.execute(sql.SQL(statement).format(**places))  # type: ignore[arg-type]
