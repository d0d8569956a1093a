"""Every tool is reached in both languages, with the right arguments, among distractors in any order."""

import random
import re

import pytest

from tests.agent.demo.phrasings import COMPANIONS, PHRASINGS
from tests.agent.demo.schemas import ALWAYS, NAMES
from tests.agent.demo.world import Chat

CASES = [(tool, text, args) for tool, rows in PHRASINGS.items() for text, args in rows]


def offered(tool: str, text: str) -> list[str]:
    """What a router may answer: the tool, its companions, three others, in an order that depends on the text."""
    chance = random.Random(text)
    needed = [tool, *COMPANIONS.get(tool, ())]
    others = chance.sample([n for n in NAMES if n not in needed and n not in ALWAYS], 3)
    names = [n for n in [*needed, *others] if n not in ALWAYS]
    chance.shuffle(names)
    return names


@pytest.mark.parametrize(("tool", "text", "args"), CASES, ids=[f"{t}-{x[:40]}" for t, x, _ in CASES])
def test_a_phrasing_reaches_its_tool(tool: str, text: str, args: dict) -> None:
    chat = Chat(offered(tool, text))
    said = chat.say(text)
    made = [given for name, given in chat.calls if name == tool]
    assert made, f"calls: {chat.calls}; said: {said}"
    assert {key: made[0].get(key) for key in args} == args
    danger = {n for n, _ in chat.calls if re.match(r"delete_|run_|restore_|cancel_|grant_|revoke_|set_|rollback_", n)}
    assert danger <= {tool}


def test_every_tool_has_two_phrasings_in_each_language() -> None:
    assert set(PHRASINGS) == set(NAMES) - {"ask_user_question", "find_tools"}
    for tool, rows in PHRASINGS.items():
        russian = sum(bool(re.search("[а-я]", text)) for text, _ in rows)
        assert russian >= 2, tool
        assert len(rows) - russian >= 2, tool
    assert len(CASES) >= 132
