"""The same few verbs for both real clients, so that one test runs with each."""

import asyncio
import json
import os
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gradio_client import Client

HERE = Path(__file__).parent
FIELDS = ("message", "conversation_id", "action", "user_jwt", "turn_id", "decision")

Parts = list[dict[str, Any]]


class ClientError(Exception):
    """The server answered with an error; the text is what a client sees."""


def payload(**fields: str) -> dict[str, str]:
    """All fields of a submit, empty where not given."""
    return {name: fields.get(name, "") for name in FIELDS}


def speaks(parts: Parts) -> bool:
    """Whether an update has words of the answer."""
    return any(part["metadata"]["type"] == "stream_token" for part in parts)


class PythonClient:
    """`gradio_client`; a job is polled, as docs/protocol.md advises."""

    def __init__(self, url: str, jwt: str = ""):
        self.client = Client(url, headers={"X-User-JWT": jwt} if jwt else None, verbose=False)
        self.job = None
        self.cancelled = False

    async def submit(self, **fields: str) -> list[Parts]:
        """Every update of one submit; raises `ClientError`."""
        return await asyncio.to_thread(self._submit, payload(**fields))

    def _submit(self, fields: dict[str, str]) -> list[Parts]:
        self.job, self.cancelled = self.client.submit(**fields, api_name="/chat"), False
        deadline = time.monotonic() + 60
        while not self.job.done():
            if time.monotonic() > deadline:
                raise TimeoutError("the stream did not end in 60 s")
            time.sleep(0.02)
        error = self.job.exception()
        if error and not self.cancelled:  # a cancelled job always ends with an error of its own
            raise ClientError(str(error))
        return self.job.outputs()

    @property
    def updates(self) -> list[Parts]:
        """What the last submit has told so far."""
        return self.job.outputs() if self.job else []

    async def first_words(self) -> str:
        """The conversation of the running submit, once its answer has begun."""
        return await asyncio.to_thread(self._first_words)

    def _first_words(self) -> str:
        deadline = time.monotonic() + 60
        while not (self.job and self.job.outputs() and speaks(self.job.outputs()[-1])):
            if time.monotonic() > deadline:
                raise TimeoutError("nothing was said in 60 s")
            time.sleep(0.02)
        return self.job.outputs()[0][0]["content"]

    async def cancel(self) -> None:
        """Cancel the running submit as a user of the client would."""
        self.cancelled = True
        await asyncio.to_thread(self.job.cancel)


class NodeClient:
    """`@gradio/client` in a Node process."""

    def __init__(self, process: asyncio.subprocess.Process):
        self.process = process
        self.count = 0
        self.cancelled = False
        self.updates: list[Parts] = []
        self.heard = asyncio.Event()

    async def _send(self, command: dict) -> None:
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        await self.process.stdin.drain()

    async def _event(self) -> dict:
        line = await asyncio.wait_for(self.process.stdout.readline(), 60)
        if not line:
            raise ClientError((await self.process.stderr.read()).decode())
        return json.loads(line)

    async def submit(self, **fields: str) -> list[Parts]:
        """Every update of one submit; raises `ClientError`."""
        self.count += 1
        self.updates, self.cancelled, error = [], False, None
        self.heard.clear()
        await self._send({"id": self.count, "op": "submit", "payload": payload(**fields)})
        while (event := await self._event())["event"] != "end":
            if event["event"] == "data":
                self.updates.append(event["data"])
                if speaks(event["data"]):
                    self.heard.set()
            else:
                error = event["message"]
        if error is not None and not self.cancelled:
            raise ClientError(error)
        return self.updates

    async def first_words(self) -> str:
        """The conversation of the running submit, once its answer has begun."""
        await asyncio.wait_for(self.heard.wait(), 60)
        return self.updates[0][0]["content"]

    async def cancel(self) -> None:
        """Cancel the running submit as a user of the client would."""
        self.cancelled = True
        await self._send({"id": self.count, "op": "cancel"})


@asynccontextmanager
async def python_client(url: str, jwt: str = ""):
    """A connected `gradio_client`."""
    yield await asyncio.to_thread(PythonClient, url, jwt)  # not closed: that only waits a second for its heartbeat


@asynccontextmanager
async def node_client(url: str, jwt: str = ""):
    """A connected `@gradio/client`; its process ends with the block."""
    process = await asyncio.create_subprocess_exec(
        "node", str(HERE / "chat.mjs"), url, jwt,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        limit=2**24, env={**os.environ, "NODE_NO_WARNINGS": "1"},
    )  # fmt: skip
    client = NodeClient(process)
    try:
        if (await client._event())["event"] != "ready":
            raise ClientError("the Node client did not connect")
        yield client
    finally:
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()
