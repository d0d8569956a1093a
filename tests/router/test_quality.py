"""Figures on the labelled queries: thresholds that a change may not fall below. Times are not asserted."""

import json

import pytest

from router import Choice, Router, Selection
from router.cases import Case, load_cases
from router.evaluation import Outcome, evaluate, figures, run

from .conftest import DATA

FILES = [
    "router_dev",
    "router_own",
    "router_second",
    "router_third",
    "router_fourth",
    "router_fifth",
    "router_sixth",
    "router_seventh",
]


@pytest.fixture(scope="module")
def outcomes(router: Router) -> dict[str, list[Outcome]]:
    """What the router offers for each labelled file."""
    return {name: run(router, load_cases(DATA / f"{name}.jsonl")) for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_recall_subset_and_harm_on_labelled_queries(outcomes, name: str):
    found = figures(outcomes[name])
    assert found["all_needed_recall"] >= 0.97
    assert found["mean_subset_in_scope"] <= 6.0
    assert found["mean_subset_out_of_scope"] <= 0.5
    assert found["forbidden_offered"] <= 0.03
    for kind in ("synonym", "indirect", "typo"):
        assert found["by_kind"][kind]["all_needed_recall"] >= (0.93 if name == "router_dev" else 0.9), kind


def test_russian_and_english_are_served_alike(outcomes):
    by_lang = figures([outcome for found in outcomes.values() for outcome in found])["by_lang"]
    assert abs(by_lang["ru"]["all_needed_recall"] - by_lang["en"]["all_needed_recall"]) <= 0.02


def test_keywords_alone_still_serve(keywords_only: Router):
    found = figures(run(keywords_only, load_cases(DATA / "router_dev.jsonl")))
    assert found["all_needed_recall"] >= 0.95
    assert found["mean_subset_out_of_scope"] <= 1.0


def test_every_tool_of_the_workspace_is_found_by_its_own_keywords(router: Router, workspace):
    lost = [
        (entry.name, phrase)
        for entry in workspace
        for phrases in entry.keywords.values()
        for phrase in phrases[:3]
        if entry.name not in router.select(phrase).tools
    ]
    assert not lost


def test_the_labels_name_every_tool(workspace):
    needed = {tool for case in load_cases(DATA / "router_dev.jsonl") for tool in case.needed}
    assert needed == {entry.name for entry in workspace}


def test_the_report_has_the_documented_keys(router: Router):
    report = evaluate(router, load_cases(DATA / "router_dev.jsonl")[:20])
    assert json.loads(json.dumps(report)).keys() >= {
        "all_needed_recall",
        "recall_at",
        "mean_subset_in_scope",
        "mean_subset_out_of_scope",
        "forbidden_offered",
        "ms_cold",
        "ms_warm",
        "by_kind",
        "by_lang",
    }
    assert report["recall_at"].keys() == {"1", "3", "5"}


def test_an_outcome_tells_what_is_missing_and_what_does_harm():
    case = Case("1", "query", frozenset({"a", "b"}), frozenset({"c"}))
    bad = Outcome(case, Selection((Choice("a", 1.0, "both"), Choice("c", 0.5, "both")), (Choice("b", 0.1, "both"),)))
    assert (bad.missing, bad.harmful, bad.good) == ({"b"}, {"c"}, False)
    assert (bad.recall_at(1), bad.recall_at(3)) == (0.5, 1.0)
    assert figures([bad])["forbidden_offered"] == 1.0
    talk = Case("2", "hello", frozenset())
    assert Outcome(talk, Selection(())).good
    assert not Outcome(talk, Selection((Choice("a", 1.0, "both"),))).good
