"""The chat in front of a real backend: real database, real router, real HTTP, a scripted model server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from agent.approvals import Decision
from agent.guards import Limits
from agent.identity import Principal
from agent.model import ModelClient
from agent.models.provider import Provider
from agent.routing import entries_of
from agent.turns import TurnRef, Turns
from router.router import Router
from store.invariants import violations
from store.pool import Pool
from tests.agent.assembly import cards, words_of
from tests.agent.bench import KEYS
from tests.agent.kit import reply
from tests.wire.server import WireServer
from tools.always import ALWAYS
from tools.client import BackendClient
from tools.credentials import Person
from tools.joined import JoinedToolset
from tools.native import NativeToolset
from tools.openapi.document import load_document
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import Toolset

LIMITS = Limits(backoff=0.01)


@dataclass
class Chat:
    """One person talking; `asked` holds the cards of the last turn."""

    turns: Turns
    wire: WireServer
    toolset: Toolset
    person: Principal
    conversation: str | None = None
    turn: TurnRef | None = None
    parts: list[dict[str, Any]] | None = None

    async def say(self, text: str, *calls: tuple[str, dict[str, Any]], then: str = "Done.") -> list[dict[str, Any]]:
        """Send a message; the model makes these calls, and says `then` once it has their answers. The parts."""
        self.wire.push(*([reply("", *calls)] if calls else []), then)
        number = str(len(self.wire.requests))
        self.turn = await self.turns.accept(self.person, self.conversation, text, f"turn-{number}-{len(text)}")
        self.conversation = self.turn.conversation_id
        return await self.follow()

    async def follow(self) -> list[dict[str, Any]]:
        """The parts of the turn once it waits or has ended."""
        assert self.turn is not None
        async for parts in self.turns.tail(self.person, self.turn.conversation_id, self.turn.turn_id):
            self.parts = parts
        assert self.parts is not None
        return self.parts

    async def decide(self, how: Any, **more: Any) -> dict[str, Any]:
        """Decide on the one card that waits; the approval once the turn has ended."""
        approval = self.card()
        await self.turns.decide(self.person, Decision(approval["id"], how, approval["card_sha256"], **more))
        return cards(await self.follow(), "confirm_resolved")[-1]["metadata"]["approval"]

    def card(self) -> dict[str, Any]:
        """The approval that waits."""
        (part,) = cards(self.parts or [])
        return part["metadata"]["approval"]

    def said(self) -> str:
        """What the model said last."""
        return words_of(self.parts or [])

    def told(self) -> str:
        """The last tool answer that the model got."""
        last = [m for m in self.wire.requests[-1].messages if m.get("role") == "tool"][-1]
        return str(last["content"])


@asynccontextmanager
async def open_chat(pool: Pool, database_url: str, backend: str, person: Principal) -> AsyncIterator[Chat]:
    """A chat in front of `backend`, which serves its own document."""
    async with httpx.AsyncClient(timeout=60) as http:
        raw = (await http.get(f"{backend}/openapi.json")).content
    client = BackendClient(backend, credentials=Person("Authorization"), idempotent=False)
    imported = OpenApiToolset.from_document(load_document(f"{backend}/openapi.json", lambda _: raw), client)
    toolset = JoinedToolset(imported, NativeToolset(ALWAYS, client))
    with WireServer() as wire:
        provider = Provider("scripted", "chat", base_url=wire.url, merge=LIMITS.merge)
        model = ModelClient(provider.chat(), "scripted", LIMITS)
        turns = Turns(
            pool=pool, url=database_url, keys=KEYS, toolset=toolset, router=Router(entries_of(toolset.specs)),
            model=model, run_limits=LIMITS, turns_per_minute=1_000,
        )  # fmt: skip
        await turns.start()
        try:
            yield Chat(turns, wire, toolset, person)
            assert wire.refusals == []
            async with pool.connection() as connection:
                assert await violations(connection, canaries=[person.user_jwt]) == []
        finally:
            await turns.drain(1)
            await model.aclose()
            await client.aclose()


def offered(chat: Chat) -> set[str]:
    """The tools that the model was offered with the last message."""
    return {tool["function"]["name"] for tool in chat.wire.requests[-1].body["tools"]}


def fields(card: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What a card says changes: field, before, after."""
    rows = [row for block in card["card"]["evidence"] if block["type"] == "fields" for row in block["rows"]]
    return {row["field"]: (row["before"], row["after"]) for row in rows}


def facts(card: dict[str, Any]) -> dict[str, Any]:
    """What a card shows as it is."""
    return {k: v for block in card["card"]["evidence"] if block["type"] == "facts" for k, v in block["items"]}


def body(text: str) -> Any:
    """The JSON in an answer that was fenced as data."""
    begin = min(i for i in (text.find("{"), text.find("[")) if i >= 0)
    return json.JSONDecoder().raw_decode(text[begin:])[0]


async def answers(url: str, seconds: float = 120.0) -> None:
    """Wait until a server answers."""
    async with httpx.AsyncClient() as http, asyncio.timeout(seconds):
        while True:
            try:
                await http.get(url)
                return
            except httpx.HTTPError:
                await asyncio.sleep(0.2)
