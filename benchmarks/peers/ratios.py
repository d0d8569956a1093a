"""What the figures mean: ours beside the limit and beside each peer, and whether the targets are met."""

from typing import Any

Row = dict[str, Any]
Figures = dict[str, float | None]


def flat(row: Row, raw_first_ms: float | None) -> Figures:
    """The figures of a subject that are compared, by its best way in; None where there is none."""
    best = min(row["ways"].values(), key=lambda way: way["first_ms"]["median"] or 1e9)
    figures: Figures = {
        "first_token_added_ms": _minus(best["first_ms"]["median"], raw_first_ms),
        "most_streams": max((n for way in row["ways"].values() for n in way["most_streams"].values()), default=None),
    }
    for name, way in row["ways"].items():
        for crowd in way["crowds"]:
            people = crowd["people"]
            figures[f"cpu_s_per_1000_tokens_at_{people}_by_{name}"] = crowd["cpu_s_per_1000_tokens"]["median"]
        figures[f"bytes_per_answer_by_{name}"] = way["crowds"][0]["bytes_per_answer"]["median"]
    if "start_s" in row:
        figures |= _server(row)
    return figures


def _server(row: Row) -> Figures:
    growth, memory = row["growth"], row["memory"]
    figures: Figures = {
        "start_s": row["start_s"]["median"],
        "idle_mb": memory.get("idle_mb"),
        "kb_per_open": memory.get("kb_per_open"),
        "growth_of_a_turn": _over(growth[-1]["ms"]["median"], growth[0]["ms"]["median"]) if growth else None,
        "approval_ms": (row["approval_ms"] or {}).get("median"),
        "recovery_ms": (row["recovery_ms"] or {}).get("median"),
    }
    for at in growth:
        figures[f"turn_{at['turn']}_ms"] = at["ms"]["median"]
        figures[f"turn_{at['turn']}_live_bytes"] = at["live_bytes_a_turn"]
    return figures


def ratios(rows: dict[str, Row]) -> dict[str, dict[str, float | None]]:
    """Ours over each other subject's, figure by figure; None where either has none."""
    first = rows["raw"]["ways"]["raw"]["first_ms"]["median"] if "raw" in rows else None
    ours = flat(rows["countersign"], first) if "countersign" in rows else {}
    return {
        name: {figure: _over(value, _beside(figure, flat(row, first))) for figure, value in ours.items()}
        for name, row in rows.items() if name != "countersign"
    }  # fmt: skip


def _beside(figure: str, theirs: Figures) -> float | None:
    """Their figure, by the same way in where they have it, else by the only one."""
    if figure in theirs or "_by_" not in figure:
        return theirs.get(figure)
    kind = figure.partition("_by_")[0]
    return next((value for name, value in theirs.items() if name.startswith(f"{kind}_by_")), None)


def _target(text: str, measured: float | None, limit: float, *, least: bool = False) -> Row:
    met = None if measured is None else measured >= limit if least else measured <= limit
    return {"target": text, "measured": measured, "limit": limit, "met": met}


def targets(rows: dict[str, Row]) -> list[Row]:
    """Each promise with the measured value; `met` is None where the run did not measure it."""
    if "countersign" not in rows:
        return []
    first = rows["raw"]["ways"]["raw"]["first_ms"]["median"] if "raw" in rows else None
    ours = flat(rows["countersign"], first)
    against = ratios(rows)
    gradio, chainlit, minimal = (against.get(name, {}) for name in ("gradio", "chainlit", "langchain"))
    lines = [
        _target("first token added over the raw stream, ms", ours["first_token_added_ms"], 40),
        _target("streams at once, p95 under 250 ms behind, on this machine", ours["most_streams"], 100, least=True),
        _target("times (a)'s streams at once", gradio.get("most_streams"), 3, least=True),
        _target("times (b)'s streams at once", chainlit.get("most_streams"), 3, least=True),
        _target("times (c)'s streams at once", minimal.get("most_streams"), 1.5, least=True),
    ]
    for people in (25, 50):
        cpu = f"cpu_s_per_1000_tokens_at_{people}_by_page"
        lines.append(_target(f"share of (a)'s CPU a token, {people} streams", gradio.get(cpu), 0.34))
        lines.append(_target(f"share of (b)'s CPU a token, {people} streams", chainlit.get(cpu), 0.34))
    lines += [
        _target("a late turn's time over that of turn 10", ours["growth_of_a_turn"], 1.2),
        _target("share of (a)'s bytes to the browser an answer", gradio.get("bytes_per_answer_by_page"), 0.1),
        _target("start to first page with data in place, s", ours["start_s"], 1.5),
        _target("times (a)'s idle memory", gradio.get("idle_mb"), 1.5),
    ]
    return lines


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else round(a - b, 1)


def _over(a: float | None, b: float | None) -> float | None:
    return None if a is None or not b else round(a / b, 3)
