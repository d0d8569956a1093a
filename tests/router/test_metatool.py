"""Retrieval on MetaTool, names and descriptions only, against BM25, the embedder alone and rank fusion."""

import pytest

from benchmarks.router import compare, tools_of
from router.cases import load_cases

from .conftest import DATA


@pytest.fixture(scope="module")
def single(embedder) -> dict[str, dict[str, float]]:
    """Recall of each method on the 2,000 sampled queries."""
    cases = load_cases(DATA / "metatool" / "single.jsonl")
    return compare(cases, tools_of("plugin_des.json"), {"builtin": embedder}, peers=False)


def test_the_router_finds_four_of_five_tools_it_was_never_told_about(single):
    assert single["countersign router, builtin"]["recall@5"] >= 0.78


def test_the_router_is_ahead_of_its_parts(single):
    ours = single["countersign router, builtin"]
    for name, figures in single.items():
        if "countersign" not in name:
            assert ours["recall@5"] > figures["recall@5"], name
            assert ours["recall@1"] > figures["recall@1"], name
