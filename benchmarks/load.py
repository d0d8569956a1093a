"""Many people at once on the product, by the requests of its page: how far behind each is, and what it costs."""

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import _document
from benchmarks._lab import processes
from benchmarks._lab.database import Databases, postgres
from benchmarks._lab.figures import spread
from benchmarks._lab.machine import machine
from benchmarks._lab.model import model_server
from benchmarks.peers import measures
from benchmarks.peers.subjects import OURS, Running

TOKENS, PACE = 200, 50.0  # a token each 20 ms
BEHIND_MS = 1000.0


def crowd(running: Running, people: int) -> dict[str, Any]:
    """So many people at once, each with a page that stays open; memory is that of the servers while all are open."""
    idle = processes.resident(running.pids)
    run = running.crowd(people=people)
    with measures.held(running, people=people, message="short"):
        opened = processes.resident(running.pids)
    streams = run["answers"]
    return {
        "people": people,
        "p50_ms": run["p50_ms"],
        "p95_ms": run["p95_ms"],
        "worst_ms": run["worst_ms"],
        "p95_of_a_stream_ms": spread((stream["p95_ms"] for stream in streams), 1),
        "worst_of_a_stream_ms": spread((stream["worst_ms"] for stream in streams), 1),
        "first_token_ms": spread((stream["first_ms"] for stream in streams), 1),
        "streams_under_1_s": sum((stream["worst_ms"] or BEHIND_MS) < BEHIND_MS for stream in streams),
        "errors": run["errors"],
        "kb_per_open_page": round(1000 * (opened - idle) / people, 1),
        "resident_mb": round(opened, 1),
        "server_cpu_s_per_1000_tokens": round(1000 * run["server_cpu_s"] / max(run["tokens"], 1), 3),
        "client_cpu_s": round(run["cpu_s"], 2),
    }


def measured(databases: Databases, model: str, people: list[int], count: int) -> dict[str, Any]:
    """All crowds, over one or two server processes; the most streams at once are measured beside the peers."""
    with OURS.running(model, databases.fresh("load"), "page", count) as running:
        running.crowd(people=4, message="short")
        return {"processes": count, "crowds": [crowd(running, number) for number in people]}


def report(people: list[int], counts: list[int]) -> dict[str, Any]:
    """Everything; met when of 50 people every stream is under one second behind, without an error."""
    about = machine()
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="bench-load-")))
        databases = ends.enter_context(postgres())
        model = ends.enter_context(model_server(folder, TOKENS, PACE))
        runs = [measured(databases, model, people, count) for count in counts]
    fifties = [crowd for run in runs for crowd in run["crowds"] if crowd["people"] == 50]
    met = [not crowd["errors"] and crowd["streams_under_1_s"] == 50 for crowd in fifties]
    return {"benchmark": "load", "machine": about, "met": any(met) if met else None, "runs": runs}


def main(argv: list[str]) -> int:
    """`python -m benchmarks load [--json] [--people 25,50,100] [--processes 1,2] [--record]`."""
    parser = argparse.ArgumentParser(prog="benchmarks load", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    parser.add_argument("--people", type=_numbers, default=[25, 50, 100], help="how many at once, comma-separated")
    parser.add_argument("--processes", type=_numbers, default=[1, 2], help="server processes, comma-separated")
    parser.add_argument("--record", action="store_true", help="write the figures to docs/performance.md")
    options = parser.parse_args(argv)
    figures = report(options.people, options.processes)
    print(json.dumps(figures, indent=None if options.json else 2))
    if options.record:
        _document.record("load", figures)
    return 0


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
