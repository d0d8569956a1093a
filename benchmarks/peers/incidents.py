"""What only some can do: act after an approval, and go on after the server was killed."""

import asyncio
from typing import Any

import psycopg

from benchmarks._lab import processes
from benchmarks._lab.ear import Ear, now
from benchmarks._lab.gradio_wire import GradioApi
from benchmarks._lab.wires import SseWire
from benchmarks.peers.subjects import OURS, Running, Subject

BOARDS = "select id from workspace.dashboards order by id desc limit %s"


async def approvals(running: Running, ids: list[int], mark: bytes) -> list[float]:
    """Milliseconds from an approval to the result of the call in the client's hands, marked by `mark`."""
    kind = SseWire if running.job["wire"] == "sse" else GradioApi
    times = []
    for number in ids:
        wire: Any = kind(running.urls[0], _first(running))
        await wire.open()
        await wire.say(f"delete {number}")
        ear = await wire.approve(mark)
        await wire.close()
        if ear.marked is None:
            raise RuntimeError(f"the call for {number} did not run")
        times.append((ear.marked - ear.asked) / 1e3)
    return times


def deletions(subject: Subject, database: str, rounds: int) -> tuple[list[int], bytes]:
    """What may be deleted, one more than the rounds, and what tells that it was."""
    if subject is not OURS:
        return list(range(1, rounds + 2)), b"effect-"
    with psycopg.connect(database) as connection:
        return [row[0] for row in connection.execute(BOARDS, (rounds + 1,))], b'"tool_end"'


async def recoveries(running: Running, count: int) -> list[float]:
    """Milliseconds from `kill -9` in the middle of some answers to each one's next token, after a new start."""
    options = _first(running)
    wires = [GradioApi(running.urls[0], options) for _ in range(count)]
    for wire in wires:
        await wire.open()
        await wire.say("short")
    talks = [asyncio.create_task(wire.say("hello")) for wire in wires]
    await asyncio.sleep(1.0)
    killed = now()
    processes.stop(running.pids[0])
    await asyncio.gather(*(wire.close() for wire in wires), *talks, return_exceptions=True)
    url = await asyncio.to_thread(running.restart)
    ears = await asyncio.gather(*(_attached(url, options, wire.conversation or "", killed) for wire in wires))
    return [(ear.first - killed) / 1e3 for ear in ears if ear.first]


async def _attached(url: str, options: dict[str, Any], conversation: str, since: int) -> Ear:
    wire = GradioApi(url, options)
    wire.conversation = conversation
    await wire.open()
    ear = await wire.call(Ear(newest=since), action="attach")
    await wire.close()
    return ear


def _first(running: Running) -> dict[str, Any]:
    """What the wire of the first person is told."""
    options = running.job.get("options") or {}
    return {**options, "headers": options.get("people", [{}])[0]}
