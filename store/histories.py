"""Do the checkpoints tell the same story as the ledger? (I2, I7 and I8 of `invariants.py`)"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from store.checkpoints import SERDE
from store.pool import Connection

HUMAN = "turn_"  # a turn's HumanMessage has this and the turn's id as its id


@dataclass(frozen=True, slots=True)
class _Ledger:
    """What a conversation's turns say: ids in order, those that succeeded, the last answer.

    Turns that others replaced are `superseded` and nothing else: they stay in a checkpoint until the next turn begins.
    `whole` is false while a turn goes on or ended early: the next one makes the history whole.
    """

    turns: list[str]
    succeeded: list[str]
    whole: bool
    answer: str
    superseded: frozenset[str]


async def violations(connection: Connection) -> list[str]:
    """What is wrong with the newest checkpoint of each conversation that has one."""
    saver = AsyncPostgresSaver(connection, serde=SERDE)
    rows = await connection.execute("select id from conversations order by created_at")
    found = []
    for conversation in [str(row["id"]) for row in await rows.fetchall()]:
        stored = await saver.aget_tuple({"configurable": {"thread_id": conversation}})
        if stored is not None:
            messages = stored.checkpoint["channel_values"].get("messages", [])
            found += _compare(conversation, messages, await _ledger(connection, conversation))
    return found


async def _ledger(connection: Connection, conversation: str) -> _Ledger:
    rows = await connection.execute(
        """
        select t.id::text as id, t.state, coalesce(m.text, '') as answer
        from turns t left join messages m on m.turn_id = t.id and m.role = 'assistant'
        where t.conversation_id::text = %s and t.superseded_by is null order by t.created_at
        """,
        (conversation,),
    )
    turns = await rows.fetchall()
    query = "select id::text as id from turns where conversation_id::text = %s and superseded_by is not null"
    gone = await (await connection.execute(query, (conversation,))).fetchall()
    succeeded = [turn for turn in turns if turn["state"] == "succeeded"]
    return _Ledger(
        turns=[turn["id"] for turn in turns],
        succeeded=[turn["id"] for turn in succeeded],
        whole=bool(turns) and turns[-1]["state"] == "succeeded",
        answer=succeeded[-1]["answer"] if succeeded else "",
        superseded=frozenset(turn["id"] for turn in gone),
    )


def _compare(conversation: str, messages: Sequence[BaseMessage], ledger: _Ledger) -> list[str]:
    found = [f"I7 conversation {conversation}: {fault}" for fault in _unpaired(messages, ledger.whole)]
    humans = [str(m.id).removeprefix(HUMAN) for m in messages if str(m.id).startswith(HUMAN)]
    humans = [turn for turn in humans if turn not in ledger.superseded]
    in_order = [turn for turn in ledger.turns if turn in humans]
    if humans != in_order:
        found.append(f"I8 conversation {conversation}: the checkpoint's turns are not the ledger's, in order")
    if ledger.succeeded and ledger.succeeded[-1] not in humans:
        found.append(f"I8 conversation {conversation}: turn {ledger.succeeded[-1]} is missing in the checkpoint")
    elif ledger.succeeded and not ledger.answer.rstrip().endswith(_answer(messages, ledger.succeeded[-1])):
        found.append(f"I2 conversation {conversation}: the answer is not what the model said last")
    return found


def _unpaired(messages: Sequence[BaseMessage], whole: bool) -> list[str]:
    """Faults that a strict provider refuses: a call without a result right behind it, or a result without a call."""
    faults, waiting = [], Counter[str]()
    for message in messages:
        if isinstance(message, ToolMessage):
            if waiting[message.tool_call_id] == 0:
                faults.append(f"result {message.tool_call_id} has no call")
            waiting[message.tool_call_id] -= 1
            continue
        faults += [f"call {key} has no result" for key, count in waiting.items() if count > 0]
        waiting = Counter(_calls(message))
    if whole:
        faults += [f"call {key} has no result" for key, count in waiting.items() if count > 0]
    return faults


def _calls(message: BaseMessage) -> list[str]:
    if not isinstance(message, AIMessage):
        return []
    calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    return [str(call["id"]) for call in calls]


def _answer(messages: Sequence[BaseMessage], turn: str) -> str:
    """The last words of the model in a turn."""
    said = ""
    mine = False
    for message in messages:
        if isinstance(message, HumanMessage):
            mine = message.id == f"{HUMAN}{turn}"
        elif mine and isinstance(message, AIMessage) and not _calls(message):
            said = str(message.text)
    return said.rstrip()
