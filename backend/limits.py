"""Requests that are too large are refused before they are read."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.problems import Problem
from backend.words import preferred_language


class BodyLimit:
    """ASGI middleware: 413 for a body of more than `most` bytes, declared or sent."""

    def __init__(self, app: ASGIApp, most: int):
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on while it stays within the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._most:
            language = preferred_language(headers.get(b"accept-language", b"").decode("latin-1"))
            await Problem("body_too_large", limit=self._most).response(language)(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise Problem("body_too_large", limit=self._most)
            return message

        return counted
