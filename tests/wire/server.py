"""A model server that follows a script: OpenAI's two APIs on a real socket, as strict as the strictest provider.

In a test:

    with WireServer() as server:
        server.push("Hello", {"calls": [{"name": "find", "args": {"q": "x"}}]}, {"status": 429})
        ... ChatOpenAI(base_url=server.url, api_key="x") ...
        server.requests[-1].body

As a process (`--script FILE` has the JSON form of `Script.load`):

    python -m tests.wire.server --port 0 --port-file F [--script FILE]

and over HTTP: GET /requests, DELETE /requests, POST /script (adds), DELETE /script, GET /healthz.
"""

import argparse
import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.wire import chat, responses, strict
from tests.wire.flow import Stream, flow
from tests.wire.script import Reply, Script

_KEPT_HEADERS = {"authorization", "user-agent", "x-stainless-retry-count", "idempotency-key", "traceparent"}


@dataclass(frozen=True, slots=True)
class Received:
    """One model request as it came: which API, its JSON body, some headers, its time, the refusal if it was one."""

    api: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float
    refused: str | None = None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The history of the request, in the shape of its API."""
        return self.body.get("messages") or self.body.get("input") or []


class WireServer:
    """The server: push replies, read what came. `left` counts clients that went away from an unfinished reply."""

    def __init__(self, port: int = 0):
        self.script = Script()
        self.requests: list[Received] = []
        self.usage: list[dict[str, int]] = []
        self.left = 0
        self.sent = 0
        # asyncio sets TCP_NODELAY only on sockets that name their protocol; without it each stream begins 40 ms late
        self._socket = socket.socket(proto=socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen(2048)
        config = uvicorn.Config(
            self.app(), log_level="critical", ws="none", lifespan="off", timeout_keep_alive=30, date_header=False
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._socket.getsockname()[1]

    @property
    def url(self) -> str:
        """The base URL for a client, ending in /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def push(self, *replies: Reply | str | dict[str, Any]) -> None:
        """Add replies that are given once, in this order."""
        self.script.push(*replies)

    @property
    def refusals(self) -> list[str]:
        """Why requests were refused as invalid; a product test wants this empty."""
        return [r.refused for r in self.requests if r.refused]

    def __enter__(self) -> Self:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(timeout=10)
        self._socket.close()

    def run(self) -> None:
        """Serve in this thread until the process is told to stop."""
        self._server.run(sockets=[self._socket])

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/responses", self._responses, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/requests", self._list_requests, methods=["GET", "DELETE"]),
                Route("/script", self._change_script, methods=["POST", "DELETE"]),
                Route("/healthz", lambda request: Response("ok")),
            ]
        )

    async def _chat(self, request: Request) -> Response:
        return await self._answer("chat", request)

    async def _responses(self, request: Request) -> Response:
        return await self._answer("responses", request)

    async def _answer(self, api: str, request: Request) -> Response:
        body = json.loads(await request.body())
        dialect = {"chat": (strict.check_chat, chat), "responses": (strict.check_responses, responses)}
        check, words = dialect[api]
        refusal = _refusal(check, body)
        headers = {k: v for k, v in request.headers.items() if k in _KEPT_HEADERS}
        self.requests.append(Received(api, body, headers, time.time(), refusal))
        if refusal:
            return _error(400, {"message": refusal, "type": "invalid_request_error", "param": "messages"}, {})
        reply = self.script.next(*_last_words(body))
        await asyncio.sleep(reply.wait)
        if reply.status != 200:
            return _error(reply.status, {"message": "scripted failure", **reply.error}, dict(reply.headers))
        if body.get("stream"):
            events = self._watched(reply, words.stream(reply, body))
            return StreamingResponse(events, media_type="text/event-stream", headers=dict(reply.headers))
        answer, usage = words.whole(reply, body)
        self.usage += [usage] if usage else []
        return JSONResponse(answer)

    async def _watched(self, reply: Reply, stream: Stream) -> AsyncIterator[bytes]:
        finished = False
        try:
            async for data in flow(reply, stream):
                finished = data is stream.ending
                if finished and stream.usage:
                    self.usage.append(stream.usage)
                self.sent += 1
                yield data
        finally:
            self.left += not finished

    async def _models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "tests"}]})

    async def _list_requests(self, request: Request) -> Response:
        requests = [asdict(received) for received in self.requests]
        seen = {"requests": requests, "usage": list(self.usage), "left": self.left, "sent": self.sent}
        if request.method == "DELETE":
            self.requests.clear()
            self.usage.clear()
        return JSONResponse(seen)

    async def _change_script(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.script.clear()
        else:
            self.script.load(await request.json())
        return JSONResponse({"replies": len(self.script.replies), "rules": len(self.script.rules)})


def _refusal(check: Any, body: dict[str, Any]) -> str | None:
    try:
        check(body)
    except strict.InvalidRequestError as error:
        return str(error)
    return None


def _error(status: int, error: dict[str, Any], headers: dict[str, str]) -> Response:
    return JSONResponse({"error": {"type": "server_error", "code": None, **error}}, status, headers=headers)


def _last_words(body: dict[str, Any]) -> tuple[str, str | None]:
    """The last text of the user, and the last tool result when the request ends with one."""
    items = body.get("messages") or body.get("input") or []
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    user = next((_text(item) for item in reversed(items) if item.get("role") == "user"), "")
    last = items[-1] if items else {}
    if last.get("role") == "tool":
        return user, _text(last)
    return user, _text({"content": last["output"]}) if last.get("type") == "function_call_output" else None


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def main() -> None:
    """Run as a process."""
    parser = argparse.ArgumentParser(description="A scripted model server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path, help="where to write the port once it listens")
    parser.add_argument("--script", type=Path, help="JSON file with replies, rules and otherwise")
    options = parser.parse_args()
    server = WireServer(options.port)
    if options.script:
        server.script.load(json.loads(options.script.read_text()))
    if options.port_file:
        options.port_file.write_text(str(server.port))
    server.run()


if __name__ == "__main__":
    main()
