"""A long conversation about five documents, with a result of a megabyte, as a provider receives it."""

import random
import re
from typing import Any

import pytest

from agent.context import STALE, STUB
from agent.models.usage import estimate_text
from tests.agent.kit import reply
from tests.wire.conftest import LIMITS
from tools.toolset import ToolResult

DOCUMENTS = 5
MEGABYTE = 1_000_000
SNAPSHOT = re.compile(r"snapshot of (d\d) in revision (\d+)")


class Story:
    """What happens in the conversation, and which documents it has read in which revision."""

    def __init__(self, turns: int):
        self._turns = turns
        self._dice = random.Random(7)
        self.newest: dict[str, int] = {}

    def turn(self, number: int) -> tuple[list[Any], dict[str, list[ToolResult]]]:
        """The replies of one turn and what its calls return."""
        replies, answers = [], {"read_document": [], "find_things": []}
        documents = self._dice.sample(range(DOCUMENTS), 3)
        for step in range(self._dice.randint(0, 3)):
            if self._dice.random() < 0.5:
                replies.append(self._read(f"d{documents[step]}", number * 10 + step, answers))
            else:
                size = MEGABYTE if number == self._turns // 2 else self._dice.randint(10, 20_000)
                answers["find_things"].append(ToolResult(ok=True, text="x" * size))
                replies.append(reply("", ("find_things", {"query": f"{number}.{step}"}), reasoning="Hm. " * 50))
        return [*replies, reply("Said. " * self._dice.randint(1, 200))], answers

    def _read(self, doc: str, revision: int, answers: dict[str, list[ToolResult]]) -> Any:
        self.newest[doc] = revision
        text = f"snapshot of {doc} in revision {revision} " + "слово " * self._dice.randint(100, 2_500)
        answers["read_document"].append(ToolResult(ok=True, text=text, data={"id": doc, "revision": revision}))
        return reply("", ("read_document", {"document": doc}))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("turns", [40, pytest.param(300, marks=pytest.mark.long)])
async def test_every_request_is_small_whole_and_current(session, wire, turns):
    story = Story(turns)
    for number in range(turns):
        replies, session.bench.answers = story.turn(number)
        wire.push(*replies)
        before = len(wire.requests)
        assert await session.say(f"question {number} " + "и ещё " * 50) == []
        for request in wire.requests[before:]:
            assert tokens(request.body) <= LIMITS.context
        known = snapshots(wire.requests[-1].messages)
        assert dict(known) == story.newest
        assert len(known) == len(story.newest)
    assert len(story.newest) == DOCUMENTS
    assert wire.refusals == []


def tokens(body: dict[str, Any]) -> int:
    """The history of a request by the product's own measure: four bytes of its words are a token."""
    return sum(estimate_text("".join(words(item))) for item in body.get("messages") or body["input"])


def words(item: Any) -> list[str]:
    """Every text within a message but its keys, ids and roles."""
    if isinstance(item, str):
        return [item]
    if isinstance(item, list):
        return [text for part in item for text in words(part)]
    skipped = {"role", "id", "type", "call_id", "tool_call_id", "status"}
    return [text for key, part in item.items() if key not in skipped for text in words(part)] if item else []


def snapshots(messages: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """The documents that the history shows in full."""
    told = ["".join(words(item)) for item in messages if item.get("role") == "tool" or "output" in item]
    found = [SNAPSHOT.search(text) for text in told if STALE not in text and STUB not in text]
    return [(match[1], int(match[2])) for match in found if match]
