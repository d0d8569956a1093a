"""Figures as tables of Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any

Row = dict[str, Any]
NONE = "–"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; what is not there is a dash."""
    lines = [head, ["---"] * len(head), *([shown(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def shown(value: Any) -> str:
    """A number as people write it, a median with its spread."""
    if isinstance(value, dict):
        if value["median"] is None:
            return NONE
        return f"{shown(value['median'])} ({shown(value['low'])}–{shown(value['high'])})"
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if isinstance(value, int | float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:g}"
    return NONE if value is None else str(value)


def promises(targets: list[Row]) -> str:
    """Each promise with what was measured."""
    head = ("promise", "limit", "measured", "kept")
    return table(head, ((t["target"], t["limit"], t["measured"], t["met"]) for t in targets))


def streams(rows: dict[str, Row]) -> str:
    """Every way in: first token, streams at once, CPU, bytes."""
    ways = [(f"{row['label']}, {name}", way) for row in rows.values() for name, way in row["ways"].items()]
    crowds = [crowd["people"] for crowd in ways[0][1]["crowds"]]
    first = rows["raw"]["ways"]["raw"]["first_ms"]["median"] if "raw" in rows else 0
    head = (
        "", "first token added, ms", "streams at once under 250 ms, 1 process", "2 processes",
        *(f"CPU s per 1,000 tokens, {n} streams" for n in crowds),
        *(f"p95 lag ms, {n} streams" for n in crowds), "bytes an answer",
    )  # fmt: skip
    return table(head, (_way(label, way, first) for label, way in ways))


def _way(label: str, way: Row, first: float | None) -> list[Any]:
    heard = way["first_ms"]["median"]
    added = None if heard is None or first is None else round(heard - first, 1)
    most = way["most_streams"]
    return [
        label, added, most.get("1"), most.get("2"),
        *(crowd["cpu_s_per_1000_tokens"] for crowd in way["crowds"]), *(crowd["p95_ms"] for crowd in way["crowds"]),
        way["crowds"][0]["bytes_per_answer"]["median"],
    ]  # fmt: skip


def growth(rows: dict[str, Row]) -> str:
    """Milliseconds, live bytes and memory at some turns, answers in one burst."""
    known = [row for row in rows.values() if row.get("growth")]
    marks = [at["turn"] for at in known[0]["growth"]] if known else []
    head = (
        "", *(f"ms, turn {n}" for n in marks), *(f"live bytes a turn, by turn {n}" for n in marks),
        *(f"resident MB, turn {n}" for n in marks),
    )  # fmt: skip
    columns = ("ms", "live_bytes_a_turn", "resident_mb")
    return table(head, ([row["label"], *(at[c] for c in columns for at in row["growth"])] for row in known))


def servers(rows: dict[str, Row]) -> str:
    """Start to first page, memory, approval to effect, and back after a kill."""
    head = (
        "", "first start, s", "later starts, s", "idle MB", "with its children", "kB an open conversation",
        "approval to result, ms", "kill -9 to next token, ms",
    )  # fmt: skip
    known = [row for row in rows.values() if "memory" in row]
    return table(head, (_server(row) for row in known))


def _server(row: Row) -> list[Any]:
    memory = row["memory"]
    return [
        row["label"], row["first_start_s"], row["start_s"], memory.get("idle_mb"), memory.get("idle_tree_mb"),
        memory.get("kb_per_open"), row["approval_ms"], row["recovery_ms"],
    ]  # fmt: skip


def reasons(rows: dict[str, Row], troubles: Sequence[str]) -> str:
    """Why a figure is missing."""
    lines = [
        f"- {row['label']}: {row[why]}."
        for row in rows.values() for why in ("approval_why", "recovery_why") if row.get(why)
    ]  # fmt: skip
    lines.append("- (d): there is no server, so no process, memory or start; its CPU is the client's.")
    return "\n".join([*lines, *(f"- Not measured in this run: {trouble}." for trouble in troubles)]) + "\n"


def crowds(load: Row) -> str:
    """People at once on one and on two processes of the product."""
    head = (
        "processes", "people", "p95 lag ms", "worst stream's lag ms", "streams under 1 s", "errors",
        "CPU s per 1,000 tokens", "kB an open page", "resident MB",
    )  # fmt: skip
    lines = [
        (
            run["processes"], c["people"], c["p95_ms"], c["worst_ms"], f"{c['streams_under_1_s']} of {c['people']}",
            len(c["errors"]), c["server_cpu_s_per_1000_tokens"], c["kb_per_open_page"], c["resident_mb"],
        )
        for run in load["runs"] for c in run["crowds"]
    ]  # fmt: skip
    return table(head, lines)


def versions(found: dict[str, str]) -> str:
    """One line."""
    return ", ".join(f"{name} {version}" for name, version in found.items()) + "\n"
