"""The way of a turn: accept, drive, wait for a person, finish. What the page and the API call."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.events import Approval
from agent.identity import Principal
from agent.refused import Refused
from tools.toolset import Lang

__all__ = ["Attachment", "ConversationRow", "Decision", "Message", "Page", "Principal", "Refused", "TurnRef", "Turns"]

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


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message, already read: its name and its text."""

    name: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided on a card; `card_sha256` (hex) names the very card that they saw.

    `args` go with "edit", `reason` with "deny". The same `nonce` again is the same press of the button.
    """

    approval_id: str
    decision: Literal["approve", "deny", "edit"]
    card_sha256: str
    args: dict[str, Any] | None = None
    reason: str | None = None
    nonce: str | None = None


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
class ConversationRow:
    """One line of the sidebar. `waiting` is true when a card or a question waits for the person."""

    id: str
    title: str
    updated_at: str
    review_changes: bool
    waiting: bool


class Turns:
    """Everything that the page and the API ask for. Every method checks by itself that the thing is the person's.

    All methods raise `Refused`; other people's things are "not_found".
    """

    async def accept(
        self,
        principal: Principal,
        conversation_id: str | None,
        message: str,
        turn_id: str,
        lang: Lang = "en",
        attachments: Sequence[Attachment] = (),
    ) -> TurnRef:
        """Take a message and start its turn; without a conversation_id a new conversation is made."""
        raise NotImplementedError

    def tail(
        self, principal: Principal, conversation_id: str, turn_id: str, after: int = 0
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """The turn's parts, the whole list each time something changed, at most 15 times a second."""
        raise NotImplementedError

    async def decide(self, principal: Principal, decision: Decision) -> Approval:
        """Approve, deny or edit a pending card. An edit answers with the new version, still pending."""
        raise NotImplementedError

    async def answer(self, principal: Principal, question_id: str, text: str) -> None:
        """Answer a question of the agent."""
        raise NotImplementedError

    async def cancel(self, principal: Principal, conversation_id: str, turn_id: str | None = None) -> None:
        """Stop the turn (or whichever runs); stopping what has ended does nothing."""
        raise NotImplementedError

    async def undo(self, principal: Principal, approval_id: str) -> Approval:
        """Take back what an approved call did, when the tool can."""
        raise NotImplementedError

    async def open(
        self, principal: Principal, conversation_id: str, before: int | None = None, limit: int = 50
    ) -> Page:
        """The newest messages of a conversation, or those before a `seq`."""
        raise NotImplementedError

    async def conversations(
        self, principal: Principal, query: str | None = None, after: str | None = None, limit: int = 50
    ) -> list[ConversationRow]:
        """The person's conversations, newest first; `after` is the id of the last row seen."""
        raise NotImplementedError

    async def create(self, principal: Principal, lang: Lang = "en", title: str = "") -> ConversationRow:
        """A new, empty conversation."""
        raise NotImplementedError

    async def rename(self, principal: Principal, conversation_id: str, title: str) -> None:
        """Give a conversation a title."""
        raise NotImplementedError

    async def delete(self, principal: Principal, conversation_id: str) -> None:
        """Delete a conversation; a running turn in it is stopped first."""
        raise NotImplementedError

    async def set_review(self, principal: Principal, conversation_id: str, on: bool) -> None:
        """Whether `write` calls ask too; refused while a turn runs."""
        raise NotImplementedError

    async def pending(self, principal: Principal) -> list[dict[str, Any]]:
        """The parts of all cards and questions that wait for this person, oldest first."""
        raise NotImplementedError

    async def always_allowed(self, principal: Principal) -> list[str]:
        """The `write` tools this person allowed for good."""
        raise NotImplementedError

    async def allow_always(self, principal: Principal, tool: str, on: bool = True) -> None:
        """Allow a `write` tool for good, or take that back; other tools are refused."""
        raise NotImplementedError

    async def start(self) -> None:
        """Reap what a dead process left, then begin to claim turns."""
        raise NotImplementedError

    async def drain(self) -> None:
        """Stop claiming, finish the running steps, give the leases back (SIGTERM)."""
        raise NotImplementedError
