"""What a turn costs as its conversation grows: time and stored bytes, beside plain LangGraph with its PostgresSaver.

Both run the same graph shape (choose, ask the model, run a tool, ask again) with the same model, which answers at once,
about 4 KB of messages a turn, `durability="sync"`, on the same PostgreSQL. Ours does everything that a turn does:
accept, lease, transcript, drafts, prune. The plain one only runs its graph; it gets slow, so it stops early.
"""

import argparse
import asyncio
import base64
import json
import os
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from psycopg import AsyncConnection

from store.embedded import EmbeddedPostgres
from store.migrate import upgrade
from store.person import SERVICE, act_for
from store.pool import Pool, open_pool
from tests.agent.assembly import House, Line, PlayedChat, line

MARKS = (10, 100, 1_000, 2_000)
PLAIN = 200
AROUND = 9
TARGETS = {"ratio": 1.3, "live_bytes": 100_000}
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
LIVE = """
    select (select coalesce(sum(pg_column_size(checkpoint) + pg_column_size(metadata)), 0) from checkpoints)
        + (select coalesce(sum(pg_column_size(blob)), 0) from checkpoint_blobs)
        + (select coalesce(sum(pg_column_size(blob)), 0) from checkpoint_writes) as live,
        (select sum(pg_total_relation_size(name::regclass)) from unnest(%s::text[]) name) as disk
"""
Turn = Callable[[], Awaitable[None]]


def words() -> str:
    """A kilobyte that does not compress."""
    return base64.b64encode(os.urandom(768)).decode()


def replies() -> list[Line]:
    """What the model says in one turn."""
    return [line("", ("find_things", {"query": "d"})), line(words())]


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[tuple[Pool, Turn]]:
    """A whole turn of the product, until nothing of it is left to do; without the pauses between looks at a stream."""
    await asyncio.to_thread(upgrade, url)
    pool = await open_pool(url)
    house = House(pool, url)
    for number in range(100):
        house.shelf.put(f"d-{number}", words()[:8])
    worker = house.turns._worker
    place: str | None = None

    async def turn() -> None:
        nonlocal place
        place = (await house.say(words(), *replies(), to=place)).conversation_id
        assert await worker._claim()
        await asyncio.gather(*worker._tasks)
        house.chat.sent.clear()

    try:
        yield pool, turn
        assert await house.faults() == []
        assert not house.chat.lines
    finally:
        await pool.close()


@asynccontextmanager
async def plain(url: str) -> AsyncIterator[tuple[Pool, Turn]]:
    """A turn of the graph that people write first."""
    pool = await open_pool(url)
    saver = AsyncPostgresSaver(pool)
    await saver.setup()
    chat = PlayedChat()
    graph = _graph(chat).compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "growth"}}

    async def turn() -> None:
        chat.lines += replies()
        await graph.ainvoke({"messages": [HumanMessage(words())]}, config, durability="sync")
        chat.sent.clear()

    try:
        yield pool, turn
    finally:
        await pool.close()


def _graph(chat: PlayedChat) -> StateGraph[Any]:
    async def select_tools(state: MessagesState) -> dict[str, Any]:
        return {}

    async def model(state: MessagesState) -> dict[str, Any]:
        chunks = [chunk async for chunk in chat.astream(state["messages"])]
        message = chunks[0]
        for chunk in chunks[1:]:
            message += chunk
        assert isinstance(message, AIMessage)
        call_id = uuid.uuid4().hex
        calls = [{**call, "id": call_id} for call in message.tool_calls]
        return {"messages": [AIMessage(message.content, tool_calls=calls)]}

    async def execute(state: MessagesState) -> dict[str, Any]:
        last = state["messages"][-1]
        assert isinstance(last, AIMessage)
        return {"messages": [ToolMessage(words(), tool_call_id=call["id"]) for call in last.tool_calls]}

    graph = StateGraph(MessagesState)
    graph.add_node("select_tools", select_tools)
    graph.add_node("model", model)
    graph.add_node("execute", execute)
    graph.add_edge(START, "select_tools")
    graph.add_edge("select_tools", "model")
    graph.add_conditional_edges("model", lambda s: "execute" if s["messages"][-1].tool_calls else END)
    graph.add_edge("execute", "model")
    return graph


async def grow(pool: Pool, turn: Turn, marks: list[int]) -> list[dict[str, Any]]:
    """Milliseconds of a turn (median and best of nine around each mark) and bytes stored at the mark."""
    times, sizes = [], {}
    last = max(marks)
    for number in range(1, last + AROUND // 2 + 1):
        begin = time.perf_counter()
        await turn()
        times.append((time.perf_counter() - begin) * 1e3)
        if number in marks:
            sizes[number] = await stored(pool)
    return [{"turn": mark, **around(times, mark), **sizes[mark]} for mark in marks]


def around(times: list[float], mark: int) -> dict[str, float]:
    """The turns about a mark; on a busy machine the best tells more than the median."""
    first = max(0, mark - 1 - AROUND // 2)
    some = times[first : first + AROUND]
    return {"ms": round(statistics.median(some), 1), "best_ms": round(min(some), 1)}


async def stored(pool: Pool) -> dict[str, int]:
    """Bytes of all checkpoints as they are, and what their tables take on the disk, dead rows included."""
    async with pool.connection() as connection:
        row = await (await connection.execute(LIVE, (list(TABLES),))).fetchone()
    assert row is not None
    return {"live_bytes": int(row["live"]), "disk_bytes": int(row["disk"])}


async def measure(server: str, marks: list[int], stop: int) -> dict[str, Any]:
    """Both, one after the other, each in a database of its own."""
    rows = {}
    for name, made, wanted in (
        ("ours", ours, marks),
        ("plain", plain, sorted({m for m in marks if m <= stop} | {stop})),
    ):
        async with await AsyncConnection.connect(server, autocommit=True) as connection:
            await connection.execute(f"create database growth_{name}")  # type: ignore[arg-type]
        with act_for(SERVICE):
            async with made(server.replace("/postgres?", f"/growth_{name}?")) as (pool, turn):
                rows[name] = await grow(pool, turn, wanted)
    return rows


def report(marks: list[int], stop: int) -> dict[str, Any]:
    """All figures and whether they meet the targets."""
    with tempfile.TemporaryDirectory(prefix="countersign-growth-") as folder:
        Path(folder).chmod(0o755)  # the database server may run as another user
        embedded = EmbeddedPostgres(Path(folder) / "data")
        try:
            rows = asyncio.run(measure(embedded.start(), marks, stop))
        finally:
            embedded.stop()
    ratio = round(rows["ours"][-1]["ms"] / rows["ours"][0]["ms"], 2)
    live = max(row["live_bytes"] for row in rows["ours"])
    return {
        "benchmark": "growth",
        "targets": TARGETS,
        "met": {"ratio": ratio <= TARGETS["ratio"], "live_bytes": live < TARGETS["live_bytes"]},
        "ratio": ratio,
        "plain_ratio": round(rows["plain"][-1]["ms"] / rows["plain"][0]["ms"], 2),
        "plain_stopped_at": stop,
        **rows,
    }


def main(argv: list[str]) -> int:
    """`python -m benchmarks growth [--json]`."""
    parser = argparse.ArgumentParser(prog="benchmarks growth", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    parser.add_argument("--turns", type=int, default=MARKS[-1], help="how long our conversation gets")
    parser.add_argument("--plain", type=int, default=PLAIN, help="where the plain one stops, which slows down")
    options = parser.parse_args(argv)
    marks = sorted({mark for mark in MARKS if mark <= options.turns} | {options.turns})
    print(json.dumps(report(marks, options.plain), indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
