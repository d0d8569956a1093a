"""The fenced saver: a worker that lost its turn writes no checkpoint, and a checkpoint never becomes code."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import ormsgpack
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_SINGLE_ARG
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from store import leases, turns
from store.checkpoints import SERDE, FencedSaver, forget, prune
from store.errors import LostLease
from store.messages import Content
from store.pool import Connection, Pool, open_pool
from store.turns import Turn
from tests.store import scenes


async def test_a_paused_worker_cannot_erase_later_turns(pool: Pool, connection: Connection) -> None:
    old, resume_old = await _pause_in_the_middle(pool, connection, fenced=True)
    second = await _finish_two_turns(pool, connection, old)
    with pytest.raises(LostLease):
        await resume_old()
    assert await _humans(pool, second) == ["first", "second"]


async def test_without_the_fence_the_same_worker_does_erase_them(pool: Pool, connection: Connection) -> None:
    old, resume_old = await _pause_in_the_middle(pool, connection, fenced=False)
    second = await _finish_two_turns(pool, connection, old)
    await resume_old()
    assert await _humans(pool, second) == ["first"]


async def test_an_ended_turn_takes_no_more_checkpoints(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    await leases.finish(connection, turn, "succeeded", Content())
    with pytest.raises(LostLease):
        await _say(pool, turn, "late")
    assert await _humans(pool, turn) == []


async def test_a_saver_writes_only_to_the_conversation_of_its_turn(pool: Pool, connection: Connection) -> None:
    turn, other = await scenes.running(connection), await scenes.running(connection)
    graph = _graph().compile(checkpointer=FencedSaver(pool, turn.id, turn.fence))
    with pytest.raises(LostLease):
        await graph.ainvoke({"messages": [HumanMessage("x")]}, _config(other), durability="sync")


async def test_an_interrupted_turn_goes_on_with_another_worker(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    graph = _asking_graph().compile(checkpointer=FencedSaver(pool, turn.id, turn.fence))
    paused = await graph.ainvoke({"messages": [HumanMessage("x")]}, _config(turn), durability="sync")
    asked = paused["__interrupt__"][0]
    await leases.wait(connection, turn, "waiting_approval", Content())
    await turns.resume(connection, turn.id)
    turn = await scenes.claim(connection, turn)
    graph = _asking_graph().compile(checkpointer=FencedSaver(pool, turn.id, turn.fence))
    done = await graph.ainvoke(Command(resume={asked.id: "yes"}), _config(turn), durability="sync")
    assert done["messages"][-1].content == "you said yes"


async def test_pruning_keeps_the_newest_checkpoint_and_what_waits_on_it(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    saver = FencedSaver(pool, turn.id, turn.fence)
    graph = _asking_graph().compile(checkpointer=saver)
    paused = await graph.ainvoke({"messages": [HumanMessage("x")]}, _config(turn), durability="sync")
    assert await _count(connection, turn.conversation_id) > 1
    await prune(pool, turn.conversation_id)
    assert await _count(connection, turn.conversation_id) == 1
    resume = Command(resume={paused["__interrupt__"][0].id: "no"})
    done = await graph.ainvoke(resume, _config(turn), durability="sync")
    assert done["messages"][-1].content == "you said no"


async def test_prunes_of_one_conversation_at_once_all_succeed(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    for number in range(5):
        await _say(pool, turn, f"m{number}")
    await asyncio.gather(*(prune(pool, turn.conversation_id) for _ in range(4)))
    assert await _count(connection, turn.conversation_id) == 1


async def test_forgetting_leaves_nothing(pool: Pool, connection: Connection) -> None:
    turn, kept = await scenes.running(connection), await scenes.running(connection)
    await _say(pool, turn, "x")
    await _say(pool, kept, "y")
    await forget(pool, [turn.conversation_id])
    assert await _count(connection, turn.conversation_id) == 0
    assert await _humans(pool, kept) == ["y"]


async def test_a_blocked_turn_does_not_hold_up_the_checkpoints_of_another(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=8)
    async with pool.connection() as connection:
        blocked, free = await scenes.running(connection), await scenes.running(connection)
        async with connection.transaction():
            await connection.execute("select 1 from turns where id = %s for update", (blocked.id,))
            stuck = asyncio.create_task(_say(pool, blocked, "x"))
            await _say(pool, free, "y")
            assert not stuck.done()
        await stuck
    assert await _humans(pool, blocked) == ["x"]
    await pool.close()


async def test_a_turn_is_not_taken_over_in_the_middle_of_a_checkpoint(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection, seconds=0)
    async with pool.connection() as other, other.transaction():
        await other.execute("lock table checkpoints in share mode")
        saving = asyncio.create_task(_say(pool, turn, "x"))
        await _until_somebody_waits(connection)
        assert await leases.claim(connection, "b", seconds=30, run_seconds=600) is None
    await saving
    assert (await scenes.claim(connection, turn)).fence == turn.fence + 1


async def test_a_forged_checkpoint_is_data_and_never_runs(pool: Pool, connection: Connection, tmp_path: Path) -> None:
    turn = await scenes.running(connection)
    await _say(pool, turn, "x")
    marker = tmp_path / "ran"
    code = ormsgpack.packb(("os", "system", f"touch {marker}"))
    forged = ormsgpack.packb([ormsgpack.Ext(EXT_CONSTRUCTOR_SINGLE_ARG, code)])
    await connection.execute("update checkpoint_blobs set blob = %s where channel = 'messages'", (forged,))
    saver = FencedSaver(pool, turn.id, turn.fence)
    found = await saver.aget_tuple(_config(turn))
    assert found is not None
    assert found.checkpoint["channel_values"]["messages"] == [f"touch {marker}"]
    assert not _exists(marker)


async def _until_somebody_waits(connection: Connection) -> None:
    mine = "database = (select oid from pg_database where datname = current_database())"
    async with asyncio.timeout(20):
        while not await (await connection.execute(f"select 1 from pg_locks where not granted and {mine}")).fetchone():
            pass


def _exists(path: Path) -> bool:
    return path.exists()


async def _pause_in_the_middle(pool: Pool, connection: Connection, *, fenced: bool) -> tuple[Turn, Any]:
    """A worker that is paused inside a node of its turn; the callable lets it go on and waits for its end."""
    turn = await scenes.running(connection)
    saver = FencedSaver(pool, turn.id, turn.fence) if fenced else AsyncPostgresSaver(pool, serde=SERDE)
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def pause(state: MessagesState) -> dict[str, Any]:
        reached.set()
        await go_on.wait()
        return {"messages": [AIMessage("from the paused worker")]}

    graph = _graph(pause).compile(checkpointer=saver)
    message = {"messages": [HumanMessage("first", id="turn-1")]}
    task = asyncio.create_task(graph.ainvoke(message, _config(turn), durability="sync"))
    await reached.wait()

    async def resume() -> None:
        go_on.set()
        await task

    return turn, resume


async def _finish_two_turns(pool: Pool, connection: Connection, paused: Turn) -> Turn:
    await scenes.lose(connection, paused)
    taken = await scenes.claim(connection, paused)
    await _go_on(pool, taken)
    await leases.finish(connection, taken, "succeeded", Content())
    second = await scenes.queued(connection, "t2", paused.conversation_id)
    second = await scenes.claim(connection, second)
    await _say(pool, second, "second")
    return second


async def _say(pool: Pool, turn: Turn, text: str) -> None:
    graph = _graph().compile(checkpointer=FencedSaver(pool, turn.id, turn.fence))
    await graph.ainvoke({"messages": [HumanMessage(text)]}, _config(turn), durability="sync")


async def _go_on(pool: Pool, turn: Turn) -> None:
    graph = _graph().compile(checkpointer=FencedSaver(pool, turn.id, turn.fence))
    assert (await graph.aget_state(_config(turn))).tasks
    await graph.ainvoke(None, _config(turn), durability="sync")


async def _humans(pool: Pool, turn: Turn) -> list[Any]:
    found = await AsyncPostgresSaver(pool, serde=SERDE).aget_tuple(_config(turn))
    if found is None:
        return []
    return [message.content for message in found.checkpoint["channel_values"]["messages"] if message.type == "human"]


async def _count(connection: Connection, conversation_id: UUID) -> int:
    query = "select count(*) as n from checkpoints where thread_id = %s"
    row = await (await connection.execute(query, (str(conversation_id),))).fetchone()
    return row["n"] if row else 0


def _config(turn: Turn) -> RunnableConfig:
    return {"configurable": {"thread_id": str(turn.conversation_id)}}


async def _answer(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("answer")]}


async def _ask(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"you said {interrupt({'kind': 'question'})}")]}


def _graph(node: Any = _answer) -> StateGraph[Any]:
    graph = StateGraph(MessagesState)
    graph.add_node("model", node)
    graph.add_edge(START, "model")
    graph.add_edge("model", END)
    return graph


def _asking_graph() -> StateGraph[Any]:
    return _graph(_ask)
