"""Catalogues of other services, without any keyword: what is offered by names and descriptions alone."""

from dataclasses import replace

import pytest

from agent.routing import entries_of
from benchmarks.router import tools_of
from router import Entry, Router
from router.cases import load_cases, load_catalogue
from router.evaluation import Outcome, figures, run
from tools.client import BackendClient
from tools.openapi.document import load_document
from tools.openapi.toolset import OpenApiToolset

from .conftest import DATA

FOREIGN = DATA / "foreign"
DOCUMENTS = DATA.parent / "openapi"
TALK = load_cases(FOREIGN / "small_talk.jsonl")


def imported(name: str) -> list[Entry]:
    """The operations of a document as the router gets them, less the words that the import makes up."""
    document = load_document(str(DOCUMENTS / f"{name}.json"))
    toolset = OpenApiToolset.from_document(document, BackendClient("http://backend.example"))
    return [replace(entry, keywords={}) for entry in entries_of(toolset.specs)]


@pytest.fixture(scope="module")
def services(embedder) -> dict[str, list[Outcome]]:
    """What is offered for the labelled queries of each service."""
    catalogues = {name: imported(name) for name in ("fullstack_template", "prefect", "owui_filesystem", "fusers")}
    catalogues["shop"] = load_catalogue(FOREIGN / "shop_tools.json")
    return {
        name: run(Router(entries, embedder), load_cases(FOREIGN / f"{name}.jsonl"))
        for name, entries in catalogues.items()
    }


@pytest.fixture(scope="module", params=["read", "unknown"])
def plugins(request) -> list[Entry]:
    """MetaTool's tools, their effect known or not."""
    return [replace(tool, effect=request.param) for tool in tools_of("plugin_des.json")]


def test_services_without_keywords_are_served(services):
    found = figures([outcome for outcomes in services.values() for outcome in outcomes])
    assert found["all_needed_recall"] >= 0.85
    assert found["mean_subset_in_scope"] <= 6.0
    assert found["mean_subset_out_of_scope"] <= 0.5
    assert found["forbidden_offered"] <= 0.03


def test_tools_known_by_a_sentence_each_are_offered(plugins, embedder):
    found = run(Router(plugins, embedder), load_cases(DATA / "metatool" / "single.jsonl")[::5])
    assert figures(found)["all_needed_recall"] >= 0.7
    assert figures(found)["mean_subset_in_scope"] <= 6.0
    assert sum(not outcome.offered for outcome in found) <= 0.08 * len(found)


def test_talk_that_no_tool_serves_gets_none(plugins, embedder):
    assert figures(run(Router(plugins, embedder), TALK))["mean_subset_out_of_scope"] <= 0.5


def test_everyday_words_that_a_catalogue_speaks_of_are_its_work(embedder):
    bank = [
        Entry("quotes", {"en": "Current price of Bitcoin and other currencies"}),
        Entry("transfer", {"en": "Send money to another account"}),
        Entry("statement", {"en": "Movements of an account in a month"}),
    ]
    assert "quotes" in Router(bank, embedder).select("What is the current price of Bitcoin?").tools
    assert not Router(bank[1:], embedder).select("What is the current price of Bitcoin?").tools


def test_a_tool_of_unknown_effect_is_offered_but_not_when_it_is_ruled_out(embedder):
    router = Router([Entry("delete_product", {"en": "Delete a product"}), Entry("add_product", {"en": "Add one"})])
    router.use(embedder)
    assert router.select("please delete product 5").tools[0] == "delete_product"
    assert "delete_product" not in router.select("do not delete product 5, add one more").tools
