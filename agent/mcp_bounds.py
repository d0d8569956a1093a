"""An HTTP transport for MCP servers that holds no more of an answer than it may be long."""

from collections.abc import AsyncIterator
from typing import cast

import httpx2

MAX_ANSWER = 10_000_000


class AnswerTooLarge(httpx2.ReadError, ConnectionError):  # noqa: N818
    """The server sent more than anybody would read."""


class Bounded(httpx2.AsyncByteStream):
    """A stream that breaks off behind `MAX_ANSWER` bytes."""

    def __init__(self, stream: httpx2.AsyncByteStream):
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The chunks; raises `AnswerTooLarge`."""
        seen = 0
        async for chunk in self._stream:
            seen += len(chunk)
            if seen > MAX_ANSWER:
                raise AnswerTooLarge(f"the answer is larger than {MAX_ANSWER // 1_000_000} MB")
            yield chunk

    async def aclose(self) -> None:
        """Close the connection behind it."""
        await self._stream.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """The library's transport, whose answers are bounded."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, to be read within its bound; asked for unpacked, so that none unfolds."""
        request.headers["Accept-Encoding"] = "identity"
        answer = await super().handle_async_request(request)
        answer.stream = Bounded(cast(httpx2.AsyncByteStream, answer.stream))
        return answer
