"""How large a request may be: a body that is too long is refused before anything reads it whole."""

from contextlib import suppress

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COMMAND = 256 * 1024
TRANSCRIPT = 8 * 1024 * 1024  # Gradio's page sends the transcript that it shows along with a message


class TooLarge(Exception):  # noqa: N818
    """The body went past the limit while it was read."""


class BodyLimit:
    """Answers 413 for bodies over the limit, whether their length is told in advance or not."""

    def __init__(self, app: ASGIApp, transcript: int = TRANSCRIPT, command: int = COMMAND):
        self.app = app
        self._transcript = transcript
        self._command = command

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self._transcript if scope["path"].startswith("/gradio_api/") else self._command
        told = Headers(scope=scope).get("content-length", "0")
        if not told.isdigit() or int(told) > limit:
            await _refuse(limit)(scope, receive, send)
            return
        body = _Body(receive, limit)
        answer = _Answer(send, body)
        with suppress(TooLarge):
            await self.app(scope, body, answer)
        if body.too_large and not answer.started:
            await _refuse(limit)(scope, receive, send)


class _Body:
    """What is received, counted."""

    def __init__(self, receive: Receive, limit: int):
        self._receive = receive
        self._left = limit
        self.too_large = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.too_large = True
            raise TooLarge
        return message


class _Answer:
    """What is sent, unless the body was too large: the app may take that for a broken connection and say so."""

    def __init__(self, send: Send, body: _Body):
        self._send = send
        self._body = body
        self.started = False

    async def __call__(self, message: Message) -> None:
        if self.started or not self._body.too_large:
            self.started = True
            await self._send(message)


def _refuse(limit: int) -> JSONResponse:
    text = f"The request is larger than {limit} bytes. Send less at once."
    return JSONResponse({"code": "body_too_large", "text": text, "errors": []}, 413)
