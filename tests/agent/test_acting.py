"""What a person asks for runs as that person, and the worker as the service, whoever woke it."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from agent.files import Files
from agent.turns import Turns
from store.person import NOBODY, act_for
from store.pool import open_pool
from tests.agent.assembly import ANN, House, cards, line, principal


def asked_for(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """What people can ask for, by name: the methods that take a principal."""
    for name, method in inspect.getmembers(kind, inspect.iscoroutinefunction):
        if not name.startswith("_") and "principal" in inspect.signature(method).parameters:
            yield name, method


@pytest.mark.parametrize("kind", [Turns, Files])
def test_every_method_for_a_person_runs_as_them(kind: type[Any]) -> None:
    found = dict(asked_for(kind))
    assert len(found) >= 4
    assert [name for name, method in found.items() if not hasattr(method, "__wrapped__")] == []


async def test_a_process_that_acts_for_nobody_still_serves_people_and_ends_their_turns(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=10)
    house = House(pool, database_url)
    house.shelf.put("d-1", "Sales")
    with act_for(NOBODY):
        await house.turns.start()
        ref, parts = await house.tell("delete it", line("", ("delete_thing", {"thing": "d-1"})), line("Deleted."))
        await house.decide(cards(parts)[0])
        await house.follow(ref)
        mine, theirs = [await house.turns.conversations(who) for who in (ANN, principal("Bob"))]
        await house.turns.drain(0.2)
    state, faults = await house.state(ref), await house.faults()
    await pool.close()
    assert (state, faults, len(mine), theirs) == ("succeeded", [], 1, [])
    assert len(house.shelf.effects) == 1
