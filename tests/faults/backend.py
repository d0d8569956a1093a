"""A scripted backend with a ledger: things in PostgreSQL, every effect counted, and a way to break at each step.

POST /misbehave sets what happens to the next changing requests: `{"mode", "times"}` with one of
drop (commit, then cut the connection), error (commit, then answer 500), busy (409 with Retry-After), slow_down (429
with Retry-After, `late` and `dated` with one of two seconds and with a date), hang (no answer until the client
leaves), deaf (cut before anything is done).
"""

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import formatdate
from hashlib import sha256
from typing import Any

import psycopg
import uvicorn
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SCHEMA = """
create schema if not exists backend;
create table if not exists backend.things (id text primary key, name text not null, rev int not null default 1);
create table if not exists backend.effects (id bigint generated always as identity, key text, subject text, what text);
create table if not exists backend.ledger (key text primary key, fingerprint text not null, status int, body jsonb);
"""
POINTS = ("B1", "B2", "B3", "B4")


class Trap:
    """Kills this process at the nth time it comes by; `once` is a file that disarms later processes."""

    def __init__(self, spec: str, once: str):
        self.name, _, nth = spec.partition(":")
        self.left = int(nth or 1)
        self.once = once

    def __call__(self, name: str) -> None:
        """Come by."""
        if name != self.name or os.path.exists(self.once):
            return
        self.left -= 1
        if self.left == 0:
            open(self.once, "w").close()
            os.kill(os.getpid(), 9)


class Backend:
    """The application; `url` is its database."""

    def __init__(self, url: str, trap: Trap):
        self.url = url
        self.trap = trap
        self.mode = ""
        self.times = 0
        self.requests: list[dict[str, Any]] = []

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/things", self.find),
                Route("/things/{thing}", self.change, methods=["DELETE", "PATCH"]),
                Route("/misbehave", self.misbehave, methods=["POST"]),
                Route("/requests", self.seen),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with await AsyncConnection.connect(self.url, autocommit=True) as connection:
            await connection.execute(SCHEMA)
        yield

    async def find(self, request: Request) -> Response:
        """Things whose id holds the query."""
        async with self._connect() as connection:
            rows = await connection.execute(
                "select id from backend.things where strpos(id, %s) > 0 order by id", (request.query_params["query"],)
            )
            return JSONResponse({"items": [row["id"] for row in await rows.fetchall()]})

    async def seen(self, request: Request) -> Response:
        """What came in."""
        return JSONResponse(self.requests)

    async def misbehave(self, request: Request) -> Response:
        """Break the next requests."""
        wish = await request.json()
        self.mode, self.times = wish["mode"], wish["times"]
        return JSONResponse({})

    async def change(self, request: Request) -> Response:
        """Delete or rename, once for each key; `dry_run` only looks."""
        body = await request.body()
        key = request.headers.get("idempotency-key")
        self.requests.append({"method": request.method, "key": key, "at": time.monotonic()})
        if "dry_run" in request.query_params:
            return await self._look(request.path_params["thing"])
        mode = self._mode()
        if mode == "deaf":
            return _Cut()
        if mode in ("busy", "slow_down", "late", "dated"):
            return _problem(409 if mode == "busy" else 429, mode, {"Retry-After": _after(mode)})
        answer = await self._once(request, body)
        if mode == "hang":
            await _until_gone(request)
        if mode in ("drop", "hang"):
            return _Cut()
        self.trap("B4")
        return _problem(500, "broken") if mode == "error" else answer

    def _mode(self) -> str:
        if self.times == 0:
            return ""
        self.times -= 1
        return self.mode

    async def _look(self, thing: str) -> Response:
        async with self._connect() as connection:
            row = await _thing(connection, thing)
        return _problem(404, "not_found") if row is None else JSONResponse(row, headers={"ETag": f'"{row["rev"]}"'})

    async def _once(self, request: Request, body: bytes) -> Response:
        key = request.headers["idempotency-key"]
        match = request.headers.get("if-match")
        mark = sha256(f"{request.method} {request.url.path} {match}".encode() + body).hexdigest()
        self.trap("B1")
        async with self._connect() as connection, connection.transaction():
            new = await connection.execute(
                "insert into backend.ledger (key, fingerprint) values (%s, %s) on conflict do nothing", (key, mark)
            )
            self.trap("B2")
            if new.rowcount == 0:
                return await self._replay(connection, key, mark)
            status, answer = await self._effect(connection, request, json.loads(body or b"{}"), key, match)
            self.trap("B3")
            await connection.execute(
                "update backend.ledger set status = %s, body = %s where key = %s", (status, json.dumps(answer), key)
            )
        return JSONResponse(answer, status)

    async def _replay(self, connection: AsyncConnection[Any], key: str, mark: str) -> Response:
        row = await (await connection.execute("select * from backend.ledger where key = %s", (key,))).fetchone()
        if row["fingerprint"] != mark:
            return _problem(422, "key_reused")
        return JSONResponse(row["body"], row["status"], headers={"Idempotency-Replayed": "true"})

    async def _effect(
        self, connection: AsyncConnection[Any], request: Request, body: Mapping[str, Any], key: str, match: str | None
    ) -> tuple[int, dict[str, Any]]:
        thing = request.path_params["thing"]
        row = await _thing(connection, thing)
        if row is None:
            return 404, {"status": 404, "code": "not_found", "title": "not found"}
        if match is not None and match != f'"{row["rev"]}"':
            return 412, {"status": 412, "code": "precondition_failed", "title": "changed"}
        if request.method == "DELETE":
            await connection.execute("delete from backend.things where id = %s", (thing,))
        else:
            query = "update backend.things set name = %s, rev = rev + 1 where id = %s"
            await connection.execute(query, (body["name"], thing))
        what = json.dumps({"method": request.method, "thing": thing, **body})
        query = "insert into backend.effects (key, subject, what) values (%s, %s, %s)"
        await connection.execute(query, (key, request.headers["x-user-jwt"], what))
        return 200, {"done": thing}

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[AsyncConnection[Any]]:
        connection = await AsyncConnection.connect(self.url, autocommit=True, row_factory=dict_row)
        try:
            yield connection
        finally:
            await connection.close()


class _Cut(Response):
    """An answer that breaks off: the server closes a connection whose response was not completed."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


def _after(mode: str) -> str:
    return {"late": "2", "dated": formatdate(time.time() + 2, usegmt=True)}.get(mode, "0")


async def _until_gone(request: Request) -> None:
    for _ in range(600):
        if await request.is_disconnected():
            return
        await asyncio.sleep(0.05)


async def _thing(connection: AsyncConnection[Any], thing: str) -> dict[str, Any] | None:
    rows = await connection.execute("select * from backend.things where id = %s for update", (thing,))
    return await rows.fetchone()


def _problem(status: int, code: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"status": status, "code": code, "title": code}
    return JSONResponse(body, status, dict(headers or {}), media_type="application/problem+json")


def serve(url: str, listener: socket.socket, trap: str, once: str) -> None:
    """Serve on this socket until killed."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SCHEMA)
    app = Backend(url, Trap(trap, once)).app()
    uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")).run(sockets=[listener])
