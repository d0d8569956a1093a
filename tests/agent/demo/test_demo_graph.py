"""The demo model in the real graph, with the real router, on the real workspace."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.demo import DemoChatModel
from agent.model import ModelClient
from agent.routing import Routing, entries_of
from agent.run import RunContext
from router.router import Router
from tests.agent.kit import Session
from tests.backend.world import AUDIENCE, SERVICE, World
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.native import NativeToolset
from tools.toolset import Call, Lang, ToolResult


class Trusting(NativeToolset):
    """The workspace's tools; what is countersigned is tried elsewhere."""

    async def call_approved(self, approval_id: str, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        return await self.call(name, args, call)


@dataclass
class Talk(Session):
    """A conversation of one person with the workspace."""

    call: Call | None = None
    lang: Lang = "en"

    def context(self) -> RunContext:
        call = self.call
        assert call is not None
        return RunContext(
            model=self.model,
            toolset=self.bench,
            routing=Routing(self.bench.specs, self.router),
            call=lambda key: replace(call, key=key, idempotency_key=uuid4().hex),
            conversation_id=self.thread,
            lang=self.lang,
            role=self.role,
            today="2026-11-30",
            limits=self.limits,
        )

    async def words(self) -> str:
        """What the model said last."""
        return (await self.messages())[-1].text

    async def made(self) -> list[str]:
        """The tools called so far."""
        return [call["name"] for m in await self.messages() for call in getattr(m, "tool_calls", ())]


@pytest.fixture
async def talk(world: World) -> AsyncIterator[Talk]:
    """A conversation of the admin."""
    transport = httpx.ASGITransport(app=world.app, raise_app_exceptions=False)
    client = BackendClient("http://workspace.test", ServiceIdentity(world.service_key, SERVICE, AUDIENCE), transport)
    specs = workspace_toolset(client).specs
    call = Call(world.user_token("anna"), "demo", "anna", "admin", "en", "c1", "t", "", "")
    yield Talk(
        saver=InMemorySaver(),
        model=ModelClient(DemoChatModel(tokens_per_second=0), "demo"),
        bench=Trusting(specs.values(), client),  # type: ignore[arg-type]
        router=Router(entries_of(specs)),  # type: ignore[arg-type]
        call=call,
    )
    await client.aclose()


APPROVED = {"kind": "approved", "approval_id": "a"}


async def board(world: World, dashboard_id: int) -> int:
    """The status of reading a dashboard."""
    return (await world.call("vera", "GET", f"/dashboards/{dashboard_id}")).status_code


async def test_a_question_is_answered(talk: Talk) -> None:
    assert not await talk.say("which environments do we have?")
    assert "| prod |" in await talk.words()


async def test_two_cards_with_two_outcomes(world: World, talk: Talk) -> None:
    waits = await talk.say("delete dashboards Retail Pulse and Churn Cohorts on dev")
    assert [(w["tool"], w["args"]) for w in waits] == [
        ("delete_dashboard", {"dashboard_id": 410}),
        ("delete_dashboard", {"dashboard_id": 103}),
    ]
    assert await board(world, 410) == 200
    denied = {"kind": "denied", "reason": "product still uses it"}
    assert not await talk.decide(**{waits[0]["call_id"]: APPROVED, waits[1]["call_id"]: denied})
    said = await talk.words()
    assert "Retail Pulse" in said
    assert "product still uses it" in said
    assert (await board(world, 410), await board(world, 103)) == (404, 200)
    assert (await talk.made()).count("delete_dashboard") == 2


async def test_a_question_to_the_person_and_then_the_card(world: World, talk: Talk) -> None:
    talk.lang = "ru"
    waits = await talk.say("удали дашборд Retail Pulse")
    assert waits[0]["kind"] == "question"
    choice = next(c for c in waits[0]["choices"] if "prod" in c["label"])
    waits = await talk.decide(**{waits[0]["call_id"]: {"kind": "answer", "text": choice["value"]}})
    assert (waits[0]["tool"], waits[0]["args"]) == ("delete_dashboard", {"dashboard_id": 412})
    await talk.decide(**{waits[0]["call_id"]: APPROVED})
    assert await board(world, 412) == 404
    assert "Retail Pulse" in await talk.words()


async def test_an_unanswered_question_ends_plainly(talk: Talk) -> None:
    waits = await talk.say("delete dashboard Retail Pulse")
    await talk.decide(**{waits[0]["call_id"]: {"kind": "denied"}})
    assert "did nothing" in await talk.words()


async def test_one_dangerous_call_after_another_asks_each_time(world: World, talk: Talk) -> None:
    waits = await talk.say("delete dashboard 94, then delete dashboard 62")
    waits = await talk.decide(**{waits[0]["call_id"]: APPROVED})
    assert waits[0]["args"] == {"dashboard_id": 62}
    assert (await board(world, 94), await board(world, 62)) == (404, 200)
    await talk.decide(**{waits[0]["call_id"]: APPROVED})
    assert await board(world, 62) == 404


async def test_a_tool_that_the_router_left_out_is_found(talk: Talk) -> None:
    await talk.say("what can you do?")
    said = await talk.words()
    assert "demo model" in said
    assert "Only with your signature" in said
    waits = await talk.say("дашборд 77 больше не нужен, удали его")
    assert waits[0]["tool"] == "delete_dashboard"


async def test_follow_ups_in_the_graph(talk: Talk) -> None:
    await talk.say("is stage healthy?")
    await talk.say("and prod?")
    assert (await talk.words()).startswith("**prod**")
    await talk.say("создай пустой дашборд «Проба» на деве")
    await talk.say("отмени это")
    assert (await talk.made())[-1] == "undo_change"
