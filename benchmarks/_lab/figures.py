"""Medians with their spread, and percentiles."""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value that at least `part` of all are not above."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


def spread(values: Iterable[float | None], digits: int = 2) -> dict[str, Any]:
    """Median, least and greatest of what was measured, and how often."""
    known = [value for value in values if value is not None]
    if not known:
        return {"median": None, "low": None, "high": None, "n": 0}
    low, high = min(known), max(known)
    return {
        "median": round(statistics.median(known), digits), "low": round(low, digits), "high": round(high, digits),
        "n": len(known),
    }  # fmt: skip
