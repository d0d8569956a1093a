"""A small FastAPI backend that records what it was sent and answers what a test scripted."""

import asyncio
import json
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body parsed."""
        return json.loads(self.body)


@dataclass
class Recorder:
    """Answers in order from `script`; the last one repeats. Entries are responses or functions that make one."""

    script: deque[Response | Callable[[], Any]] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)

    def answers(self, *script: Response | Callable[[], Any]) -> None:
        """Set what comes back, one entry a request."""
        self.script = deque(script)

    async def handle(self, request: Request) -> Response:
        """Record and answer."""
        raw_path, _, query = request.scope["raw_path"].decode("latin-1"), None, request.url.query
        self.seen.append(
            Seen(request.method, raw_path.partition("?")[0], query, dict(request.headers), await request.body())
        )
        entry = self.script.popleft() if len(self.script) > 1 else self.script[0]
        made = entry() if callable(entry) and not isinstance(entry, Response) else entry
        return await made if asyncio.iscoroutine(made) else made

    def app(self) -> FastAPI:
        """The ASGI application: every path and method."""
        app = FastAPI(openapi_url=None)
        methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        app.add_api_route("/{path:path}", self.handle, methods=methods)
        return app


def reply(body: Any = None, status: int = 200, **headers: str) -> Response:
    """A JSON answer; header names are given with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json.dumps(body), status, named, "application/json")


def problem(status: int, code: str, **extra: Any) -> Response:
    """A problem document."""
    body = {"type": "about:blank", "title": code.replace("_", " "), "status": status, "code": code, **extra}
    return Response(json.dumps(body), status, media_type="application/problem+json")


class Cut(Response):
    """An answer that promises more than it sends, so that the connection breaks in the middle."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send the head and a part of the body, then fail as a dying server does."""
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        await send({"type": "http.response.body", "body": b'{"half":', "more_body": False})


class _Server(uvicorn.Server):
    """uvicorn that tells when it listens."""

    def __init__(self, app: FastAPI):
        super().__init__(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1))
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """The base URL of an app that runs over real HTTP on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = _Server(app)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    await server.ready.wait()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
