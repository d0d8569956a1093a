"""How a client talks with each kind of server. `say` follows one answer to its end; each person has their own wire."""

import json
import uuid
from typing import Any, Protocol

import websockets

from benchmarks._lab.ear import Ear
from benchmarks._lab.http import Http

Options = dict[str, Any]


class Wire(Protocol):
    """One person at one server."""

    async def open(self) -> None:
        """Do what opening the page does."""
        ...

    async def say(self, message: str) -> Ear:
        """Ask, and hear the answer out."""
        ...

    async def close(self) -> None:
        """Leave."""
        ...


class RawWire:
    """The model server itself: the limit."""

    path = "/v1/chat/completions"

    def __init__(self, url: str, options: Options):
        self.http = Http(url, options.get("headers"))
        self.thread = uuid.uuid4().hex

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to leave."""

    def body(self, message: str) -> Any:
        """What is sent."""
        return {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": message}]}

    async def say(self, message: str) -> Ear:
        """Read the stream to its end."""
        return await self._follow(Ear(), self.body(message))

    async def _follow(self, ear: Ear, body: Any) -> Ear:
        tail, before = b"", self.http.received
        async for data in self.http.stream("POST", self.path, body):
            ear.hear(data)
            tail = (tail + data)[-40:]
        ear.size = self.http.received - before
        ear.end(None if b"[DONE]" in tail else "the stream broke off")
        return ear


class SseWire(RawWire):
    """A minimal FastAPI stream of server-sent events."""

    path = "/chat"

    def body(self, message: str) -> Any:
        """What is sent."""
        return {"thread": self.thread, "message": message}

    async def approve(self, mark: bytes) -> Ear:
        """Approve what waits, and listen for `mark`."""
        return await self._follow(Ear(mark), {"thread": self.thread, "decision": "approve"})


class ChainlitWire:
    """Socket.IO over a web socket, as Chainlit's page speaks it."""

    def __init__(self, url: str, options: Options):
        self.url = url.replace("http", "ws", 1) + "/ws/socket.io/?EIO=4&transport=websocket"
        self.session = str(uuid.uuid4())

    async def open(self) -> None:
        """Connect and say hello."""
        self.socket = await websockets.connect(self.url, max_size=2**24, compression=None)
        await self.socket.recv()
        auth = {"sessionId": self.session, "clientType": "webapp", "userEnv": "{}", "chatProfile": "", "threadId": ""}
        await self.socket.send("40" + json.dumps(auth))
        await self.socket.recv()
        await self._emit("connection_successful")

    async def close(self) -> None:
        """Disconnect."""
        await self.socket.close()

    async def say(self, message: str) -> Ear:
        """Send a message and read until the task ends."""
        step = {
            "id": str(uuid.uuid4()), "threadId": "", "name": "user", "type": "user_message", "output": message,
            "createdAt": "2026-01-01T00:00:00Z",
        }  # fmt: skip
        ear, begun = Ear(), False
        await self._emit("client_message", {"message": step, "fileReferences": []})
        async for text in self.socket:
            data = text.encode() if isinstance(text, str) else text
            ear.hear(data)
            ear.size += len(data)
            begun = begun or b'"task_start"' in data
            if data == b"2":
                await self.socket.send("3")
            elif begun and b'"task_end"' in data:
                break
        ear.end(None if ear.lags else "no token came")
        return ear

    async def _emit(self, event: str, *data: Any) -> None:
        await self.socket.send("42" + json.dumps([event, *data]))
