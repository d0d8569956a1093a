"""`python -m benchmarks peers [--json]`: the product beside what people would use instead, in one run."""

import argparse
import json
from functools import partial

from benchmarks import _document
from benchmarks.peers.compare import Plan, compare

QUICK = Plan(rounds=1, tokens=50, crowds=(5,), marks=(3, 8), open=5, patience=300, processes=1, ladder=(5, 15))


def main(argv: list[str]) -> int:
    """Measure, print, and with `--record` write docs/performance.md."""
    parser = argparse.ArgumentParser(prog="benchmarks peers", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it works, not to compare")
    parser.add_argument("--only", default="", help="names, comma-separated: raw, countersign, gradio, ...")
    parser.add_argument("--record", action="store_true", help="write the figures to docs/performance.md")
    options = parser.parse_args(argv)
    plan, only = QUICK if options.quick else Plan(), set(filter(None, options.only.split(",")))
    report = compare(plan, only, partial(_document.record, "peers") if options.record else lambda report: None)
    print(json.dumps(report, indent=None if options.json else 2))
    return 0
