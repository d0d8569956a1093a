"""A benchmark comes to its end: what hangs is ended, what fails is noted, and nothing of it is left running."""

import socket
import time
from collections.abc import Iterator

import psutil
import pytest

from benchmarks._document import page
from benchmarks._lab.crowd import run_crowd
from benchmarks._lab.progress import TooLong, bounded
from benchmarks.peers.compare import Comparison, Plan
from benchmarks.peers.measures import streaming
from benchmarks.peers.ratios import ratios, targets
from benchmarks.peers.subjects import LIMIT, OURS, Running, Subject

PLAN = Plan(rounds=1, crowds=(2,), marks=(1,), open=1, patience=1.0, ladder=(2,))


class Broken(Subject):
    """A server that never comes up."""

    def start(self, model, database, folder, number):
        raise RuntimeError("it did not come up")

    def command(self, port: int) -> list[str]:
        return []


class NoDatabases:
    def fresh(self, name: str) -> str:
        return ""


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_what_takes_too_long_is_ended_and_the_clock_is_off_afterwards():
    begun = time.monotonic()
    with pytest.raises(TooLong, match="not done in 0 s"), bounded(0.1):
        time.sleep(10)
    assert time.monotonic() - begun < 5
    with bounded(0.05):
        pass
    time.sleep(0.1)


def test_a_crowd_that_waits_for_a_silent_server_is_ended_with_its_process(silent):
    before = set(psutil.Process().children())
    with pytest.raises(TooLong), bounded(3.0):
        run_crowd(wire="raw", urls=[silent])
    assert set(psutil.Process().children()) <= before


def test_people_who_reach_nobody_are_counted_as_failed():
    with socket.create_server(("127.0.0.1", 0)) as server:
        nobody = f"http://127.0.0.1:{server.getsockname()[1]}"
    heard = run_crowd(wire="api", urls=[nobody], people=2, spread=0.0)
    assert len(heard["errors"]) == 2
    assert heard["tokens"] == 0


def test_a_comparison_goes_on_past_what_cannot_be_measured_and_says_so():
    comparison = Comparison(PLAN, NoDatabases(), "")  # type: ignore[arg-type]
    rows = {LIMIT.name: comparison.row(Broken(LIMIT.name, LIMIT.label, ("raw",)))}
    rows[OURS.name] = comparison.row(Broken(OURS.name, OURS.label, OURS.wires))
    assert len(comparison.troubles) >= 7
    assert all("it did not come up" in trouble for trouble in comparison.troubles)
    about = {"day": "2026-01-01", "processor": "one", "cores": 2, "memory_gb": 8, "system": "Linux", "python": "3.11"}
    report = {
        "plan": {"rounds": 1, "tokens": 1}, "machine": {**about, "load_before": 0.0}, "versions": {}, "rows": rows,
        "troubles": comparison.troubles, "ratios": ratios(rows), "targets": targets(rows),
    }  # fmt: skip
    assert "Not measured in this run: countersign by page: one process: RuntimeError" in page({"peers": report})
    assert not [target for target in report["targets"] if target["met"] is not None]


def test_the_cpu_of_answers_that_failed_is_no_figure():
    running = Running([], [], 0.0)
    running.crowd = lambda **job: {  # type: ignore[method-assign]
        "errors": ["gone"], "tokens": 1, "cpu_s": 9.0, "p95_ms": None, "worst_ms": None, "answers": [],
    }  # fmt: skip
    assert streaming(running, 1, 1)["cpu_s_per_1000_tokens"]["median"] is None
