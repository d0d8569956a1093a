"""docs/performance.md and its chart, written from the figures that were recorded last."""

import json
from pathlib import Path
from typing import Any

from benchmarks import _tables
from benchmarks._chart import chart

ROOT = Path(__file__).parents[1]
RESULTS = Path("benchmarks", "results.json")
PAGE = Path("docs", "performance.md")
CHART = Path("docs", "images", "performance.svg")
RECORDED = ("load", "peers")
BUSY = 1.0

INTRO = """# Performance

Written by `make bench`, which runs every benchmark; `python -m benchmarks NAME --json` runs one and prints its figures.
`python -m benchmarks peers` is the comparison below, `python -m benchmarks load` the crowd on the product alone; with
`--record` they write this page. What others use instead runs in environments of its own, made on demand.

All of them talk to the same scripted model server (first token after 50 ms, then one each 20 ms) and the same
PostgreSQL, on the same cores as the clients that measure them. Each token carries the time at which the model server
sent it; lag is the time at which a client has it minus that. Figures are medians, with the least and the greatest in
brackets. One machine, one run: compare columns, not machines.

- **Countersign** as `make run` starts it: routing, ledger, approvals and persistence on. *page* makes every request
  that the browser makes for a message, *api* calls `/chat` as a program.
- **(a)** plain `gr.ChatInterface` over a LangGraph graph with `AsyncPostgresSaver`, its limit of one at a time lifted.
- **(b)** Chainlit with the same graph, with its LangChain callback handler.
- **(c)** LangChain's `create_agent` with its approval middleware behind a minimal FastAPI stream; it has no page.
- **(d)** the raw model stream, read by the same client: the limit.
"""


def record(name: str, report: dict[str, Any], root: Path = ROOT) -> None:
    """Keep the figures of one benchmark, and write the page and the chart anew."""
    kept = root / RESULTS
    results = json.loads(kept.read_text()) if kept.exists() else {}
    kept.write_text(json.dumps({**results, name: report}, indent=1) + "\n")
    results = json.loads(kept.read_text())
    (root / PAGE).write_text(page(results))
    if "peers" in results:
        (root / CHART).write_text(chart(results["peers"]["rows"]))


def page(results: dict[str, Any]) -> str:
    """The text of docs/performance.md."""
    peers, load = results.get("peers"), results.get("load")
    parts = [INTRO]
    if peers:
        rows = peers["rows"]
        parts += [
            _about(peers),
            "## Promises\n",
            _tables.promises(peers["targets"]),
            "![CPU a token and streams at once, ours beside the others](images/performance.svg)\n",
            "## Streams\n",
            _tables.streams(rows),
            "## Turns of one conversation\n",
            _tables.growth(rows),
            "## Start, memory, incidents\n",
            _tables.servers(rows),
            "## What is not there\n",
            _tables.reasons(rows, peers.get("troubles", ())),
        ]
    if load:
        parts += ["## Many people on the product\n", _tables.crowds(load)]
    if peers:
        parts += ["## Versions\n", _tables.versions(peers["versions"])]
    return "\n".join(parts)


def _about(report: dict[str, Any]) -> str:
    about, plan = report["machine"], report["plan"]
    busy = about["load_before"] > BUSY
    note = f" The machine was busy with other work (load {about['load_before']}): only ratios tell." if busy else ""
    return (
        f"Measured on {about['day']}: {about['processor']}, {about['cores']} cores, {about['memory_gb']} GB, "
        f"{about['system']}, Python {about['python']}; {plan['rounds']} rounds, {plan['tokens']} tokens an answer."
        f"{note}\n"
    )
