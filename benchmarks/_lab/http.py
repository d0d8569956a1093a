"""HTTP/1.1 on plain sockets, one connection a request: a client that costs less than the servers it measures."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

READ = 65_536


class HttpError(Exception):
    """The server answered with another status than 200."""


class Http:
    """Requests to one server with the same headers each; `received` counts the bytes that came, heads included."""

    def __init__(self, url: str, headers: dict[str, str] | None = None):
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        shared = {"Host": f"{self.host}:{self.port}", "Connection": "close", **(headers or {})}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in shared.items())
        self.received = 0

    async def post(self, path: str, body: Any) -> Any:
        """The JSON answer. Raises `HttpError`."""
        return json.loads(b"".join([data async for data in self.stream("POST", path, body)]))

    async def get(self, path: str) -> bytes:
        """The body. Raises `HttpError`."""
        return b"".join([data async for data in self.stream("GET", path)])

    async def stream(self, method: str, path: str, body: Any = None) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises `HttpError`."""
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=2**24)
        try:
            sent = b"" if body is None else json.dumps(body).encode()
            kind = f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n" if sent else ""
            writer.write(f"{method} {path} HTTP/1.1\r\n{self._headers}{kind}\r\n".encode() + sent)
            head = await reader.readuntil(b"\r\n\r\n")
            self.received += len(head)
            if not head.startswith(b"HTTP/1.1 200"):
                raise HttpError(f"{method} {path}: {head[:100]!r} {await reader.read(300)!r}")
            decoder = Decoder(head.lower())
            while data := await reader.read(READ):
                self.received += len(data)
                if plain := decoder.feed(data):
                    yield plain
        finally:
            writer.close()


class Decoder:
    """Takes a body apart as it comes: its chunks, and gzip."""

    def __init__(self, head: bytes):
        self._chunked = b"transfer-encoding: chunked" in head
        self._gzip = zlib.decompressobj(31) if b"content-encoding: gzip" in head else None
        self._rest = b""

    def feed(self, data: bytes) -> bytes:
        """What is whole by now."""
        body = self._chunks(data) if self._chunked else data
        return self._gzip.decompress(body) if self._gzip and body else body

    def _chunks(self, data: bytes) -> bytes:
        whole, rest = [], self._rest + data
        while (line := rest.find(b"\r\n")) > 0:
            end = line + 2 + int(rest[:line], 16)
            if len(rest) < end + 2:
                break
            whole.append(rest[line + 2 : end])
            rest = rest[end + 2 :]
        self._rest = rest
        return b"".join(whole)
