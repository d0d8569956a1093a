"""`python -m tools list`: which tools there are, what each does to the world, and why; also those of a document."""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from tools.always import ALWAYS
from tools.catalogue import WORKSPACE
from tools.openapi.commands import add_source, operation_listing
from tools.toolset import ToolSpec


def add_list(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("list", help="list tools with effect and reasons: the workspace's, or a document's")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_source(parser, required=False)
    parser.set_defaults(run=lambda options: print(_listed(options)))


def _listed(options: argparse.Namespace) -> str:
    if options.openapi:
        return operation_listing(options)
    return listing((*WORKSPACE, *ALWAYS), as_json=options.json)


def listing(specs: Sequence[ToolSpec], *, as_json: bool = False) -> str:
    """The tools as an aligned table, or as JSON."""
    rows = [_row(spec) for spec in specs]
    return json.dumps(rows, ensure_ascii=False, indent=1) if as_json else _table(rows)


def _row(spec: ToolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "effect": spec.effect.value,
        "role": spec.min_role.value,
        "reasons": list(spec.reasons),
        "always_on": spec.always_on,
        "companions": list(spec.companions),
        "description": spec.descriptions["en"].splitlines()[0],
    }


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [(r["name"], r["effect"], r["role"], "; ".join(r["reasons"]) or r["description"]) for r in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    return "\n".join("  ".join([*(f"{line[i]:{widths[i]}}" for i in range(3)), line[3]]) for line in lines)
