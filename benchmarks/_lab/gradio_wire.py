"""Two ways to talk with a Gradio chat: its API endpoint, and every request that its page makes for a message."""

import asyncio
import json
import uuid
from contextlib import suppress
from typing import Any

from gradio_client.utils import apply_diff

from benchmarks._lab.ear import Ear
from benchmarks._lab.http import Http

PLACE = "conversation_id"
Options = dict[str, Any]
Event = dict[str, Any]


class GradioApi:
    """The endpoint `/chat` as programs use it. `conversation` says that the server hands out a conversation's id."""

    def __init__(self, url: str, options: Options):
        self.http = Http(url, {"Origin": url, "Accept-Encoding": "gzip", **options.get("headers", {})})
        self.conversation = "" if options.get("conversation") else None
        self.session = uuid.uuid4().hex[:12]
        self.outputs: list[Any] = []

    async def open(self) -> None:
        """Learn the numbers of the endpoints, and keep the heartbeat that a page keeps."""
        self.config = json.loads(await self.http.get("/config"))
        self.functions = {f["id"]: f for f in self.config["dependencies"]}
        self.chat = next(f for f in self.functions.values() if f["api_name"] == "chat")
        self._heart = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Let the heartbeat go."""
        self._heart.cancel()
        with suppress(asyncio.CancelledError):
            await self._heart

    async def say(self, message: str) -> Ear:
        """Send a message."""
        ear = await self.call(Ear(), message=message)
        ear.end(None if ear.lags else "no token came")
        return ear

    async def approve(self, mark: bytes) -> Ear:
        """Approve the newest request, and listen for `mark`."""
        cards = [part["metadata"]["approval"] for part in self.outputs[0] if "approval" in part["metadata"]]
        decision = {"approval_id": cards[-1]["id"], "card_sha256": cards[-1]["card_sha256"]}
        return await self.call(Ear(mark), action="confirm", decision=json.dumps(decision))

    async def call(self, ear: Ear, **fields: str) -> Ear:
        """One call of the endpoint, heard to its end."""
        before = self.http.received
        known = {"conversation_id": self.conversation or "", **fields}
        labels = ["message", *(self._label(component) for component in self.chat["inputs"][1:])]
        self.outputs = await self.run(self.chat, [known.get(label, "") for label in labels], ear)
        if self.conversation == "":
            self.conversation = self.outputs[0][0]["content"]
        ear.size = self.http.received - before
        ear.end()
        return ear

    async def run(self, function: Event, values: list[Any], ear: Ear, event: Any = None) -> list[Any]:
        """Queue a function and hear it out; its outputs. Raises `RuntimeError` when it failed."""
        await self.join(function, values, event)
        raw = bytearray()
        async for data in self.http.stream("GET", f"/gradio_api/queue/data?session_hash={self.session}"):
            ear.hear(data)
            raw += data
        return outputs_of(bytes(raw), len(function["outputs"]))

    async def join(self, function: Event, values: list[Any], event: Any = None) -> None:
        """Queue a function."""
        body = {"data": values, "event_data": event, "fn_index": function["id"], "session_hash": self.session}
        await self.http.post("/gradio_api/queue/join", {**body, "trigger_id": None})

    def _label(self, component: int) -> str:
        found = next(c for c in self.config["components"] if c["id"] == component)
        return found["props"].get("label") or ""

    async def _beat(self) -> None:
        async for _ in self.http.stream("GET", f"/gradio_api/heartbeat/{self.session}"):
            pass


class GradioPage(GradioApi):
    """The page: each message runs the chain of functions that hangs on the box's `submit`, with the page's values."""

    async def open(self) -> None:
        """Also hold every component's value."""
        await super().open()
        self.values = {c["id"]: c["props"].get("value") for c in self.config["components"]}
        self.states = {c["id"] for c in self.config["components"] if c["type"] == "state"}
        self.place = next((c["id"] for c in self.config["components"] if c["props"].get("label") == PLACE), None)
        self.shown = ""
        self.begin = next(
            f for f in self.functions.values() for target in f["targets"] if target[1] == "submit" and target[0]
        )

    async def say(self, message: str) -> Ear:
        """Type a message, send it, and let everything happen that the page does about it."""
        ear, before = Ear(), self.http.received
        self.values[self.begin["inputs"][0]] = message
        await self._chain(self.begin, ear)
        ear.size = self.http.received - before
        ear.end(None if ear.lags else "no token came")
        return ear

    async def _chain(self, function: Event, ear: Ear) -> None:
        values = [None if i in self.states else self.values[i] for i in function["inputs"]]
        if not function["backend_fn"]:
            outputs = self._handed_on(function, values)
        elif function["queue"]:
            outputs = await self.run(function, values, ear)
        else:
            body = {"data": values, "event_data": None, "fn_index": function["id"], "session_hash": self.session}
            outputs = (await self.http.post("/gradio_api/run/predict", {**body, "trigger_id": None}))["data"]
        self._take(function, outputs)
        for then in self.functions.values():
            if then["trigger_after"] == function["id"] and not then["trigger_only_on_failure"]:
                await self._chain(then, ear)

    def _handed_on(self, function: Event, values: list[Any]) -> list[Any]:
        """What the browser does by itself: it hands the message on, with the conversation that the page shows."""
        return [self.shown if component == self.place else values[0] for component in function["outputs"]]

    def _take(self, function: Event, outputs: list[Any]) -> None:
        for component, value in zip(function["outputs"], outputs, strict=True):
            if isinstance(value, dict) and value.get("__type__") == "update":
                if "value" in value:
                    self.values[component] = value["value"]
            else:
                self.values[component] = value
                self.shown = _shown(value) or self.shown


def _shown(value: Any) -> str:
    """The conversation that the newest marker of a transcript names, if it is Countersign's."""
    if not isinstance(value, list):
        return ""
    views = [m["content"][0]["value"] for m in value if (m.get("metadata") or {}).get("type") == "view"]
    return next((view["conversation"] for view in reversed(views) if view["conversation"]), "")


def outputs_of(raw: bytes, count: int) -> list[Any]:
    """The last outputs in a stream of events: first values, then differences. Raises `RuntimeError`."""
    outputs: list[Any] = [None] * count
    begun = False
    for line in raw.split(b"\n\n"):
        event = json.loads(line.removeprefix(b"data: ")) if line.startswith(b"data: ") else {}
        if event.get("msg") == "process_generating" and begun:
            pairs = zip(outputs, event["output"]["data"], strict=True)
            outputs = [apply_diff(old, diff) if diff else old for old, diff in pairs]
        elif event.get("msg") in ("process_generating", "process_completed"):
            if not event["success"]:
                raise RuntimeError(f"the server failed: {event['output']}")
            if not begun or event["output"]["data"]:
                outputs, begun = event["output"]["data"], True
    return outputs
