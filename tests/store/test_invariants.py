"""Each broken promise is found by its invariant, and a healthy database has none to show."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from store import approvals, credentials, leases, messages
from store.approvals import Approval, Verdict
from store.checkpoints import FencedSaver
from store.invariants import Effect, violations
from store.messages import Content
from store.pool import Connection, Pool
from store.turns import Turn
from tests.store import scenes
from tests.store.scenes import OTHER, OWNER, TENANT


async def test_a_healthy_database_breaks_nothing(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    await _remember(pool, turn, [HumanMessage("hi", id=f"turn_{turn.id}"), *_called("c1"), AIMessage("It is done.")])
    card = await _consumed(connection, turn)
    await leases.finish(connection, turn, "succeeded", Content(text="Deleting it now. It is done."))
    await scenes.running(connection)
    await scenes.waiting(connection)
    effects = [Effect(card.id, OWNER, card.args_jcs)]
    assert await violations(connection, effects, ["no-such-secret"]) == []


@pytest.mark.parametrize(
    ("breakage", "rule"),
    [
        ("delete from messages where role = 'user'", "I1"),
        ("delete from messages where role = 'assistant'", "I2"),
        ("update messages set state = 'draft' where role = 'assistant'", "I2"),
    ],
)
async def test_missing_and_unfinished_messages_are_found(connection: Connection, breakage: str, rule: str) -> None:
    turn = await scenes.running(connection)
    await leases.finish(connection, turn, "succeeded", Content(text="done"))
    await connection.execute(breakage)
    assert _rules(await violations(connection)) == {rule}


async def test_an_answer_that_the_model_did_not_give_is_found(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    await _remember(pool, turn, [HumanMessage("hi", id=f"turn_{turn.id}"), AIMessage("Seven.")])
    await leases.finish(connection, turn, "succeeded", Content(text="hi"))
    assert _rules(await violations(connection)) == {"I2"}


async def test_doubled_and_missing_effects_are_found(connection: Connection) -> None:
    turn = await scenes.running(connection)
    card = await _consumed(connection, turn)
    effect = Effect(card.id, OWNER, card.args_jcs)
    assert _rules(await violations(connection, [effect, effect])) == {"I3"}
    assert _rules(await violations(connection, [])) == {"I3"}
    assert await violations(connection, [effect]) == []


async def test_effects_that_nobody_countersigned_are_found(connection: Connection) -> None:
    turn = await scenes.running(connection)
    card = await _consumed(connection, turn)
    done = Effect(card.id, OWNER, card.args_jcs)
    unsigned = await scenes.pending(connection, turn, "another")
    forged = [
        Effect(unsigned.id, OWNER, unsigned.args_jcs),
        Effect(turn.id, OWNER, card.args_jcs),
    ]
    for effect in forged:
        assert _rules(await violations(connection, [done, effect])) == {"I4"}
    for changed in (Effect(card.id, OTHER, card.args_jcs), Effect(card.id, OWNER, b"{}")):
        assert _rules(await violations(connection, [changed])) == {"I4"}


async def test_turns_that_run_long_after_their_lease_are_found(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await scenes.lose(connection, turn)
    assert await violations(connection, lease_seconds=30) == []
    assert _rules(await violations(connection, lease_seconds=0)) == {"I5"}


async def test_what_an_ended_turn_left_open_is_found(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await scenes.pending(connection, turn)
    await credentials.put(connection, turn.id, b"sealed", 60)
    await messages.save_draft(connection, turn, Content())
    assert await violations(connection) == []
    await connection.execute("update turns set state = 'failed'")
    await connection.execute("update messages set state = 'failed' where role = 'assistant'")
    assert len(await violations(connection)) == 2
    assert _rules(await violations(connection)) == {"I6"}


async def test_a_turn_that_waits_for_nothing_is_found(connection: Connection) -> None:
    await scenes.waiting(connection)
    await connection.execute("update approvals set state = 'denied'")
    assert _rules(await violations(connection)) == {"I6"}


@pytest.mark.parametrize("kind", ["no result", "two results", "result without a call", "result too late"])
async def test_histories_that_a_provider_refuses_are_found(pool: Pool, connection: Connection, kind: str) -> None:
    call, result = _called("c1")
    bad: dict[str, list[BaseMessage]] = {
        "no result": [call],
        "two results": [call, result, ToolMessage("again", tool_call_id="c1")],
        "result without a call": [result],
        "result too late": [call, HumanMessage("wait"), result],
    }
    turn = await scenes.running(connection)
    await _remember(pool, turn, bad[kind])
    await leases.finish(connection, turn, "succeeded", Content())
    assert "I7" in _rules(await violations(connection))


async def test_an_open_call_of_an_active_turn_is_no_fault(pool: Pool, connection: Connection) -> None:
    turn = await scenes.running(connection)
    await _remember(pool, turn, [HumanMessage("hi", id=f"turn_{turn.id}"), _called("c1")[0]])
    assert await violations(connection) == []


async def test_a_turn_that_the_checkpoint_forgot_or_moved_is_found(pool: Pool, connection: Connection) -> None:
    first = await scenes.running(connection)
    await leases.finish(connection, first, "succeeded", Content())
    second = await scenes.claim(connection, await scenes.queued(connection, "t2", first.conversation_id))
    await _remember(pool, second, [HumanMessage("one", id=f"turn_{first.id}")])
    await leases.finish(connection, second, "succeeded", Content())
    assert _rules(await violations(connection)) == {"I8"}
    third = await scenes.claim(connection, await scenes.queued(connection, "t3", first.conversation_id))
    moved = [HumanMessage("three", id=f"turn_{third.id}"), HumanMessage("two", id=f"turn_{second.id}")]
    await _remember(pool, third, moved)
    await leases.finish(connection, third, "failed", Content())
    assert _rules(await violations(connection)) == {"I8"}


async def test_a_fence_that_did_not_grow_is_found(connection: Connection) -> None:
    await scenes.running(connection)
    await connection.execute("alter table turns disable trigger turns_fence")
    await connection.execute("update turns set fence = 0")
    assert _rules(await violations(connection)) == {"I9"}


@pytest.mark.parametrize("stored", ["in clear", "in a checkpoint"])
async def test_stored_secrets_are_found_in_every_table(pool: Pool, connection: Connection, stored: str) -> None:
    turn = await scenes.running(connection)
    if stored == "in clear":
        await messages.save_draft(connection, turn, Content(text="it is eyJhbGciOi.canary, you see"))
    else:
        await _remember(pool, turn, [HumanMessage("eyJhbGciOi.canary")])
    assert _rules(await violations(connection, canaries=["eyJhbGciOi.canary"])) == {"I10"}


def _rules(found: list[str]) -> set[str]:
    return {line.split()[0] for line in found}


async def _consumed(connection: Connection, turn: Turn) -> Approval:
    card = await scenes.pending(connection, turn)
    await approvals.decide(connection, TENANT, OWNER, card.id, card.card_sha256, Verdict("approved", OWNER))
    await approvals.consume(connection, turn, card.id)
    await approvals.record(connection, turn, card.id, {"status": 204}, ok=True)
    return card


async def _remember(pool: Pool, turn: Turn, said: list[BaseMessage]) -> None:
    """Leave these messages, after what was there, as the conversation's newest checkpoint."""

    async def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": said}

    graph = StateGraph(MessagesState)
    graph.add_node("say", node)
    graph.add_edge(START, "say")
    graph.add_edge("say", END)
    compiled = graph.compile(checkpointer=FencedSaver(pool, turn.id, turn.fence))
    config = {"configurable": {"thread_id": str(turn.conversation_id)}}
    await compiled.ainvoke({"messages": []}, config, durability="sync")  # pyright: ignore


def _called(key: str) -> tuple[AIMessage, ToolMessage]:
    call = AIMessage("", tool_calls=[{"name": "get_task", "args": {}, "id": key}])
    return call, ToolMessage("done", tool_call_id=key)
