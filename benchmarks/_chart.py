"""A chart of two panels: CPU a token, and streams at once; bars, by subject."""

from html import escape
from typing import Any

WIDTH, BAR, GAP, LEFT, PANEL = 720, 22, 10, 250, 30
OURS, OTHERS = "#1f6f5c", "#9aa5a1"
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.h{font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}}"
)


def chart(rows: dict[str, dict[str, Any]]) -> str:
    """The SVG."""
    people = max(
        (c["people"] for row in rows.values() for way in row["ways"].values() for c in way["crowds"]), default=0
    )
    panels = [
        (f"Server CPU, seconds per 1,000 tokens at {people} streams (less is better)", _bars(rows, _cpu)),
        (
            "Streams at once under 250 ms behind, the better of one and two processes (more is better)",
            _bars(rows, _most),
        ),
    ]
    drawn, top = [], 10
    for title, bars in panels:
        drawn.append(_panel(title, bars, top))
        top += PANEL + len(bars) * (BAR + GAP) + 20
    size = f'width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}"'
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'><style>{STYLE}</style>{''.join(drawn)}</svg>\n"


def _bars(rows: dict[str, dict[str, Any]], value: Any) -> list[tuple[str, float]]:
    return [
        (f"{row['label']}, {name}", value(way)) for key, row in rows.items() if key != "raw"
        for name, way in row["ways"].items()
    ]  # fmt: skip


def _cpu(way: dict[str, Any]) -> float:
    return way["crowds"][-1]["cpu_s_per_1000_tokens"]["median"] or 0.0


def _most(way: dict[str, Any]) -> float:
    return max(way["most_streams"].values(), default=0)


def _panel(title: str, bars: list[tuple[str, float]], top: int) -> str:
    longest = max((value for _, value in bars), default=0) or 1
    lines = [f'<text class="h" x="0" y="{top + 12}">{escape(title)}</text>']
    for number, (label, value) in enumerate(bars):
        y = top + PANEL + number * (BAR + GAP)
        width = max(1, round((WIDTH - LEFT - 70) * value / longest))
        fill = OURS if label.startswith("Countersign") else OTHERS
        lines.append(f'<text x="0" y="{y + 15}">{escape(label)}</text>')
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{width}" height="{BAR}" rx="3" fill="{fill}"/>')
        lines.append(f'<text x="{LEFT + width + 6}" y="{y + 15}">{value:g}</text>')
    return "".join(lines)
