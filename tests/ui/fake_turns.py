"""`Turns` in memory, with a script instead of a model: what a message holds decides what happens.

delete X       a card; "delete X and Y" gives two calls of one tool; "drop X" has a name to type; "rename X" a form
quiet          a few words, after two seconds
slow           words, ten a second
which          a question
tools          five reads and a failed one
fail           an error with Retry
"""

import asyncio
import hashlib
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.events import Approval
from agent.refused import Refused
from agent.steps import Usage
from agent.turns import ConversationRow, Decision, Message, Page, Principal, Spent, TurnRef, Turns
from tests.ui.script import answer_to, reply

ENDED = {"succeeded", "failed", "canceled"}
WAITING = {"waiting_approval", "waiting_answer"}


def now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass
class FakeTurn:
    conversation: "FakeConversation"
    turn_id: str
    text: str
    state: str = "queued"
    parts: list[dict[str, Any]] = field(default_factory=list)
    seq: int = 0
    number: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task | None = None

    def put(self, kind: str, content: str = "", **meta: Any) -> dict[str, Any]:
        """A new part."""
        self.number += 1
        identity = f"{self.conversation.id}-{self.turn_id}-{self.number}"
        part = {"role": "assistant", "content": content, "metadata": {"id": identity, "type": kind, "status": "done"}}
        part["metadata"] |= meta
        self.parts.append(part)
        self.touch(part)
        return part

    def touch(self, part: dict[str, Any], **meta: Any) -> None:
        """A part changed."""
        self.seq += 1
        index = next(i for i, p in enumerate(self.parts) if p["metadata"]["id"] == part["metadata"]["id"])
        fresh = {**part, "metadata": {**self.parts[index]["metadata"], **meta, "seq": self.seq}}
        self.parts[index] = fresh
        self.wake()

    def end(self, state: str) -> None:
        self.state = state
        self.wake()

    def wake(self) -> None:
        self.news.set()
        self.news = asyncio.Event()


@dataclass
class FakeConversation:
    owner: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    title: str = ""
    review: bool = False
    updated_at: str = field(default_factory=now)
    turns: list[FakeTurn] = field(default_factory=list)

    @property
    def active(self) -> FakeTurn | None:
        return next((t for t in reversed(self.turns) if t.state not in ENDED), None)


@dataclass
class Gate:
    """Holds messages up before they are taken, until it is opened."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    open: asyncio.Event = field(default_factory=asyncio.Event)


class FakeTurns(Turns):
    """Owner-checked like the real one."""

    def __init__(self) -> None:
        self.conversations_: dict[str, FakeConversation] = {}
        self.always: set[str] = set()
        self.effects: list[str] = []
        self.pace = 0.02
        self.gate: Gate | None = None

    def _mine(self, principal: Principal, id_: str) -> FakeConversation:
        found = self.conversations_.get(id_)
        if found is None or found.owner != principal.subject:
            raise Refused("not_found")
        return found

    async def accept(self, principal, conversation_id, message, turn_id, lang="en", attachments=()) -> TurnRef:
        if not message.strip():
            raise Refused("empty", lang)
        if self.gate:
            self.gate.reached.set()
            await self.gate.open.wait()
        if conversation_id:
            conversation = self._mine(principal, conversation_id)
        else:
            conversation = FakeConversation(principal.subject, title=message[:40])
            self.conversations_[conversation.id] = conversation
        conversation.title = conversation.title or message[:40]
        known = next((t for t in conversation.turns if t.turn_id == turn_id), None)
        if known and known.state != "failed":
            return self._ref(known, replayed=True)
        if conversation.active and conversation.active.state not in WAITING:
            raise Refused("run_active", lang)
        if conversation.active:
            self._supersede(conversation.active, "new_words")
        turn = known or FakeTurn(conversation, turn_id, message)
        if known:
            turn.parts.clear()
            turn.text = "hello"
        else:
            conversation.turns.append(turn)
        conversation.updated_at = now()
        self._start(turn, answer_to(turn, self))
        return self._ref(turn)

    def _start(self, turn: FakeTurn, script) -> None:
        async def run() -> None:
            turn.state = "running"
            turn.end(await script)

        turn.task = asyncio.create_task(run())

    def _ref(self, turn: FakeTurn, replayed: bool = False) -> TurnRef:
        return TurnRef(turn.conversation.id, turn.turn_id, turn.state, replayed)  # type: ignore[arg-type]

    def _supersede(self, turn: FakeTurn, why: str) -> None:
        for part in list(turn.parts):
            meta = part["metadata"]
            if meta["type"] == "confirm_required":
                ended = {**meta["approval"], "state": "superseded", "reason": why}
                turn.touch(part, type="confirm_resolved", approval=ended)
            if meta["type"] == "ask_user" and meta["question"]["state"] == "pending":
                turn.touch(part, question={**meta["question"], "state": "superseded"})
        turn.end("succeeded")

    async def tail(self, principal, conversation_id, turn_id, after=0) -> AsyncIterator[list[dict[str, Any]]]:
        conversation = self._mine(principal, conversation_id)
        turn = next(t for t in conversation.turns if t.turn_id == turn_id)
        while True:
            news, state = turn.news, turn.state
            yield list(turn.parts)
            if state in ENDED | WAITING:
                return
            await news.wait()
            await asyncio.sleep(0.07)

    def _card(self, principal, approval_id: str) -> tuple[FakeTurn, dict[str, Any]]:
        for conversation in self.conversations_.values():
            for turn in conversation.turns:
                for part in turn.parts:
                    approval = part["metadata"].get("approval")
                    if approval and approval["id"] == approval_id and conversation.owner == principal.subject:
                        return turn, part
        raise Refused("not_found")

    async def decide(self, principal: Principal, decision: Decision) -> Approval:
        turn, part = self._card(principal, decision.approval_id)
        approval = part["metadata"]["approval"]
        if approval["state"] != "pending":
            raise Refused("already_decided", winner=approval["state"])
        if approval["card_sha256"] != decision.card_sha256:
            raise Refused("stale_card")
        if decision.decision == "edit":
            return self._edit(turn, part, decision.args or {})
        state = "approved" if decision.decision == "approve" else "denied"
        decided = {"decided_by": principal.name, "decided_at": now(), "reason": decision.reason or None}
        turn.touch(part, type="confirm_resolved", approval={**approval, **decided, "state": state})
        if not any(p["metadata"]["type"] == "confirm_required" for p in turn.parts):
            self._start(turn, reply(turn, self))
        return Approval(**{**approval, **decided, "state": state})

    def _edit(self, turn: FakeTurn, part: dict[str, Any], args: dict[str, Any]) -> Approval:
        approval = part["metadata"]["approval"]
        if args.get("name") == "taken":
            error = {"loc": ["name"], "msg": "This name is taken.", "type": "value_error"}
            raise Refused("invalid_arguments", errors=[error])
        digest = hashlib.sha256(json.dumps(args).encode()).hexdigest()
        card = {**approval["card"], "title": f"Rename the dashboard to “{args.get('name')}”?"}
        edited = {**approval, "args": args, "version": approval["version"] + 1, "card": card, "card_sha256": digest}
        turn.touch(part, approval=edited)
        return Approval(**edited)

    async def count_pending(self, principal) -> int:
        return sum(part["metadata"]["type"] == "confirm_required" for part in await self.pending(principal))

    async def answer(self, principal, question_id, text) -> None:
        for conversation in self.conversations_.values():
            for turn in conversation.turns:
                for part in list(turn.parts):
                    question = part["metadata"].get("question")
                    if question and question["id"] == question_id and conversation.owner == principal.subject:
                        turn.touch(part, question={**question, "state": "answered", "answer": text})
                        self._start(turn, reply(turn, self))
                        return
        raise Refused("not_found")

    async def cancel(self, principal, conversation_id, turn_id=None) -> None:
        turn = self._mine(principal, conversation_id).active
        if turn is None or turn.task is None:
            return
        turn.task.cancel()
        self._supersede(turn, "stopped")
        turn.end("canceled")

    async def undo(self, principal, approval_id) -> Approval:
        turn, part = self._card(principal, approval_id)
        approval = part["metadata"]["approval"]
        result = {**approval["result"], "undone": {"n": principal.name, "t": now()}}
        turn.touch(part, approval={**approval, "result": result})
        return Approval(**{**approval, "result": result})

    async def open(self, principal, conversation_id, before=None, limit=50) -> Page:
        conversation = self._mine(principal, conversation_id)
        everything = [m for i, turn in enumerate(conversation.turns) for m in self._messages(turn, i)]
        older = [m for m in everything if before is None or m.seq < before]
        shown = older[-limit:]
        active = conversation.active
        return Page(
            conversation.id, conversation.title, conversation.review, shown,
            self._ref(active) if active else None, shown[0].seq if len(older) > len(shown) else None,
        )  # fmt: skip

    async def spent(self, principal, conversation_id) -> Spent:
        turns = self._mine(principal, conversation_id).turns
        told = [part["metadata"] for turn in turns for part in turn.parts if part["metadata"]["type"] == "usage"]
        names = ("input", "cached", "reasoning", "output")
        used = sum((Usage(*(meta.get(name, 0) for name in names)) for meta in told), Usage())
        return Spent(used, sum(meta.get("cost") or 0 for meta in told))

    def _messages(self, turn: FakeTurn, index: int) -> list[Message]:
        state = "canceled" if turn.state == "canceled" else "final" if turn.state in ENDED else "draft"
        user = Message(f"u{turn.turn_id}", 2 * index + 1, turn.turn_id, "user", "final", [], turn.text, now())
        return [user, replace(user, id=f"a{turn.turn_id}", seq=2 * index + 2, role="assistant", state=state,
                              parts=list(turn.parts), text="")]  # fmt: skip

    async def conversations(self, principal, query=None, after=None, limit=50) -> list[ConversationRow]:
        mine = [c for c in self.conversations_.values() if c.owner == principal.subject]
        found = [c for c in mine if (query or "").lower() in c.title.lower()]
        found.sort(key=lambda c: c.updated_at, reverse=True)
        return [
            ConversationRow(c.id, c.title, c.updated_at, c.review, bool(c.active and c.active.state in WAITING))
            for c in found[:limit]
        ]

    async def create(self, principal, lang="en", title="") -> ConversationRow:
        conversation = FakeConversation(principal.subject, title=title)
        self.conversations_[conversation.id] = conversation
        return ConversationRow(conversation.id, title, conversation.updated_at, False, False)

    async def rename(self, principal, conversation_id, title) -> None:
        self._mine(principal, conversation_id).title = title

    async def delete(self, principal, conversation_id) -> None:
        del self.conversations_[self._mine(principal, conversation_id).id]

    async def set_review(self, principal, conversation_id, on) -> None:
        self._mine(principal, conversation_id).review = on

    async def pending(self, principal) -> list[dict[str, Any]]:
        mine = [c for c in self.conversations_.values() if c.owner == principal.subject]
        waiting = [(c, part) for c in mine for turn in c.turns for part in turn.parts]
        return [{**part, "conversation_id": c.id} for c, part in waiting if _waits(part["metadata"])]

    async def always_allowed(self, principal) -> list[str]:
        return sorted(self.always)

    async def allow_always(self, principal, tool, on=True) -> None:
        (self.always.add if on else self.always.discard)(tool)

    async def start(self) -> None: ...

    async def drain(self) -> None: ...


def _waits(meta: dict[str, Any]) -> bool:
    return meta["type"] == "confirm_required" or (meta.get("question") or {}).get("state") == "pending"


def soon(minutes: float = 10) -> str:
    return (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat()
