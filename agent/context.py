"""What of a history goes to the model: pure functions that bring it under a budget, mildest first.

Tier 0 always: of several snapshots of a document only the newest stays. Over budget then, one after another:
tier 1 strips reasoning, tier 2 stubs the oldest call/result pairs on both sides, tier 3 drops the oldest turns and
attachments, then old rounds of the running turn, then cuts what is left of results. Never touched: instructions,
the person's last message, the model's last message, calls without a result. A pair is never torn apart.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agent.calls import mark
from agent.models.usage import estimate_text
from tools.text import cut

STALE = "[an older version of this document; a newer snapshot follows below]"
STUB = "[an old result, left out to save room; call the tool again if you need it]"
NO_ATTACHMENT = "[an attachment, left out to save room; read it again if you need it]"
OVERHEAD = 8
MARKER = 16
LEAST = 200
_STALE_SIZE = OVERHEAD + estimate_text(STALE)
_STUB_SIZE = OVERHEAD + estimate_text(STUB)
Edit = Callable[[BaseMessage], BaseMessage]
M = TypeVar("M", bound=BaseMessage)


@dataclass(frozen=True, slots=True)
class Pruned:
    """What to send, how many tokens it is by estimate, and the highest tier that was needed."""

    messages: list[BaseMessage]
    tokens: int
    tier: int


def prune(messages: Sequence[BaseMessage], budget: int) -> Pruned:
    """A repaired history (`agent/repair.py`) under `budget` tokens, as far as what may not be touched allows."""
    history = _History(messages)
    history.supersede()
    steps: tuple[tuple[int, Callable[[int], None]], ...] = (
        (1, history.strip_reasoning),
        (2, history.stub_pairs),
        (3, history.stub_attachments),
        (3, history.drop_turns),
        (3, history.drop_rounds),
        (3, history.cut_results),
    )
    tier = 0
    for number, step in steps:
        if history.tokens <= budget:
            break
        before = history.tokens
        step(budget)
        tier = number if history.tokens < before else tier
    return Pruned(history.kept(), history.tokens, tier)


def estimate(message: BaseMessage) -> int:
    """Tokens of a message by length; binary blocks are counted and never decoded."""
    content = message.content
    size = OVERHEAD + (estimate_text(content) if isinstance(content, str) else sum(map(_block, content)))
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            size += OVERHEAD + estimate_text(f"{call['name']}{call['args']}")
        if thought := message.additional_kwargs.get("reasoning_content"):
            size += estimate_text(thought)
    return size


def _block(block: str | dict[str, Any]) -> int:
    if isinstance(block, str):
        return estimate_text(block)
    return sum(_leaf(value) for value in block.values())


def _leaf(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value) // 4 if isinstance(value, bytes) else estimate_text(value)
    if isinstance(value, dict):
        return _block(value)
    return sum(_leaf(item) for item in value) if isinstance(value, list) else 1


def plain(message: AIMessage) -> AIMessage:
    """Without reasoning and without blocks that only one provider understands: text and calls."""
    if isinstance(message.content, str) and "reasoning_content" not in message.additional_kwargs:
        return message
    kept = {key: value for key, value in message.additional_kwargs.items() if key != "reasoning_content"}
    return _changed(message, content=message.text, additional_kwargs=kept)


def snapshots(messages: Sequence[BaseMessage]) -> dict[Any, int]:
    """The place of the newest snapshot of each document."""
    shots = _shots((at, m) for at, m in enumerate(messages) if isinstance(m, ToolMessage))
    return {doc: at for at, doc in shots.items()}


def _shots(results: Iterable[tuple[int, ToolMessage]]) -> dict[int, Any]:
    """The document of each result that holds one, by place."""
    marked = ((at, mark(message, "snapshot")) for at, message in results if message.artifact)
    return {at: shot["doc"] for at, shot in marked if shot}


class _History:
    """A history while it is being cut. Sizes change at once; messages are made only for what is sent in the end."""

    def __init__(self, messages: Sequence[BaseMessage]):
        self.messages = messages
        self.sizes = list(map(estimate, messages))
        self.tokens = sum(self.sizes)
        self.edits: dict[int, Edit | None] = {}
        self.humans: list[int] = []
        self.answers: dict[int, AIMessage] = {}
        self.results: dict[int, ToolMessage] = {}
        for at, message in enumerate(messages):
            if isinstance(message, ToolMessage):
                self.results[at] = message
            elif isinstance(message, AIMessage):
                self.answers[at] = message
            elif isinstance(message, HumanMessage):
                self.humans.append(at)
        self.last_human = self.humans[-1] if self.humans else 0
        self.last_answer = next(reversed(self.answers), -1)
        self.rounds = self.closed_rounds()
        self.shots = _shots(self.results.items())
        self.surviving = set({doc: at for at, doc in self.shots.items()}.values())

    def kept(self) -> list[BaseMessage]:
        """The history as edited."""
        kept: list[BaseMessage | None] = list(self.messages)
        for at, edit in self.edits.items():
            kept[at] = edit(self.messages[at]) if edit else None
        return [message for message in kept if message is not None]

    def put(self, at: int, size: int, edit: Edit | None) -> None:
        """Change the message at a place (None drops it) and account for its new size."""
        self.tokens += size - self.sizes[at]
        self.sizes[at] = size
        self.edits[at] = edit

    def supersede(self) -> None:
        """Tier 0: stub all but the newest snapshot of each document; reasoning of earlier turns goes too."""
        for at in self.shots:
            if at not in self.surviving:
                self.put(at, _STALE_SIZE, _with_content(STALE))
        self.bare(at for at in self.answers if at < self.last_human)

    def bare(self, places: Iterable[int]) -> None:
        """Strip the reasoning of messages."""
        for at in places:
            if (stripped := plain(self.answers[at])) is not self.answers[at]:
                self.put(at, estimate(stripped), lambda _, stripped=stripped: stripped)

    def strip_reasoning(self, budget: int) -> None:
        """Tier 1: reasoning of this turn, but for the last message."""
        self.bare(at for at in self.answers if self.last_human < at < self.last_answer)

    def closed_rounds(self) -> dict[int, range]:
        """The places of messages that call tools, each with the places of its results; open calls are left out."""
        calling = ((at, range(at + 1, at + 1 + len(m.tool_calls))) for at, m in self.answers.items() if m.tool_calls)
        return {at: places for at, places in calling if all(place in self.results for place in places)}

    def old_rounds(self) -> Iterator[tuple[int, range]]:
        """Rounds of calls that may be cut, oldest first: not the last one, none with a surviving snapshot."""
        for at, results in self.rounds.items():
            if at != self.last_answer and not any(place in self.surviving for place in results):
                yield at, results

    def stub_pairs(self, budget: int) -> None:
        """Tier 2: the oldest rounds of calls become stubs, arguments and results alike."""
        for at, results in self.old_rounds():
            if self.tokens <= budget:
                return
            self.put(at, _stub_size(self.answers[at]), _stubbed)
            for place in results:
                self.put(place, _STUB_SIZE, _STUBBED_RESULT)

    def stub_attachments(self, budget: int) -> None:
        """Tier 3: what is not text in the person's earlier messages."""
        for at in self.humans[:-1]:
            if not isinstance(content := self.messages[at].content, str):
                text = f"{self.messages[at].text}\n{NO_ATTACHMENT}".strip()
                self.put(at, self.sizes[at] - sum(map(_block, content)) + estimate_text(text), _with_content(text))

    def drop_turns(self, budget: int) -> None:
        """Tier 3: the oldest whole turns, but for rounds that hold a surviving snapshot."""
        holding = {
            place
            for at, results in self.rounds.items()
            if any(place in self.surviving for place in results)
            for place in (at, *results)
        }
        for start, stop in pairwise(self.humans):
            if self.tokens <= budget:
                return
            held = bool(holding) and not holding.isdisjoint(range(start, stop))
            for at in range(start, stop):
                if at == start and held:
                    text = cut(self.messages[at].text, LEAST)
                    self.put(at, OVERHEAD + estimate_text(text), _with_content(text))
                elif at not in holding:
                    self.put(at, 0, None)

    def drop_rounds(self, budget: int) -> None:
        """Tier 3: the oldest rounds of the running turn."""
        for at, results in self.old_rounds():
            if self.tokens <= budget:
                return
            if at > self.last_human:
                for place in (at, *results):
                    self.put(place, 0, None)

    def cut_results(self, budget: int) -> None:
        """Tier 3, the last resort: what is left of results shares the room that is left, the longest are cut."""
        places = [place for place in self.results if self.sizes[place]]
        room = budget - self.tokens + sum(self.sizes[i] for i in places)
        for n, place in enumerate(sorted(places, key=lambda i: self.sizes[i])):
            share = max(room // (len(places) - n), OVERHEAD)
            if self.sizes[place] > share:
                short = _cut_to(self.messages[place], share)
                self.put(place, estimate(short), lambda _, short=short: short)
            room -= self.sizes[place]


def _changed(message: M, **fields: Any) -> M:
    """The message with other fields, like pydantic's `model_copy`, in a fraction of its time.

    Pruning copies by the thousand, and `model_copy` goes through `copy.copy` for each of the four slots.
    """
    other = object.__new__(message.__class__)
    extra, private = message.__pydantic_extra__, message.__pydantic_private__
    _set(other, "__dict__", message.__dict__ | fields)
    _set(other, "__pydantic_fields_set__", message.__pydantic_fields_set__ | fields.keys())
    _set(other, "__pydantic_extra__", extra if extra is None else extra.copy())
    _set(other, "__pydantic_private__", private if private is None else private.copy())
    return other


_set = object.__setattr__


def _with_content(text: str) -> Edit:
    return lambda message: _changed(message, content=text)


_STUBBED_RESULT = _with_content(STUB)


def _stubbed(message: BaseMessage) -> BaseMessage:
    assert isinstance(message, AIMessage)
    calls = [{**call, "args": {}} for call in message.tool_calls]
    return _changed(plain(message), tool_calls=calls)


def _stub_size(message: BaseMessage) -> int:
    assert isinstance(message, AIMessage)
    text = message.content if isinstance(message.content, str) else message.text
    size = OVERHEAD + estimate_text(text)
    for call in message.tool_calls:
        size += OVERHEAD + estimate_text(f"{call['name']}{{}}")
    return size


def _cut_to(message: BaseMessage, tokens: int) -> BaseMessage:
    """A result shortened to about `tokens`, with a marker of how much is left."""
    text = message.text
    head = text.encode("utf-8", "replace")[: max(tokens - OVERHEAD - MARKER, 0) * 4].decode("utf-8", "ignore")
    return _changed(message, content=cut(text, len(head)))
