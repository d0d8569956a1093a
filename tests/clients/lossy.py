"""A service in a thread of its own, and a way to it that loses answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Lossy:
    """A way to the service that loses answers: of a request in `after` when it has run, in `before` instead of it."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.before: set[str] = set()
        self.after: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 503 in place of what was lost."""
        if scope.get("method") in self.before:
            await Response("lost", 503)(scope, receive, send)
        elif scope.get("method") in self.after:
            await self.app(scope, receive, _swallow)
            await Response("lost", 503)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


async def _swallow(message: Message) -> None:
    """An answer that nobody gets."""


@contextmanager
def served(service: ASGIApp) -> Iterator[str]:
    """The service's address, while it answers in a thread of its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(service, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
