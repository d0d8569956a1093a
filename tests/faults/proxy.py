"""A TCP proxy in front of PostgreSQL that forwards a COMMIT and swallows its answer together with the connection."""

import asyncio
from contextlib import suppress

from tests.relay import Relay

# What commits: a transaction's end, and the writes that are one statement each (drafts, tokens, the prune).
COMMITS = (b"COMMIT", b"held as (", b"newest as (")


class CommitCutter(Relay):
    """Cuts connections at the commits whose numbers are in `at` (the first is 1); `cuts` says how many were."""

    def __init__(self, url: str, at: set[int]):
        super().__init__(url)
        self._at = at
        self._commits = 0
        self.cuts = 0

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_unix_connection(str(self._socket))
        back = asyncio.create_task(_pipe(server_reader, writer))
        back.add_done_callback(lambda _: writer.close())
        try:
            while data := await reader.read(65_536):
                if any(commit in data for commit in COMMITS) and self._due():
                    back.cancel()
                    await asyncio.wait({back})
                    server_writer.write(data)
                    await server_reader.read(65_536)  # the server has committed; nobody will hear of it
                    return
                server_writer.write(data)
                await server_writer.drain()
        finally:
            back.cancel()
            server_writer.close()

    def _due(self) -> bool:
        self._commits += 1
        self.cuts += self._commits in self._at
        return self._commits in self._at


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
