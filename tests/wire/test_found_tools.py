"""Tools that the model asks for in words are bound within the turn: the provider gets their schemas next."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.routing import entries_of
from router import Router
from tests.agent.kit import SPECS, Session, reply
from tests.wire.conftest import LIMITS


@pytest.fixture
async def session(wire, model):
    """A conversation whose tools the real router chooses."""
    yield Session(InMemorySaver(), model, router=Router(entries_of(SPECS)), limits=LIMITS)  # type: ignore[arg-type]
    assert wire.refusals == []


def bound(request) -> set[str]:
    """Names of the tools that a request of either API offers."""
    return {tool.get("function", tool)["name"] for tool in request.body["tools"]}


async def test_a_tool_that_is_looked_for_is_bound_and_run_in_the_same_turn(session, wire):
    wire.push(
        reply("", ("find_tools", {"description": "rename a thing"})), reply("", ("rename_thing", {"id": 3})), "Done."
    )
    assert await session.say("hello") == []
    before, after, last = wire.requests
    assert "find_tools" in bound(before)
    assert "rename_thing" not in bound(before)
    assert bound(after) >= bound(before) | {"rename_thing"}
    assert "rename_thing" in bound(last)
    assert session.bench.ran == [("rename_thing", {"id": 3})]


async def test_what_one_turn_found_is_not_bound_in_the_next(session, wire):
    wire.push(reply("", ("find_tools", {"description": "rename a thing"})), "There is one.", "Hello again.")
    await session.say("hello")
    await session.say("hello")
    assert "rename_thing" in bound(wire.requests[1])
    assert "rename_thing" not in bound(wire.requests[2])
