"""Every hostile document is refused, or imported whole, within two seconds and 200 MB: measured, not guessed."""

import json

import pytest

from tests.tools.openapi import hostile
from tests.tools.openapi.test_operations import LEGAL
from tools.openapi.schemas import SLIM_CHARS
from tools.text import clean_text


def within_bounds(cost: hostile.Cost) -> None:
    assert cost.seconds < 2
    assert cost.megabytes < 200


@pytest.mark.parametrize("name", hostile.REFUSED)
def test_a_hostile_document_is_refused_clearly_and_cheaply(name):
    make, says = hostile.REFUSED[name]
    cost = hostile.measured(make)
    assert says in cost.refusal
    assert len(cost.refusal) < 500
    within_bounds(cost)


@pytest.mark.parametrize("name", hostile.STRANGE)
def test_a_strange_document_is_imported_cheaply_with_sound_names_and_slim_schemas(name):
    cost = hostile.measured(hostile.STRANGE[name])
    assert cost.tools is not None, cost.refusal
    within_bounds(cost)
    names = [*cost.tools.specs]
    assert names
    assert len({name.lower() for name in names}) == len(names)
    assert all(LEGAL.fullmatch(name) for name in names)
    for spec in cost.tools.specs.values():
        shown = json.dumps(spec.json_schema(), ensure_ascii=False)
        assert len(shown) < 2 * SLIM_CHARS
        assert shown == clean_text(shown)
        assert spec.titles["en"].isprintable()


@pytest.mark.parametrize("address", hostile.ADDRESSES)
def test_an_address_inside_is_refused_before_anything_is_sent(address):
    cost = hostile.read(address)
    assert "address" in cost.refusal or "private network" in cost.refusal
    within_bounds(cost)


def test_the_measure_sees_what_was_used():
    """A measure of memory that cannot fail would prove nothing."""
    raw = hostile.STRANGE["enum of 500,000"]
    assert hostile.measured(raw).megabytes > 5
