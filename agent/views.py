"""What the page and the API get to see of the store's rows: plain values, ids as texts."""

from dataclasses import dataclass, field
from typing import Any, Literal

from agent.steps import Usage
from store import conversations, messages, turns

TurnState = Literal[
    "queued", "running", "waiting_approval", "waiting_answer", "waiting_auth", "succeeded", "failed", "canceled"
]


@dataclass(frozen=True, slots=True)
class TurnRef:
    """A turn as its client knows it. `replayed` is true when the turn_id was known: nothing new was started."""

    conversation_id: str
    turn_id: str
    state: TurnState
    replayed: bool = False

    @classmethod
    def of(cls, turn: turns.Turn, *, replayed: bool = False) -> "TurnRef":
        """The turn's reference."""
        return cls(str(turn.conversation_id), turn.client_turn_id, turn.state, replayed)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message, already read: its name and its text."""

    name: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the transcript; `parts` are dicts of the stream protocol, `turn_id` is the client's."""

    id: str
    seq: int
    turn_id: str
    role: Literal["user", "assistant"]
    state: Literal["draft", "final", "failed", "canceled"]
    parts: list[dict[str, Any]]
    text: str
    created_at: str
    rating: int = 0

    @classmethod
    def of(cls, row: messages.Message, rating: int = 0) -> "Message":
        """The message as people see it, with this person's thumb: 1 is up, -1 down, 0 none."""
        created = row.created_at.isoformat()
        return cls(str(row.id), row.seq, row.client_turn_id, row.role, row.state, row.parts, row.text, created, rating)


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of a conversation, oldest first. `earlier` is the `before` of the next page up, or None."""

    conversation_id: str
    title: str
    review_changes: bool
    messages: list[Message]
    active_turn: TurnRef | None
    earlier: int | None


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens of a whole conversation, replaced answers too, and their cost where prices are set."""

    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One line of the sidebar. `waiting` is true when a card or a question waits for the person."""

    id: str
    title: str
    updated_at: str
    review_changes: bool
    waiting: bool

    @classmethod
    def of(cls, row: conversations.Conversation) -> "ConversationRow":
        """The conversation's line."""
        return cls(str(row.id), row.title, row.updated_at.isoformat(), row.review_changes, row.waiting)
