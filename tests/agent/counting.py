"""What a process asks of PostgreSQL, counted on the wire: a proxy that reads the protocol and changes nothing."""

import asyncio
import re
import struct
from collections import Counter
from contextlib import suppress

from store.pool import LEND
from tests.relay import Relay

VERSION_3 = 196_608
SPACES = re.compile(r"\s+")
CHECK = LEND.strip().split("%s")[0]


class CountingProxy(Relay):
    """Forwards a database's connections and counts: `statements` by text, `sent` bytes of clients, `rows` they got.

    Those by which the pool checks a connection and says for whom it is lent stand under the empty text.
    """

    def __init__(self, url: str):
        super().__init__(url)
        self.forget()

    @property
    def total(self) -> int:
        """How many statements there were, checks of connections left out."""
        return self.statements.total() - self.statements[""]

    def forget(self) -> None:
        """Count anew."""
        self.statements: Counter[str] = Counter()
        self.sent = self.rows = 0

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(str(self._socket))
        back = asyncio.create_task(self._back(from_server, writer))
        try:
            with suppress(asyncio.IncompleteReadError):
                await _startup(reader, to_server)
                while True:
                    kind, body = await _message(reader, to_server)
                    self._asked(kind, body)
        finally:
            back.cancel()
            to_server.close()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                kind, _ = await _message(reader, writer)
                self.rows += kind == b"D"

    def _asked(self, kind: bytes, body: bytes) -> None:
        self.sent += len(body) + 5
        if kind in (b"Q", b"P"):  # a simple query, or the text of a prepared one behind its name
            text = body.split(b"\0")[kind == b"P"].decode()
            self.statements["" if text.strip().startswith(CHECK) else SPACES.sub(" ", text).strip()] += 1


async def _startup(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Packets before the first message have no type."""
    version = 0
    while version != VERSION_3:
        size = await reader.readexactly(4)
        body = await reader.readexactly(struct.unpack("!I", size)[0] - 4)
        version = struct.unpack("!I", body[:4])[0]
        writer.write(size + body)


async def _message(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[bytes, bytes]:
    """Forward one message: its type and its body."""
    head = await reader.readexactly(5)
    body = await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)
    writer.write(head + body)
    await writer.drain()
    return head[:1], body
