"""HTTP/1.1 on plain sockets, one connection a request: a client that costs less than the servers it measures."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

READ = 65_536


class HttpError(Exception):
    """The server answered with another status than 200."""


class Http:
    """Requests to one server with the same headers each."""

    def __init__(self, url: str, headers: dict[str, str] | None = None):
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        shared = {"Host": f"{self.host}:{self.port}", "Connection": "close", **(headers or {})}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in shared.items())

    async def post(self, path: str, body: Any) -> tuple[Any, int]:
        """The JSON answer and how many bytes it took. Raises `HttpError`."""
        raw = b"".join([data async for data in self.stream("POST", path, body)])
        return json.loads(_body(raw)), len(raw)

    async def get(self, path: str) -> bytes:
        """The body. Raises `HttpError`."""
        return _body(b"".join([data async for data in self.stream("GET", path)]))

    async def stream(self, method: str, path: str, body: Any = None) -> AsyncIterator[bytes]:
        """The answer as it arrives, head and all. Raises `HttpError`."""
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=2**24)
        try:
            sent = b"" if body is None else json.dumps(body).encode()
            kind = f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n" if sent else ""
            writer.write(f"{method} {path} HTTP/1.1\r\n{self._headers}{kind}\r\n".encode() + sent)
            first = await reader.read(READ)
            if not first.startswith(b"HTTP/1.1 200"):
                raise HttpError(f"{method} {path}: {first[:300]!r}")
            yield first
            while data := await reader.read(READ):
                yield data
        finally:
            writer.close()


def _body(raw: bytes) -> bytes:
    head, _, body = raw.partition(b"\r\n\r\n")
    return unchunked(body) if b"chunked" in head.lower() else body


def unchunked(body: bytes) -> bytes:
    """A chunked body in one piece."""
    whole, rest = [], body
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        whole.append(rest[:length])
        rest = rest[length + 2 :]
    return b"".join(whole)
