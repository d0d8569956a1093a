"""The measurements. Each takes a running server and gives plain numbers, so that rounds can be put together."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks._lab import processes
from benchmarks._lab.crowd import spawn
from benchmarks._lab.database import live_bytes
from benchmarks._lab.figures import spread
from benchmarks._lab.progress import say
from benchmarks.peers.subjects import Running

BEHIND_MS = 250.0
WINDOW = 5
OF_A_CROWD = ("p95_ms", "worst_ms", "cpu_s_per_1000_tokens", "bytes_per_answer")


def silence(people: int) -> dict[str, Any]:
    """The row of a crowd that could not be measured."""
    return {"people": people, **{figure: spread([]) for figure in OF_A_CROWD}, "errors": [], "failed": None}


def first_tokens(running: Running, rounds: int) -> list[float | None]:
    """Milliseconds from asking to the first token, one person after another, each in a new conversation."""
    heard = running.crowd(people=rounds + 1, message="short", spread=0.4 * (rounds + 1))
    return [answer["first_ms"] for answer in heard["answers"][1:]]


def streaming(running: Running, people: int, rounds: int) -> dict[str, Any]:
    """So many people at once: how far behind, what it costs, what it sends."""
    runs = [running.crowd(people=people) for _ in range(rounds)]
    return {
        "people": people,
        "p95_ms": spread(run["p95_ms"] for run in runs),
        "worst_ms": spread(run["worst_ms"] for run in runs),
        "cpu_s_per_1000_tokens": spread((_cpu(running, run) for run in runs), 3),
        "bytes_per_answer": spread((answer["bytes"] for run in runs for answer in run["answers"]), 0),
        "errors": sorted({error for run in runs for error in run["errors"]})[:5],
        "failed": sum(len(run["errors"]) for run in runs),
    }


def _cpu(running: Running, run: dict[str, Any]) -> float | None:
    """CPU seconds of the servers for 1,000 tokens; where there are none, of the client; None if an answer failed."""
    if run["errors"]:
        return None
    return 1000 * (run["server_cpu_s"] if running.pids else run["cpu_s"]) / max(run["tokens"], 1)


def keeps_up(running: Running, people: int) -> bool:
    """Whether so many streams stay under the limit: all whole, 95 of 100 tokens in time; median of three.

    One run decides when it is far from the limit.
    """
    behind = [_behind(running, people)]
    if BEHIND_MS * 0.6 < behind[0] < BEHIND_MS * 1.8:
        behind += [_behind(running, people), _behind(running, people)]
    return sorted(behind)[len(behind) // 2] < BEHIND_MS


def _behind(running: Running, people: int) -> float:
    run = running.crowd(people=people)
    behind = math.inf if run["errors"] or run["p95_ms"] is None else run["p95_ms"]
    say(f"  {people} at once: {behind:.0f} ms behind, {len(run['errors'])} failed")
    return behind


def most_streams(running: Running, ladder: Sequence[int]) -> int:
    """The highest step of the ladder that is kept up with; 0 when not even the first is."""
    low, high = -1, len(ladder)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps_up(running, ladder[middle]) else (low, middle)
    return ladder[low] if low >= 0 else 0


def growth(running: Running, database: str, marks: tuple[int, ...]) -> list[dict[str, Any]]:
    """One conversation: milliseconds, live bytes and resident megabytes a turn around the given turns.

    An answer comes in one burst, so that the time is the server's.
    """
    job = {**running.job, "urls": running.urls, "message": "burst", "turns": max(marks), "pause": True}
    rows, times, empty = [], [], live_bytes(database)
    with spawn(**job) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for turn in range(1, max(marks) + 1):
            times.append(json.loads(process.stdout.readline())["whole_ms"])
            if turn in marks:
                say(f"  turn {turn}: {times[-1]:.0f} ms")
                live = live_bytes(database) - empty
                last = times[-2 * WINDOW :] if turn > WINDOW else times
                rows.append({"turn": turn, "ms": spread(last, 1), "live_bytes_a_turn": live // turn,
                             "resident_mb": round(processes.resident(running.pids), 1)})  # fmt: skip
            process.stdin.write("\n")
            process.stdin.flush()
        process.communicate()
    return rows


def memories(running: Running, conversations: int) -> dict[str, float]:
    """Megabytes at rest and with conversations open after one turn each, and kilobytes for each of these."""
    idle, tree = processes.resident(running.pids), processes.memory(running.pids)
    with held(running, people=conversations, message="short", spread=conversations / 20):
        opened = processes.resident(running.pids)
    return {
        "idle_mb": round(idle, 1),
        "idle_tree_mb": round(tree, 1),
        "open_mb": round(opened, 1),
        "kb_per_open": round(1000 * (opened - idle) / conversations, 1),
    }


@contextmanager
def held(running: Running, **job: Any) -> Iterator[None]:
    """A crowd that has talked and keeps its pages open."""
    with spawn(urls=running.urls, **{**running.job, "hold": True, **job}) as process:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise RuntimeError("the crowd did not come together")
        yield
        process.communicate("\n")
