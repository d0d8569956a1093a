"""How large and how slow a request may be: a body that is too long is refused before anything reads it whole."""

import asyncio
import time
from contextlib import suppress
from typing import NoReturn

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.answers import request_language
from ui.strings import words

COMMAND = 256 * 1024
FILE = 26 * 1024 * 1024  # a little more than a file may have, so that the refusal names the file
SECONDS = 30.0
TRANSCRIPT = 8 * 1024 * 1024  # Gradio's page sends the transcript that it shows along with a message


class TooLarge(Exception):  # noqa: N818
    """The body went past the limit while it was read."""


class TooSlow(Exception):  # noqa: N818
    """The body was not there in time."""


class BodyLimit:
    """Answers 413 for bodies over the limit, whether their length is told in advance or not, and 408 for slow ones."""

    def __init__(
        self,
        app: ASGIApp,
        transcript: int = TRANSCRIPT,
        command: int = COMMAND,
        file: int = FILE,
        seconds: float = SECONDS,
    ):
        self.app = app
        self._transcript = transcript
        self._command = command
        self._file = file
        self._seconds = seconds

    def _limit(self, path: str) -> int:
        if path.startswith("/gradio_api/"):
            return self._transcript
        return self._file if path == "/ui/files" else self._command

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self._limit(scope["path"])
        told = Headers(scope=scope).get("content-length", "0")
        if not told.isdigit() or int(told) > limit:
            await _refuse(scope, limit)(scope, receive, send)
            return
        body = _Body(receive, limit, self._seconds)
        answer = _Answer(send, body)
        with suppress(TooLarge, TooSlow):
            await self.app(scope, body, answer)
        if body.refused and not answer.started:
            refusal = _refuse(scope, limit) if body.refused is TooLarge else _late(scope, self._seconds)
            await refusal(scope, receive, send)


class _Body:
    """What is received, counted and timed until it is whole."""

    def __init__(self, receive: Receive, limit: int, seconds: float):
        self._receive = receive
        self._left = limit
        self._until = time.monotonic() + seconds
        self._whole = False
        self.refused: type[Exception] | None = None

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._until - time.monotonic())
        except TimeoutError:
            self._refuse(TooSlow)
        self._left -= len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._left < 0:
            self._refuse(TooLarge)
        return message

    def _refuse(self, why: type[Exception]) -> NoReturn:
        self.refused = why
        raise why


class _Answer:
    """What is sent, unless the body was refused: the app may take that for a broken connection and say so."""

    def __init__(self, send: Send, body: _Body):
        self._send = send
        self._body = body
        self.started = False

    async def __call__(self, message: Message) -> None:
        if self.started or not self._body.refused:
            self.started = True
            await self._send(message)


def _refuse(scope: Scope, limit: int) -> JSONResponse:
    text = words("error.body_too_large.text", request_language(Request(scope)), limit=limit)
    return JSONResponse({"code": "body_too_large", "text": text, "errors": []}, 413)


def _late(scope: Scope, seconds: float) -> JSONResponse:
    text = words("error.body_too_slow.text", request_language(Request(scope)), seconds=f"{seconds:g}")
    return JSONResponse({"code": "body_too_slow", "text": text, "errors": []}, 408, {"Connection": "close"})
