"""A conversation of 300 turns about five documents, with one huge result: every request is small, whole and current."""

import random

from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from agent.calls import mark
from agent.context import STALE, STUB, estimate
from agent.model import ModelClient
from tests.agent.histories import assert_paired, full_snapshots
from tests.agent.kit import QUICK, ScriptedChat, Session, reply
from tools.toolset import ToolResult

TURNS = 300
DOCUMENTS = 5


def script(dice: random.Random):
    """Replies and tool results: each turn reads a document, looks something up, or only talks."""
    replies, answers = [], {"read_document": [], "find_things": []}
    for turn in range(TURNS):
        documents = dice.sample(range(DOCUMENTS), 3)
        for step in range(dice.randint(0, 3)):
            if dice.random() < 0.5:
                doc = f"d{documents[step]}"
                replies.append(reply("", ("read_document", {"document": doc})))
                text = f"{doc} in revision {turn} " + "слово " * dice.randint(100, 3_000)
                data = {"id": doc, "revision": turn}
                answers["read_document"].append(ToolResult(ok=True, text=text, data=data))
            else:
                replies.append(reply("", ("find_things", {"query": f"{turn}.{step}"})))
                size = 1_000_000 if turn == 150 else dice.randint(10, 20_000)
                answers["find_things"].append(ToolResult(ok=True, text="x" * size))
        replies.append(reply("Said. " * dice.randint(1, 200)))
    return replies, answers


async def test_three_hundred_turns_stay_within_the_budget():
    replies, answers = script(random.Random(7))
    chat = ScriptedChat(replies=replies)
    session = Session(InMemorySaver(), ModelClient(chat, "scripted", QUICK))
    session.bench.answers = answers
    for turn in range(TURNS):
        assert await session.say(f"question {turn} " + "и ещё " * 50) == []
    sizes = [sum(map(estimate, sent)) for sent in chat.sent]
    assert max(sizes) <= QUICK.context
    assert len(chat.sent) == len(session.bench.ran) + TURNS
    for sent in chat.sent:
        assert_paired(sent)
        assert max(full_snapshots(sent).values(), default=0) <= 1
        assert sent[0].type == "system"
    assert len(await session.messages()) < 200


async def test_every_document_that_was_read_is_there_once_and_in_its_newest_revision():
    replies, answers = script(random.Random(11))
    chat = ScriptedChat(replies=replies)
    session = Session(InMemorySaver(), ModelClient(chat, "scripted", QUICK))
    session.bench.answers = answers
    for turn in range(60):
        await session.say(f"question {turn}")
    newest: dict[str, int] = {}
    for message in await session.messages():
        if shot := mark(message if isinstance(message, ToolMessage) else None, "snapshot"):
            newest[shot["doc"]] = max(newest.get(shot["doc"], 0), shot["revision"])
    held = [m for m in chat.sent[-1] if isinstance(m, ToolMessage) and m.content not in {STALE, STUB}]
    shots = [shot for m in held if (shot := mark(m, "snapshot"))]
    assert {shot["doc"]: shot["revision"] for shot in shots} == newest
    assert len(shots) == len(newest) == DOCUMENTS
