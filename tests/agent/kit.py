"""A run of the graph for tests: a few tools in memory, a scripted model, a driver of a dozen lines."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.graph import build_graph, run_config
from agent.guards import Limits
from agent.model import ModelClient
from agent.routing import Routing
from agent.run import RunContext
from agent.steps import Step, TokenText
from router.entry import Choice, Selection
from tests.wire.script import Reply
from tools.always import ALWAYS
from tools.toolset import ArgumentError, Call, Effect, Preview, Role, ToolResult, ToolSpec

QUICK = Limits(backoff=0.01, merge=0.0)


class Query(BaseModel):
    model_config = ConfigDict(extra="forbid")
    query: str = ""


class Target(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: int = Field(ge=1)


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid")
    document: str


async def _never(**_: object) -> str:
    raise LookupError("tools of tests run in the toolset")


def spec(name: str, schema: type[BaseModel], effect: Effect, role: Role = Role.VIEWER) -> ToolSpec:
    """A tool with the least that a spec needs."""
    tool = StructuredTool.from_function(coroutine=_never, name=name, description=name, args_schema=schema)
    words = name.replace("_", " ")
    return ToolSpec(name, tool, effect, {"en": words, "ru": words}, {"en": words, "ru": words}, min_role=role)


SPECS = {
    s.name: s
    for s in (
        spec("find_things", Query, Effect.READ),
        spec("rename_thing", Target, Effect.WRITE),
        spec("delete_thing", Target, Effect.DANGER),
        spec("wipe_all", Query, Effect.DANGER, Role.ADMIN),
        spec("read_document", Document, Effect.READ),
        *ALWAYS,
    )
}


@dataclass
class Bench:
    """A toolset that keeps what ran. `answers` are given once per tool before the usual answer; `hold` delays calls."""

    ran: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)
    answers: dict[str, list[ToolResult]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    hold: asyncio.Event | None = None
    running: asyncio.Event = field(default_factory=asyncio.Event)
    specs: Mapping[str, ToolSpec] = field(default_factory=lambda: dict(SPECS))

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        schema = self.specs[name].tool.args_schema
        try:
            return schema.model_validate(args).model_dump(mode="json", exclude_none=True)  # type: ignore[union-attr]
        except ValidationError as error:
            raise ArgumentError(name, [dict(e) for e in error.errors(include_input=False)]) from None

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        return Preview(title=name, approve=name, risk="danger")

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        self.running.set()
        if self.hold:
            await self.hold.wait()
        self.ran.append((name, args))
        self.calls.append(call)
        queue = self.answers.get(name)
        return queue.pop(0) if queue else ToolResult(ok=True, status=200, text=f"{name} done", summary="done")

    async def call_approved(self, approval_id: str, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        self.approved.append(approval_id)
        return await self.call(name, args, call)


class All:
    """A router that offers everything but what a test hides until it is looked for."""

    def __init__(self, hidden: Sequence[str] = ()):
        self.hidden = hidden
        self.seen: list[tuple[str, list[list[str]]]] = []

    def select(self, query: str, recent: Sequence[Sequence[str]] = (), allowed: Any = None) -> Selection:
        self.seen.append((query, [list(turn) for turn in recent]))
        names = [n for n in SPECS if n not in self.hidden and (allowed is None or n in allowed)]
        return Selection(tuple(Choice(n, 1.0, "keywords", (n,)) for n in names))

    def find(self, description: str, allowed: Any = None) -> Selection:
        return Selection(tuple(Choice(n, 1.0, "keywords") for n in self.hidden))


class ScriptedChat(BaseChatModel):
    """Gives `Reply` objects in order, in the pieces of a stream; keeps what it was sent."""

    replies: list[Reply] = Field(default_factory=list)
    sent: list[list[BaseMessage]] = Field(default_factory=list)
    options: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=list(tools), **kwargs)

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        self.sent.append(list(messages))
        self.options.append(kwargs)
        reply = self.replies.pop(0)
        for number, piece in enumerate(reply.pieces()):
            if number == reply.stall_after:
                await asyncio.Event().wait()
            yield ChatGenerationChunk(message=AIMessageChunk(piece))
        for index, call in enumerate(reply.calls):
            chunk = tool_call_chunk(name=call.name, args=call.raw, id=call.id or f"call_{index}", index=index)
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))
        end = {"finish_reason": reply.finish_reason}
        yield ChatGenerationChunk(message=AIMessageChunk("", response_metadata=end))


@dataclass
class Session:
    """One conversation: the graph, what it may know, what it told, and the decisions it waits for."""

    saver: BaseCheckpointSaver
    model: ModelClient
    bench: Bench = field(default_factory=Bench)
    router: All = field(default_factory=All)
    role: str = "admin"
    limits: Limits = QUICK
    review_changes: bool = False
    always_allowed: frozenset[str] = frozenset()
    thread: str = "c1"
    steps: list[Step] = field(default_factory=list)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    spoke: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.graph = build_graph(self.saver)
        self.config = run_config(self.thread, self.limits)

    def context(self) -> RunContext:
        """A context as a driver would make it."""
        call = Call("jwt", "t", "u", self.role, "en", self.thread, "turn", "", "")
        return RunContext(
            model=self.model,
            toolset=self.bench,
            routing=Routing(self.bench.specs, self.router),
            call=lambda key: replace(call, key=key, idempotency_key=f"id-{key}"),
            conversation_id=self.thread,
            lang="en",
            role=self.role,
            today="2026-11-30",
            limits=self.limits,
            review_changes=self.review_changes,
            always_allowed=self.always_allowed,
            stop=self.stop,
        )

    async def run(self, given: Any) -> list[dict[str, Any]]:
        """Run until the graph ends or waits; returns the values it waits with."""
        stream = self.graph.astream(given, self.config, context=self.context(), durability="sync", stream_mode="custom")
        async with aclosing(stream) as told:  # type: ignore[type-var]
            async for step in told:
                self.steps.append(step)
                if isinstance(step, TokenText):
                    self.spoke.set()
        return list((await self.waiting()).values())

    async def say(self, text: str) -> list[dict[str, Any]]:
        """A message of the person."""
        return await self.run({"messages": [HumanMessage(text)]})

    async def decide(self, **decisions: dict[str, Any]) -> list[dict[str, Any]]:
        """Resume by call id: `decide(call_0={"kind": "approved", "approval_id": "a"})`."""
        waiting = await self.waiting()
        resume = {id_: decisions[v["call_id"]] for id_, v in waiting.items() if v["call_id"] in decisions}
        return await self.run(Command(resume=resume))

    async def waiting(self) -> dict[str, dict[str, Any]]:
        """What the graph waits for, by interrupt id."""
        state = await self.graph.aget_state(self.config)
        return {i.id: i.value for task in state.tasks for i in task.interrupts}

    async def messages(self) -> list[BaseMessage]:
        """The history in the state."""
        return (await self.graph.aget_state(self.config)).values["messages"]

    def told(self, kind: type) -> list[Any]:
        """The steps of one kind."""
        return [step for step in self.steps if isinstance(step, kind)]


def reply(text: str = "", *calls: tuple[str, Any], **more: Any) -> Reply:
    """A reply with calls given as (name, arguments)."""
    return Reply.of({"text": text, "calls": [{"name": n, "args": a} for n, a in calls], **more})


def approved(approval_id: str = "a1") -> dict[str, Any]:
    """The decision of a person who approves."""
    return {"kind": "approved", "approval_id": approval_id}


def denied(reason: str | None = None) -> dict[str, Any]:
    """The decision of a person who denies."""
    return {"kind": "denied", "reason": reason}
