"""`python -m router eval | explain | calibrate`."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from router import Entry, Router
from router.__main__ import main
from router.builtin import BuiltinEmbedder
from router.fusion import Policy
from router.policies import policy_for, save_policy

from .conftest import DATA

CASES = [
    {"query": "list the orders", "needed": ["list_orders"], "lang": "en", "kind": "plain"},
    {"query": "удали товар", "needed": ["delete_product"], "lang": "ru", "kind": "plain"},
    {
        "query": "delete nothing, list the orders",
        "needed": ["list_orders"],
        "forbidden": ["delete_product"],
        "kind": "negation",
    },
    {"query": "hello", "needed": [], "forbidden": ["delete_product"], "kind": "outofscope"},
    {"query": "good morning", "needed": [], "forbidden": ["delete_product"], "kind": "outofscope"},
    {"query": "show all orders", "needed": ["list_orders"]},
]


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    """A catalogue of two tools in a file."""
    tools = [
        Entry("list_orders", {"en": "List the orders of a shop"}, effect="read"),
        Entry("delete_product", {"en": "Delete a product"}, effect="danger"),
    ]
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps([asdict(tool) for tool in tools]), "utf-8")
    return path


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Labelled queries for it."""
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case, ensure_ascii=False) for case in CASES), "utf-8")
    return path


def test_eval_prints_one_json_object(capsys, catalogue: Path, cases: Path):
    assert main(["eval", str(cases), "--catalogue", str(catalogue), "--model", "none", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["queries"] == len(CASES)
    assert figures["all_needed_recall"] == 1.0
    assert figures["by_kind"].keys() == {"plain", "negation", "outofscope"}
    assert figures["by_lang"].keys() == {"en", "ru"}


def test_eval_lists_the_misses_for_people(capsys, tmp_path: Path, catalogue: Path):
    path = tmp_path / "hard.jsonl"
    path.write_text('{"id": "hard-1", "query": "quux", "needed": ["list_orders"]}', "utf-8")
    assert main(["eval", str(path), "--catalogue", str(catalogue), "--model", "none"]) == 0
    assert "hard-1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "line 1: is not JSON"),
        ('{"needed": []}', "line 1: has no 'query'"),
        ('{"query": "x", "needed": "y"}', "line 1: needs query"),
        ("[]", "line 1: needs query"),
        ("", "holds no labelled query"),
        ('{"query": "x", "needed": ["no_such_tool"]}', "no tool named no_such_tool"),
    ],
)
def test_a_bad_file_gets_one_clear_line(capsys, tmp_path: Path, catalogue: Path, content: str, why: str):
    path = tmp_path / "bad.jsonl"
    path.write_text(content, "utf-8")
    assert main(["eval", str(path), "--catalogue", str(catalogue), "--model", "none"]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert "Traceback" not in said


@pytest.mark.parametrize("content", ["{", '[{"nome": "x"}]', "7", '{"list_orders": 7}'])
def test_a_bad_catalogue_gets_one_clear_line(capsys, tmp_path: Path, cases: Path, content: str):
    path = tmp_path / "bad.json"
    path.write_text(content, "utf-8")
    assert main(["eval", str(cases), "--catalogue", str(path), "--model", "none"]) == 2
    assert "is no catalogue" in capsys.readouterr().err


def test_a_file_that_is_not_there_gets_one_clear_line(capsys):
    assert main(["eval", "/no/such/file.jsonl", "--model", "none"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_explain_shows_tiers_scores_words_and_near_misses(capsys):
    assert main(["explain", "удали дашборд 5", "--model", "none"]) == 0
    said = capsys.readouterr().out
    assert "delete_dashboard" in said
    assert "удали, дашборд" in said
    assert "threshold" in said
    assert "below" in said


def test_explain_takes_the_turns_before(capsys):
    assert main(["explain", "ок, запускай", "--after", "plan_migration", "--model", "none", "--json"]) == 0
    assert "run_migration" in [choice["tool"] for choice in json.loads(capsys.readouterr().out)["choices"]]


def test_calibrate_prints_what_it_was_tuned_on_and_what_it_is_judged_by(
    capsys, tmp_path: Path, catalogue: Path, cases: Path
):
    policies = tmp_path / "policies.json"
    files = [str(cases), "--held-out", str(cases)]
    assert (
        main(
            ["calibrate", *files, "--catalogue", str(catalogue), "--model", "none", "--write", str(policies), "--json"]
        )
        == 0
    )
    report = json.loads(capsys.readouterr().out)
    assert report["tuned_on"]["queries"] == report["held_out"]["queries"] == len(CASES)
    assert report["tuned_on"]["talk"] == 0.0
    assert json.loads(policies.read_text("utf-8"))["keywords"]["scope"]


def test_without_a_held_out_file_one_half_judges_the_other(capsys):
    dev = str(DATA / "router_dev.jsonl")
    assert main(["calibrate", dev, "--model", "none", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["tuned_on"]["queries"] + report["held_out"]["queries"] == 160
    assert min(report["tuned_on"]["queries"], report["held_out"]["queries"]) > 50


def test_policies_of_other_models_are_kept(tmp_path: Path):
    path = tmp_path / "policies.json"
    save_policy(path, "one@1", Policy(threshold=0.4))
    save_policy(path, None, Policy(ratio=0.9))
    assert json.loads(path.read_text("utf-8")) == {"one": {"threshold": 0.4}, "keywords": {"ratio": 0.9}}


def test_a_model_never_calibrated_gets_the_policy_of_the_builtin_one():
    assert policy_for("somebody/new@3") == policy_for(BuiltinEmbedder.id)
    assert policy_for("somebody/new@3").scope
    assert policy_for(None) != policy_for(BuiltinEmbedder.id)


def test_a_catalogue_without_words_has_thresholds_of_its_own(workspace):
    bare = [replace(entry, keywords={}) for entry in workspace]
    assert Router(workspace).policy == policy_for(None)
    assert Router(bare).policy == policy_for(None, bare=True)
    assert policy_for(None, bare=True) != policy_for(None)
    assert policy_for(BuiltinEmbedder.id, bare=True) != policy_for(BuiltinEmbedder.id)


def test_bare_thresholds_are_found_over_several_catalogues(capsys, tmp_path: Path, catalogue: Path, cases: Path):
    described, queries, policies = (tmp_path / name for name in ("plain.json", "plain.jsonl", "policies.json"))
    described.write_text('{"weather": "Weather of a city", "translate": "Translates a text"}', "utf-8")
    lines = [{"query": f"translate text {n}", "needed": ["translate"]} for n in range(20)]
    queries.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    files = [
        str(cases),
        "--catalogue",
        str(catalogue),
        "--held-out",
        str(cases),
        "--also",
        str(described),
        str(queries),
    ]
    assert main(["calibrate", *files, "--bare", "--model", "none", "--write", str(policies), "--json"]) == 0
    (also,) = json.loads(capsys.readouterr().out)["also"]
    assert also["tuned_on"]["queries"] + also["held_out"]["queries"] == 20
    assert list(json.loads(policies.read_text("utf-8"))) == ["keywords without words of its own"]
