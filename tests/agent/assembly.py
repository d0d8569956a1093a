"""`Turns` put together for tests: a real database, a shelf for a backend, a model that reads its lines."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import rfc8785
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import Field

from agent.approvals import Decision
from agent.guards import Limits
from agent.identity import Principal
from agent.keys import KeyRing
from agent.model import ModelClient
from agent.turns import TurnRef, Turns
from router.entry import Choice, Selection
from store import turns as turn_rows
from store.invariants import Effect as ApprovedEffect
from store.invariants import violations
from store.pool import Pool
from tests.agent.bench import KEYS, principal
from tests.agent.shelf import SPECS, Shelf, ShelfToolset
from tools.always import ALWAYS

QUICK = Limits(backoff=0.01, merge=0.0, retries=1)
ANN = principal()
LEASE = 2.0
ALL_SPECS = {**SPECS, **{spec.name: spec for spec in ALWAYS}}


@dataclass
class Line:
    """One reply of the model. `before` holds it back, `middle` holds it after its first word; `fails` ends it badly."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    before: asyncio.Event | None = None
    middle: asyncio.Event | None = None
    fails: Exception | None = None


def line(text: str = "", *calls: tuple[str, dict[str, Any]], **more: Any) -> Line:
    """A reply with calls given as (name, arguments)."""
    return Line(text, calls, **more)


class PlayedChat(BaseChatModel):
    """Reads lines in order; keeps what it was sent. `spoke` is set at the first word of each line."""

    lines: list[Any] = Field(default_factory=list)
    sent: list[list[BaseMessage]] = Field(default_factory=list)
    spoke: Any = Field(default_factory=asyncio.Event)
    asked: Any = Field(default_factory=asyncio.Event)

    @property
    def _llm_type(self) -> str:
        return "played"

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
        said: Line = self.lines.pop(0)
        self.asked.set()
        if said.before:
            await said.before.wait()
        for number, word in enumerate(said.text.split(" ")):
            yield _chunk(word if number == 0 else f" {word}")
            self.spoke.set()
            if number == 0 and said.middle:
                await said.middle.wait()
        if said.fails:
            raise said.fails
        for index, (name, args) in enumerate(said.calls):
            yield _call_chunk(index, name, args)
        end = {"finish_reason": "tool_calls" if said.calls else "stop"}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        yield ChatGenerationChunk(message=AIMessageChunk("", response_metadata=end, usage_metadata=usage))


def _chunk(text: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(text))


def _call_chunk(index: int, name: str, args: Any) -> ChatGenerationChunk:
    chunk = tool_call_chunk(name=name, args=json.dumps(args), id=f"call_{index}", index=index)
    return ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))


class OfferAll:
    """A router that offers every tool."""

    def select(self, query: str, recent: Any = (), allowed: Any = None) -> Selection:
        """All that is allowed."""
        return Selection(tuple(Choice(n, 1.0, "keywords") for n in ALL_SPECS if allowed is None or n in allowed))

    def find(self, description: str, allowed: Any = None) -> Selection:
        """Nothing more."""
        return Selection(())


@dataclass
class House:
    """One process: its `Turns`, its model, and the backend that it may share with another."""

    pool: Pool
    url: str
    shelf: Shelf = field(default_factory=Shelf)
    chat: PlayedChat = field(default_factory=PlayedChat)
    keys: KeyRing = KEYS
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.toolset = ShelfToolset(self.shelf, ALL_SPECS)
        limits = self.options.pop("run_limits", QUICK)
        self.turns = Turns(
            pool=self.pool,
            url=self.url,
            keys=self.keys,
            toolset=self.toolset,
            router=OfferAll(),
            model=ModelClient(self.chat, "played", limits),
            run_limits=limits,
            **{"turns_per_minute": 10_000, "running_per_person": 1000, **self.options},
        )

    async def say(
        self, text: str, *lines: Line, who: Principal = ANN, to: str | None = None, turn_id: str | None = None
    ) -> TurnRef:
        """Send a message; `lines` are what the model will say to it."""
        self.chat.lines += lines
        return await self.turns.accept(who, to, text, turn_id or uuid.uuid4().hex)

    async def follow(self, ref: TurnRef, who: Principal = ANN) -> list[dict[str, Any]]:
        """The parts of the turn once it waits or has ended."""
        frames = [parts async for parts in self.turns.tail(who, ref.conversation_id, ref.turn_id)]
        return frames[-1]

    async def tell(self, text: str, *lines: Line, **more: Any) -> tuple[TurnRef, list[dict[str, Any]]]:
        """Send a message and follow it."""
        ref = await self.say(text, *lines, **more)
        return ref, await self.follow(ref, more.get("who", ANN))

    async def decide(self, part: dict[str, Any], how: Any = "approve", who: Principal = ANN, **more: Any):
        """Decide on a card that was drawn."""
        approval = part["metadata"]["approval"]
        return await self.turns.decide(who, Decision(approval["id"], how, approval["card_sha256"], **more))

    async def state(self, ref: TurnRef, who: Principal = ANN) -> str:
        """The state of the turn in the database."""
        async with self.pool.connection() as connection:
            turn = await turn_rows.of_client(
                connection, who.tenant, who.subject, uuid.UUID(ref.conversation_id), ref.turn_id
            )
        assert turn is not None
        return turn.state

    async def faults(self) -> list[str]:
        """Broken invariants, if any."""
        effects = [
            ApprovedEffect(uuid.UUID(e.idempotency_key[3:]), e.subject, _jcs(e.args))
            for e in self.shelf.effects
            if e.idempotency_key.startswith("ap-")
        ]
        async with self.pool.connection() as connection:
            return await violations(connection, effects, canaries=["jwt-of-Ann", KEYS.spec[3:]])


def _jcs(args: dict[str, Any]) -> bytes:
    return rfc8785.dumps(args)


def cards(parts: list[dict[str, Any]], kind: str = "confirm_required") -> list[dict[str, Any]]:
    """The parts of one kind."""
    return [part for part in parts if part["metadata"]["type"] == kind]


def words_of(parts: list[dict[str, Any]]) -> str:
    """What the assistant said."""
    return "\n".join(part["content"] for part in parts if part["metadata"]["type"] == "stream_token")


async def until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait for something that tells nobody when it happens."""
    for _ in range(int(seconds / 0.01)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError
