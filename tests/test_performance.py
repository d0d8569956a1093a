"""The performance page is what the benchmarks write from their figures, and its commands exist."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from benchmarks._document import CHART, PAGE, RECORDED, RESULTS, ROOT, page, record
from benchmarks.peers.ratios import ratios, targets
from benchmarks.peers.subjects import LIMIT, OURS, PEERS

SECTIONS = (
    "Promises",
    "Streams",
    "Turns of one conversation",
    "Start, memory, incidents",
    "What is not there",
    "Versions",
)


def spread(value: float) -> dict[str, Any]:
    return {"median": value, "low": value, "high": value, "n": 5}


def row(label: str, wires: tuple[str, ...], cost: float) -> dict[str, Any]:
    names = ("p95_ms", "worst_ms", "cpu_s_per_1000_tokens", "bytes_per_answer")
    crowds = [{"people": people, **{name: spread(cost) for name in names}} for people in (25, 50)]
    way = {"first_ms": spread(50 + cost), "crowds": crowds, "most_streams": {"1": int(100 / cost)}}
    growth = [{"turn": turn, "ms": spread(turn), "live_bytes_a_turn": 9, "resident_mb": 9.0} for turn in (10, 100)]
    memory = {"idle_mb": 100.0, "idle_tree_mb": 90.0, "open_mb": 110.0, "kb_per_open": 20.0}
    server = {"first_start_s": 3.0, "start_s": spread(1.0), "memory": memory, "growth": growth}
    incidents = {"approval_ms": None, "approval_why": "nobody is asked", "recovery_ms": spread(900)}
    return {"label": label, "ways": dict.fromkeys(wires, way), **server, **incidents}


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    rows = {s.name: row(s.label, s.wires, cost) for cost, s in enumerate((LIMIT, OURS, *PEERS), 1)}
    about = {"day": "2026-01-01", "processor": "one", "cores": 2, "memory_gb": 8, "system": "Linux", "python": "3.11"}
    return {
        "plan": {"rounds": 5, "tokens": 100, "crowds": [25, 50], "marks": [10, 100]},
        "machine": {**about, "load_before": 3.0}, "versions": {"gradio": "6"}, "rows": rows,
        "ratios": ratios(rows), "targets": targets(rows),
    }  # fmt: skip


def test_the_page_is_what_the_recorded_figures_say():
    assert (ROOT / PAGE).read_text() == page(json.loads((ROOT / RESULTS).read_text()))


def test_a_recording_writes_every_section_every_subject_and_the_chart(report, tmp_path):
    (tmp_path / CHART).parent.mkdir(parents=True)
    (tmp_path / "benchmarks").mkdir()
    record("peers", report, tmp_path)
    text = (tmp_path / PAGE).read_text()
    assert [section for section in SECTIONS if f"## {section}\n" not in text] == []
    assert [subject.label for subject in (LIMIT, OURS, *PEERS) if f"| {subject.label}" not in text] == []
    assert "nobody is asked" in text
    assert "The machine was busy" in text
    assert ET.fromstring((tmp_path / CHART).read_text()).tag.endswith("svg")


def test_ratios_stand_beside_the_same_way_in_and_promises_say_what_was_kept(report):
    against = report["ratios"]["gradio"]
    assert against["cpu_s_per_1000_tokens_at_25_by_page"] == round(2 / 3, 3)
    kept = {target["target"]: target["met"] for target in report["targets"]}
    assert kept["first token added over the raw stream, ms"] is True
    assert kept["times (a)'s streams at once"] is False


@pytest.mark.parametrize("name", RECORDED)
def test_every_command_of_the_page_knows_its_options(name):
    command = [sys.executable, "-m", "benchmarks", name, "--help"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"--json", "--record"} <= set(re.findall(r"--\w+", told.stdout))
    assert f"python -m benchmarks {name}" in (ROOT / PAGE).read_text()
