"""A place between a program and its PostgreSQL, where connections can be looked at or broken."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Self

from psycopg.conninfo import conninfo_to_dict


class Relay:
    """Listens on a port of its own and hands each connection to `_forward`, which a subclass has."""

    def __init__(self, url: str):
        parts = conninfo_to_dict(url)
        self._socket = Path(str(parts["host"])) / ".s.PGSQL.5432"
        self._database = parts["dbname"]
        self._pipes: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The database's URL through the relay."""
        port = self._server.sockets[0].getsockname()[1]
        return f"postgresql://postgres@127.0.0.1:{port}/{self._database}?sslmode=disable&gssencmode=disable"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._pipes.add(task)
        with suppress(OSError, asyncio.CancelledError):
            await self._forward(reader, writer)
        writer.close()
        self._pipes.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError
