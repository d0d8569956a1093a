"""All subjects through all measurements, against one model server and one PostgreSQL, in one run."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._lab.database import Databases, postgres
from benchmarks._lab.figures import spread
from benchmarks._lab.machine import machine, versions
from benchmarks._lab.model import model_server
from benchmarks.peers import incidents, measures, venvs
from benchmarks.peers.ratios import ratios, targets
from benchmarks.peers.subjects import LIMIT, OURS, PEERS, Running, Subject

Row = dict[str, Any]
Report = dict[str, Any]
NO_APPROVAL = "the app of its docs asks nobody before a tool runs"
LOST = "an answer that was cut off is lost: nothing goes on with it"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds behind each median, tokens of an answer, crowds, and turns to look at."""

    rounds: int = 5
    tokens: int = 100
    crowds: tuple[int, ...] = (25, 50)
    marks: tuple[int, ...] = (10, 100, 200)
    open: int = 50
    ladder: tuple[int, ...] = (5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200)


class Comparison:
    """One run over everybody."""

    def __init__(self, plan: Plan, databases: Databases, model: str):
        self.plan = plan
        self.databases = databases
        self.model = model

    def rows(self, only: set[str]) -> Iterator[tuple[str, Row]]:
        """The figures of one subject after the other, by name, the limit first; an empty `only` means everybody."""
        for subject in (LIMIT, OURS, *PEERS):
            if not only or subject.name in only:
                yield subject.name, self.row(subject)

    def row(self, subject: Subject) -> Row:
        """One subject through all measurements."""
        row: Row = {"label": subject.label, "ways": {wire: self._way(subject, wire) for wire in subject.wires}}
        return row if subject is LIMIT else {**row, **self._server(subject)}

    def _way(self, subject: Subject, wire: str) -> Row:
        """Streams by one way in: first token, crowds, and the most at once with one process and with two."""
        _say(f"{subject.name} by {wire}: streams")
        plan = self.plan
        with self._run(subject, wire) as (running, _):
            way: Row = {
                "first_ms": spread(measures.first_tokens(running, 2 * plan.rounds), 1),
                "crowds": [measures.streaming(running, people, plan.rounds) for people in plan.crowds],
            }
            _say(f"{subject.name} by {wire}: most streams")
            most = {"1": measures.most_streams(running, plan.ladder)}
        if subject is not LIMIT:
            with self._run(subject, wire, 2) as (running, _):
                most["2"] = measures.most_streams(running, plan.ladder)
        return {**way, "most_streams": most}

    def _server(self, subject: Subject) -> Row:
        _say(f"{subject.name}: start, memory, growth, incidents")
        wire = subject.wires[0]
        database = self.databases.fresh(subject.name)
        starts = [self._start(subject, database) for _ in range(self.plan.rounds + 1)]
        with subject.running(self.model, database, wire) as running:
            memory = measures.memories(running, self.plan.open)
        with self._run(subject, wire) as (running, database):
            growth = measures.growth(running, database, self.plan.marks)
        return {
            "first_start_s": round(starts[0], 2),
            "start_s": spread(starts[1:]),
            "memory": memory,
            "growth": growth,
            **self._incidents(subject),
        }

    def _start(self, subject: Subject, database: str) -> float:
        with subject.running(self.model, database) as running:
            return running.started_s

    def _incidents(self, subject: Subject) -> Row:
        row: Row = {"approval_ms": None, "approval_why": NO_APPROVAL, "recovery_ms": None, "recovery_why": LOST}
        if subject.name == "langchain":
            with self._run(subject, "sse") as (running, _):
                times = asyncio.run(incidents.approvals(running, list(range(1, self.plan.rounds + 2)), b"effect-"))
            return {**row, "approval_ms": spread(times[1:], 1), "approval_why": None}
        if subject is OURS:
            with self._run(subject, "api") as (running, database):
                boards = incidents.dashboards(database, self.plan.rounds + 1)
                times = asyncio.run(incidents.approvals(running, boards, b'"tool_end"'))
                back = asyncio.run(incidents.recoveries(running, self.plan.rounds))
            row = {"approval_ms": spread(times[1:], 1), "recovery_ms": spread(back, 0)}
        return row

    @contextmanager
    def _run(self, subject: Subject, wire: str, count: int = 1) -> Iterator[tuple[Running, str]]:
        """A subject over an empty database."""
        database = self.databases.fresh(subject.name)
        with subject.running(self.model, database, wire, count) as running:
            running.crowd(people=2, message="short")  # what is loaded at the first answer is not measured
            yield running, database


def compare(plan: Plan, only: set[str], told: Callable[[Report], None]) -> Report:
    """The whole report; `told` also gets what is known after each subject."""
    report: Report = {
        "benchmark": "peers",
        "plan": {"rounds": plan.rounds, "tokens": plan.tokens, "crowds": plan.crowds, "marks": plan.marks},
        "machine": machine(),
        "versions": {**versions(), **{name: venvs.version(venvs.python(name), name) for name in venvs.PACKAGES}},
        "rows": {},
    }
    began = time.monotonic()
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="bench-model-")))
        databases = ends.enter_context(postgres())
        model = ends.enter_context(model_server(folder, plan.tokens))
        for name, row in Comparison(plan, databases, model).rows(only):
            rows = report["rows"]
            rows[name] = row
            report |= {"ratios": ratios(rows), "targets": targets(rows)}
            report["minutes"] = round((time.monotonic() - began) / 60, 1)
            told(report)
    return report


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)
