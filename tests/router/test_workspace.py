"""The packaged catalogue of the workspace: what the command line measures is what the product runs with."""

from agent.routing import catalogue_page
from tools.catalogue import WORKSPACE

from .conftest import WORKSPACE as PACKAGED


def test_the_packaged_catalogue_is_that_of_the_tools():
    """`make docs` writes it again."""
    assert PACKAGED.read_text("utf-8") == catalogue_page({spec.name: spec for spec in WORKSPACE})


def test_every_tool_is_asked_for_in_both_languages(workspace):
    assert {entry.name for entry in workspace if not (entry.keywords.get("en") and entry.keywords.get("ru"))} == set()
