"""Many people at once, in a process of their own; a job is one JSON object on standard input, the answer one on output.

{"wire": "api", "urls": [...], "people": 50, "message": "hello", "spread": 1.0, "turns": 1, "options": {}}
"""

import asyncio
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from websockets.exceptions import WebSocketException

from benchmarks._lab.ear import Ear
from benchmarks._lab.figures import percentile
from benchmarks._lab.gradio_wire import GradioApi, GradioPage
from benchmarks._lab.http import HttpError
from benchmarks._lab.wires import ChainlitWire, RawWire, SseWire, Wire

WIRES: dict[str, Any] = {
    "raw": RawWire, "sse": SseWire, "chainlit": ChainlitWire, "api": GradioApi, "page": GradioPage,
}  # fmt: skip
PATIENCE = 60.0
BROKEN = (EOFError, HttpError, LookupError, OSError, RuntimeError, ValueError, WebSocketException, zlib.error)


@dataclass(frozen=True, slots=True)
class Job:
    """Who talks how with whom. `spread` seconds lie between the first person's start and the last one's.

    With `pause` every answer is told at once, and the next message waits for a line on standard input; with `hold` the
    pages stay open until such a line comes.
    """

    wire: str
    urls: list[str]
    people: int = 1
    message: str = "hello"
    spread: float = 1.0
    turns: int = 1
    pause: bool = False
    hold: bool = False
    options: dict[str, Any] | None = None

    def person(self, number: int) -> Wire:
        """The wire of one person; people are dealt to the servers in turn."""
        options = self.options or {}
        headers = options["people"][number % len(options["people"])] if "people" in options else {}
        return WIRES[self.wire](self.urls[number % len(self.urls)], {**options, "headers": headers})


def told(ear: Ear) -> dict[str, Any]:
    """One answer in milliseconds and bytes."""
    return {
        "first_ms": (ear.first - ear.asked) / 1e3 if ear.first else None,
        "whole_ms": (ear.ended - ear.asked) / 1e3 if ear.ended else None,
        "p95_ms": percentile(ear.lags, 0.95) / 1e3 if ear.lags else None,
        "worst_ms": max(ear.lags) / 1e3 if ear.lags else None,
        "tokens": len(ear.lags),
        "bytes": ear.size,
        "error": ear.error,
    }


async def live(job: Job, wire: Wire, number: int, opened: asyncio.Barrier) -> list[Ear]:
    """One person: open the page, wait for the others, then talk."""
    error = await _failure(wire.open())
    await opened.wait()
    await asyncio.sleep(job.spread * number / job.people)
    heard = []
    for _ in range(job.turns):
        ear = await _heard(wire, job.message, error)
        heard.append(ear)
        if job.pause:
            print(json.dumps(told(ear)), flush=True)
            await asyncio.to_thread(sys.stdin.readline)
    return heard


async def _heard(wire: Wire, message: str, error: str | None) -> Ear:
    """What is heard of one answer; whoever could not open the page hears nothing."""
    ear = Ear()

    async def say() -> None:
        nonlocal ear
        ear = await wire.say(message)

    if error := error or await _failure(say()):
        ear.end(error)
    return ear


async def _failure(work: Awaitable[None]) -> str | None:
    """Why the work failed or took too long; None when it went well."""
    try:
        await asyncio.wait_for(work, PATIENCE)
    except BROKEN as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


async def everybody(job: Job) -> list[Ear]:
    """All people, with their pages open until the last has heard his answer (and longer, if they are held)."""
    opened = asyncio.Barrier(job.people)
    wires = [job.person(number) for number in range(job.people)]
    heard = await asyncio.gather(*(live(job, wire, number, opened) for number, wire in enumerate(wires)))
    if job.hold:
        print(json.dumps({"held": True}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*(wire.close() for wire in wires), return_exceptions=True)
    return [ear for ears in heard for ear in ears]


async def crowd(job: Job) -> dict[str, Any]:
    """Everybody's answers, and what is behind: percentiles over all tokens."""
    begun = time.process_time()
    heard = await everybody(job)
    lags = [lag for ear in heard for lag in ear.lags]
    return {
        "answers": [told(ear) for ear in heard],
        "p50_ms": percentile(lags, 0.5) / 1e3 if lags else None,
        "p95_ms": percentile(lags, 0.95) / 1e3 if lags else None,
        "worst_ms": max(lags) / 1e3 if lags else None,
        "tokens": len(lags),
        "errors": [ear.error for ear in heard if ear.error],
        "cpu_s": time.process_time() - begun,
    }


@contextmanager
def spawn(**job: Any) -> "Iterator[subprocess.Popen[str]]":
    """The process, with its job handed over; it is killed when whoever listens to it fails."""
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            yield process
        except BaseException:
            process.kill()
            raise


def run_crowd(**job: Any) -> dict[str, Any]:
    """Run a job in a process of its own and give its answer; raises `RuntimeError` when that process failed."""
    with spawn(**job) as process:
        out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the clients failed with status {process.returncode}")
    return json.loads(out)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(crowd(Job(**json.loads(sys.stdin.readline()))))))
