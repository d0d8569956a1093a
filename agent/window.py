"""The window of whole turns that the graph's state keeps: a turn costs the same however long a conversation is."""

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from agent.calls import rounds
from agent.context import estimate, plain, snapshots
from agent.repair import repaired

DOCUMENTS = 5


def windowed(messages: Sequence[BaseMessage], turns: int, tokens: int) -> list[BaseMessage]:
    """The running turn and the newest earlier ones: at most `turns` of them, in at most about `tokens`.

    Of older turns only the newest snapshots of at most five documents stay, so that a document that was read
    once need not be read again. The result is a repaired history.
    """
    groups = _turns(repaired(messages))
    kept: list[list[BaseMessage]] = []
    size = 0
    for group in reversed(groups):
        size += sum(estimate(message) for message in group)
        if kept and (len(kept) > turns or size > tokens):
            break
        kept.insert(0, group)
    older = groups[: len(groups) - len(kept)]
    recent = [message for group in kept for message in group]
    return [message for group in _documents(older, recent) for message in group] + recent


def update(messages: Sequence[BaseMessage], turns: int, tokens: int) -> list[BaseMessage]:
    """The state update that brings `messages` to their window; empty when they already are."""
    wanted = windowed(messages, turns, tokens)
    if len(wanted) == len(messages) and all(a is b for a, b in zip(wanted, messages, strict=True)):
        return []
    return [RemoveMessage(id=REMOVE_ALL_MESSAGES), *wanted]


def _turns(messages: Sequence[BaseMessage]) -> list[list[BaseMessage]]:
    groups: list[list[BaseMessage]] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            groups.append([])
        if groups:
            groups[-1].append(message)
    return groups


def _documents(older: list[list[BaseMessage]], recent: Sequence[BaseMessage]) -> list[list[BaseMessage]]:
    """What stays of turns before the window: the rounds that hold the newest snapshots, behind their question."""
    flat = [message for group in older for message in group]
    known = snapshots(recent)
    places = sorted(at for doc, at in snapshots(flat).items() if doc not in known)[-DOCUMENTS:]
    wanted = {id(flat[at]) for at in places}
    return [[group[0], *held] for group in older if (held := _held(group, wanted))]


def _held(group: Sequence[BaseMessage], wanted: set[int]) -> list[BaseMessage]:
    held: list[BaseMessage] = []
    for message, answers in rounds(group):
        if any(id(answer) in wanted for answer in answers.values()):
            held += [plain(message), *answers.values()]
    return held
