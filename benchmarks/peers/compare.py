"""All subjects through all measurements, against one model server and one PostgreSQL, in one run."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._lab.database import Databases, postgres
from benchmarks._lab.figures import spread
from benchmarks._lab.machine import machine, versions
from benchmarks._lab.model import model_server
from benchmarks._lab.progress import bounded, say
from benchmarks.peers import incidents, measures, venvs
from benchmarks.peers.ratios import ratios, targets
from benchmarks.peers.subjects import LIMIT, OURS, PEERS, Running, Subject

Row = dict[str, Any]
Report = dict[str, Any]
NO_APPROVAL = "the app of its docs asks nobody before a tool runs"
LOST = "an answer that was cut off is lost: nothing goes on with it"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds behind each median, tokens of an answer, crowds, turns to look at.

    `patience` is how many seconds one measure may take, with the start of what it measures; `processes` is how many
    servers share the most streams in the end.
    """

    rounds: int = 5
    tokens: int = 100
    crowds: tuple[int, ...] = (25, 50)
    marks: tuple[int, ...] = (10, 100, 200)
    open: int = 50
    patience: float = 900.0
    processes: int = 2
    ladder: tuple[int, ...] = (5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200)


class Comparison:
    """One run over everybody. `troubles` are the measures that failed or took too long; their figures are missing."""

    def __init__(self, plan: Plan, databases: Databases, model: str):
        self.plan = plan
        self.databases = databases
        self.model = model
        self.troubles: list[str] = []

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
        name, plan = f"{subject.name} by {wire}", self.plan
        way: Row = {"first_ms": spread([]), "crowds": [measures.silence(n) for n in plan.crowds], "most_streams": {}}
        with self._noted(f"{name}: one process"), self._run(subject, wire) as (running, _):
            with self._noted(f"{name}: first token", plan.patience):
                way["first_ms"] = spread(measures.first_tokens(running, 2 * plan.rounds), 1)
            for index, people in enumerate(plan.crowds):
                with self._noted(f"{name}: {people} streams", plan.patience):
                    way["crowds"][index] = measures.streaming(running, people, plan.rounds)
            self._most(way, running, f"{name}: most streams")
        for count in range(2, 1 if subject is LIMIT else plan.processes + 1):
            with self._noted(f"{name}: {count} processes"), self._run(subject, wire, count) as (running, _):
                self._most(way, running, f"{name}: most streams of {count} processes")
        return way

    def _most(self, way: Row, running: Running, what: str) -> None:
        with self._noted(what, self.plan.patience):
            way["most_streams"][str(len(running.urls))] = measures.most_streams(running, self.plan.ladder)

    def _server(self, subject: Subject) -> Row:
        name, plan, wire = subject.name, self.plan, subject.wires[0]
        row: Row = {"first_start_s": None, "start_s": spread([]), "memory": {}, "growth": []}
        database = self.databases.fresh(name)
        with self._noted(f"{name}: starts", plan.patience):
            starts = [self._start(subject, database) for _ in range(plan.rounds + 1)]
            row |= {"first_start_s": round(starts[0], 2), "start_s": spread(starts[1:])}
        with self._noted(f"{name}: memory", plan.patience), subject.running(self.model, database, wire) as running:
            row["memory"] = measures.memories(running, plan.open)
        with self._noted(f"{name}: a conversation", plan.patience), self._run(subject, wire) as (running, database):
            row["growth"] = measures.growth(running, database, plan.marks)
        return {**row, **self._incidents(subject)}

    def _start(self, subject: Subject, database: str) -> float:
        with subject.running(self.model, database) as running:
            return running.started_s

    def _incidents(self, subject: Subject) -> Row:
        """Approval to effect, and back after a kill, where there is such a thing."""
        name, plan, wire = subject.name, self.plan, subject.wires[-1]
        row: Row = {"approval_ms": None, "approval_why": NO_APPROVAL, "recovery_ms": None, "recovery_why": LOST}
        if subject is OURS or name == "langchain":
            row |= {"approval_ms": spread([]), "approval_why": None}
            with self._noted(f"{name}: approvals", plan.patience), self._run(subject, wire) as (running, database):
                times = asyncio.run(incidents.approvals(running, *incidents.deletions(subject, database, plan.rounds)))
                row["approval_ms"] = spread(times[1:], 1)
        if subject is OURS:
            row |= {"recovery_ms": spread([]), "recovery_why": None}
            with self._noted(f"{name}: kill -9", plan.patience), self._run(subject, wire) as (running, _):
                row["recovery_ms"] = spread(asyncio.run(incidents.recoveries(running, plan.rounds)), 0)
        return row

    @contextmanager
    def _noted(self, what: str, seconds: float | None = None) -> Iterator[None]:
        """Says what is measured; when it fails, or takes longer than `seconds`, that is noted and the rest goes on."""
        say(what)
        try:
            with bounded(seconds) if seconds else nullcontext():
                yield
        except Exception as error:
            self.troubles.append(f"{what}: {type(error).__name__}: {error}"[:500])
            say(f"not measured: {self.troubles[-1]}")

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
        comparison = Comparison(plan, databases, model)
        for name, row in comparison.rows(only):
            rows = report["rows"]
            rows[name] = row
            report |= {"troubles": comparison.troubles, "ratios": ratios(rows), "targets": targets(rows)}
            report["minutes"] = round((time.monotonic() - began) / 60, 1)
            told(report)
    return report
