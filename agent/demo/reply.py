"""One answer of the demo model to a conversation: text, or calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from langchain_core.messages import BaseMessage

from agent.demo.language import language
from agent.demo.memory import remember
from agent.demo.plan import next_of
from agent.demo.reading import read
from agent.demo.schemas import bound, fits
from agent.demo.smalltalk import UNFINISHED, reply
from agent.demo.steps import Call, Desk
from agent.demo.wording import worded

MOST_CALLS = 40
LONGEST_TEXT = 4_000


@dataclass(frozen=True)
class Reply:
    """What the model says: words, calls, or both."""

    text: str = ""
    calls: Sequence[Call] = ()


def reply_to(
    messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]], today: date, may_call: bool = True
) -> Reply:
    """The reply to a conversation with these tools bound, best first; words alone unless it `may_call` them."""
    known = bound(tools)
    memory = remember(messages, known)
    reading = read(memory.text[:LONGEST_TEXT], today)
    telling = reading.lang == "ru" or any(i.concepts for i in reading.items)
    lang = reading.lang if telling or not memory.before else language(memory.before)
    desk = Desk(known, memory, today, lang)
    following = next_of(desk, reading)
    calls = [c for c in following.calls if fits(dict(c.args), desk.tools[c.tool].schema)]
    if calls and may_call and len(memory.turn) < MOST_CALLS:
        return Reply(calls=calls)
    told = worded(following.outcomes, desk.lang)
    if calls:
        return Reply(f"{told}\n\n{UNFINISHED[desk.lang == 'ru']}".strip())
    return Reply(told or reply(following.clauses, desk.lang))
