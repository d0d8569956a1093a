"""Which tools a turn gets: the router's, the constant ones, those of the last turns, never those beyond the role."""

import threading

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from agent.routing import Routing, entries_of, entry_of, used
from router.entry import Choice, Selection
from router.router import Router
from tests.agent.kit import SPECS, All
from tools.always import ALWAYS
from tools.catalogue import WORKSPACE
from tools.toolset import Role


class Only(All):
    """A router that finds one tool, and notes the thread it runs in."""

    notice: str | None = "keywords only"

    def select(self, query, recent=(), allowed=None):
        self.thread = threading.get_ident()
        self.allowed = allowed
        return Selection((Choice("find_things", 0.9, "keywords", ("find",)),), notice=self.notice)

    def find(self, description, allowed=None):
        return Selection(tuple(Choice(n, 1.0, "keywords") for n in ("wipe_all", "delete_thing")))


def turn(n, *names):
    calls = [{"name": name, "args": {}, "id": f"{n}{name}"} for name in names]
    results = [ToolMessage("r", tool_call_id=call["id"]) for call in calls]
    return [HumanMessage(f"q{n}"), AIMessage("", tool_calls=calls), *results, AIMessage(f"a{n}")]


ALWAYS_ON = {spec.name for spec in ALWAYS}


async def test_the_offer_is_in_catalogue_order_with_the_constant_tools():
    router = Only()
    offer = await Routing(SPECS, router).offer([*turn(1, "rename_thing"), HumanMessage("find")], "viewer")
    assert offer.tools == [n for n in SPECS if n in {"find_things", "rename_thing"} | ALWAYS_ON]
    assert offer.choices[0].words == ("find",)
    assert router.thread != threading.get_ident()
    assert "wipe_all" not in router.allowed


async def test_a_tool_of_an_earlier_role_is_not_offered_any_more():
    offer = await Routing(SPECS, Only()).offer([*turn(1, "wipe_all"), HumanMessage("again")], "viewer")
    assert "wipe_all" not in offer.tools


async def test_what_the_router_says_of_itself_is_told_once_to_an_admin_and_to_nobody_else():
    router = Only()
    routing = Routing(SPECS, router)
    said = [(await routing.offer([HumanMessage("find")], role)).notice for role in ("viewer", "editor")]
    router.notice = None
    said += [(await routing.offer([HumanMessage("find")], "admin")).notice for _ in range(3)]
    assert said == [None, None, "keywords only", None, None]


async def test_only_tools_of_the_role_are_found_and_the_others_are_named():
    async def names(role: str) -> list[list[str]]:
        return [[spec.name for spec in specs] for specs in await Routing(SPECS, Only()).find("remove", role)]

    assert await names("viewer") == [["delete_thing"], ["wipe_all"]]
    assert await names("admin") == [["wipe_all", "delete_thing"], []]


@pytest.mark.parametrize("role", ["", "owner", "VIEWER"])
def test_an_unknown_role_is_the_weakest(role):
    assert Routing(SPECS, Only()).allowed(role) == Routing(SPECS, Only()).allowed("viewer")


def test_found_tools_are_bound_until_the_turn_ends():
    routing = Routing(SPECS, Only())
    found = ToolMessage("r", tool_call_id="f", artifact={"offered": ["delete_thing"]})
    assert "delete_thing" in routing.bound(["find_things"], [HumanMessage("q"), found], "viewer")
    assert "delete_thing" not in routing.bound(["find_things"], [HumanMessage("q")], "viewer")


def test_recent_tools_are_those_of_the_last_two_turns():
    messages = [*turn(1, "a"), *turn(2, "b", "c"), *turn(3), HumanMessage("now")]
    assert used(messages) == [["b", "c"], []]
    assert used([HumanMessage("now")]) == []


def test_capabilities_narrow_to_a_topic_when_something_fits():
    routing = Routing(SPECS, Only())
    assert [s.name for s in routing.capabilities("viewer", "en", "deleting")] == ["delete_thing"]
    everything = routing.capabilities("viewer", "en", "weather")
    assert {s.name for s in everything} == {"find_things", "read_document", "rename_thing", "delete_thing"}
    assert everything[-1].effect == "danger"


def test_an_entry_tells_the_router_all_that_it_may_know():
    entry = entry_of(SPECS["delete_thing"])
    assert (entry.name, entry.parameters, entry.effect) == ("delete_thing", ("id",), "danger")
    assert ALWAYS_ON.isdisjoint(e.name for e in entries_of(SPECS))


async def test_what_the_role_may_not_use_pushes_out_nothing_that_it_may():
    specs = {spec.name: spec for spec in WORKSPACE}
    routing = Routing(specs, Router(entries_of(specs)))
    found, beyond = await routing.find("delete or restore backups, roll back commits", "viewer")
    assert {spec.min_role for spec in found} == {Role.VIEWER}
    assert "list_backups" in {spec.name for spec in found}
    assert "restore_backup" in {spec.name for spec in beyond}
