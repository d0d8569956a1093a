"""Smaller answers of the chat: most of a stream is the same few names again and again."""

import zlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATHS = ("/gradio_api/queue/", "/gradio_api/run/")
KINDS = ("text/event-stream", "application/json")
LEVEL, WINDOW, MEMORY = 6, 14 + 16, 5  # gzip that looks back 16 kB: about 80 kB of memory for a stream that is open


class Compressed:
    """Gzips the chat's answers for those who take it; every event leaves at once, in the same order."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        chat = scope["type"] == "http" and scope["path"].startswith(PATHS)
        if chat and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            send = _Gzip(send)
        await self.app(scope, receive, send)


class _Gzip:
    """What is sent, compressed piece by piece."""

    def __init__(self, send: Send):
        self._send = send
        self._packer = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start(message)
        elif message["type"] == "http.response.body" and self._packer is not None:
            body, more = message.get("body", b""), message.get("more_body", False)
            packed = self._packer.compress(body) if body else b""
            message = {**message, "body": packed + self._packer.flush(zlib.Z_SYNC_FLUSH if more else zlib.Z_FINISH)}
        await self._send(message)

    def _start(self, message: Message) -> None:
        headers = MutableHeaders(raw=message["headers"])
        headers.add_vary_header("Accept-Encoding")
        if headers.get("content-type", "").startswith(KINDS) and "content-encoding" not in headers:
            headers["Content-Encoding"] = "gzip"
            del headers["Content-Length"]
            self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, WINDOW, MEMORY)
