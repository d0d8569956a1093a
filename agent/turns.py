"""The way of a turn: accept, drive, wait for a person, finish. What the page and the API call."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

from agent import words
from agent.acting import as_person
from agent.approvals import Approvals, Decision
from agent.credentials import Credentials
from agent.decisions import Decisions
from agent.draft import Draft
from agent.driver import Driver
from agent.failpoints import Failpoints
from agent.guards import Limits
from agent.identity import Principal
from agent.journal import Trace, Untraced
from agent.keys import KeyRing
from agent.kit import Kit
from agent.library import refusing, retried, uuid_of
from agent.model import ModelClient
from agent.refused import Refused
from agent.routing import Routing, Selector
from agent.steps import Usage
from agent.tail import Parts, Tails
from agent.titles import title_of
from agent.views import Attachment, ConversationRow, Message, Page, Spent, TurnRef
from agent.worker import Worker
from store import conversations, limits, messages, turns
from store.errors import TurnActive
from store.messages import Content
from store.pool import Connection, Pool, transaction
from store.turns import Request, Turn
from tools.toolset import Lang, Toolset

__all__ = [
    "Attachment",
    "ConversationRow",
    "Decision",
    "Message",
    "Page",
    "Principal",
    "Refused",
    "Spent",
    "TurnRef",
    "Turns",
]

NEW_CONVERSATIONS = UUID("5b0f7a52-6f0c-4c8e-9d55-2f6f2f0f6d1a")
WAITS_FOR_WORDS = ("waiting_approval", "waiting_answer")


class Turns(Decisions):
    """Everything that the page and the API ask for. Every method checks by itself that the thing is the person's.

    All methods raise `Refused`; other people's things are "not_found". `url` is the database for LISTEN and the
    heartbeat, which a transaction pooler must not serve. Times are in seconds but for `approval_minutes`.
    """

    def __init__(
        self,
        *,
        pool: Pool,
        url: str,
        keys: KeyRing,
        toolset: Toolset,
        router: Selector,
        model: ModelClient,
        run_limits: Limits | None = None,
        instructions: str = "",
        price: Callable[[Usage], float | None] = lambda _: None,
        trace: Callable[[Turn], Trace] = lambda _: Untraced(),
        approval_minutes: float = 15,
        lease_seconds: float = 30.0,
        poll_seconds: float = 1.0,
        max_message_bytes: int = 100_000,
        turns_per_minute: int = 20,
        running_per_person: int = 10,
        capacity: int = 100,
        failpoints: Failpoints | None = None,
    ):
        failpoints = failpoints or Failpoints()
        run_limits = run_limits or Limits()
        self._pool = pool
        self._toolset = toolset
        self._price = price
        self._approvals = Approvals(
            pool=pool, keys=keys, toolset=toolset, minutes=approval_minutes, failpoints=failpoints
        )
        self._credentials = Credentials(keys)
        self._max_message_bytes = max_message_bytes
        self._turns_per_minute = turns_per_minute
        self._running_per_person = running_per_person
        self._failpoints = failpoints
        kit = Kit(
            pool=pool,
            approvals=self._approvals,
            credentials=self._credentials,
            toolset=toolset,
            routing=Routing(toolset.specs, router),
            model=model,
            limits=run_limits,
            instructions=instructions,
            price=price,
            trace=trace,
            failpoints=failpoints,
        )
        self._worker = Worker(
            pool=pool,
            url=url,
            drive=lambda turn, lease: Driver(kit, turn, lease, self._tails.ring),
            ended=lambda turn_id: self._tails.ring(turn_id),
            seconds=lease_seconds,
            poll=poll_seconds,
            run_seconds=run_limits.run,
            capacity=capacity,
            failpoints=failpoints,
        )
        self._tails = Tails(pool, self._live)

    async def start(self) -> None:
        """Reap what a dead process left, then begin to claim turns."""
        await self._worker.start()

    async def drain(self, grace: float = 8.0) -> None:
        """Stop claiming, let running steps end for `grace` seconds, give the turns back (SIGTERM)."""
        await self._worker.drain(grace)

    @as_person
    async def accept(
        self,
        principal: Principal,
        conversation_id: str | None,
        message: str,
        turn_id: str,
        lang: Lang = "en",
        attachments: Sequence[Attachment] = (),
    ) -> TurnRef:
        """Take a message and start its turn; without a conversation_id a new conversation is made.

        The same `turn_id` again finds the same turn: one that runs is attached to, one that ended is told again
        from the store, one that failed is tried again. A card or question that waits is superseded by new words.
        """
        text = words.message(message, self._max_message_bytes, lang)
        words.turn_id(turn_id, lang)
        place = uuid_of(conversation_id) if conversation_id else _new_place(principal, turn_id)
        request = _request(principal, place, _spoken(text, attachments), turn_id, lang)
        return await self._start(principal, request, new=not conversation_id)

    @as_person
    async def rerun(
        self,
        principal: Principal,
        conversation_id: str,
        turn_id: str,
        new_turn_id: str,
        message: str | None = None,
        lang: Lang = "en",
    ) -> TurnRef:
        """Answer the message of a turn again, or another `message` in its place, as the turn `new_turn_id`.

        The old turn and all after it go out of sight and out of the model's history; they stay in the database, and
        what they did stays done. The same `new_turn_id` again finds the same turn.
        """
        words.turn_id(new_turn_id, lang)
        old = await self._turn(principal, conversation_id, turn_id)
        async with self._store() as connection:
            asked = await messages.of_turn(connection, old.id, "user")
        first, *files = asked.parts if asked else [{"role": "user", "content": "", "metadata": {"type": "user"}}]
        text = words.message(first["content"] if message is None else message, self._max_message_bytes, lang)
        parts = [{**first, "content": text}, *files]
        request = _request(principal, old.conversation_id, parts, new_turn_id, lang)
        return await self._start(principal, replace(request, replaces=old.id))

    async def tail(
        self, principal: Principal, conversation_id: str, turn_id: str, after: int = 0
    ) -> AsyncIterator[Parts]:
        """The turn's parts, the whole list each time something changed, at most 12 times a second.

        Ends when the turn waits or has ended. `after` is the highest `seq` that was seen: what is known already is
        not told at once.
        """
        turn = await self._turn(principal, conversation_id, turn_id)
        await self._see_to(principal, turn)
        async for parts in self._tails.follow(principal, turn, after):
            yield parts

    @as_person
    async def open(
        self, principal: Principal, conversation_id: str, before: int | None = None, limit: int = 50
    ) -> Page:
        """The newest messages of a conversation, or those before a `seq`."""
        page = await super().open(principal, conversation_id, before, limit)
        if page.active_turn is None or page.active_turn.state not in ("waiting_auth", "running"):
            return page
        turn = await self._turn(principal, conversation_id, page.active_turn.turn_id)
        changed = await self._see_to(principal, turn)
        return await super().open(principal, conversation_id, before, limit) if changed else page

    async def _start(self, principal: Principal, request: Request, *, new: bool = False) -> TurnRef:
        accept = partial(retried, partial(self._accept, principal, request, new=new))
        with refusing(request.lang):
            try:
                accepted = await accept()
            except TurnActive:
                if not await self._see_to_active(principal, request.conversation_id):
                    raise
                accepted = await accept()
        await self._failpoints.reach("K01")
        if accepted.queued:
            self._worker.wake()
        return TurnRef.of(accepted.turn, replayed=not accepted.queued)

    def _live(self, turn_id: UUID) -> Draft | None:
        driver = self._worker.drivers.get(turn_id)
        return driver.draft if driver and driver.draft.loaded else None

    async def _see_to_active(self, principal: Principal, place: UUID) -> bool:
        async with self._pool.connection() as connection:
            active = await turns.active(connection, principal.tenant, principal.subject, place)
        return active is not None and await self._see_to(principal, active)

    async def _accept(self, principal: Principal, request: Request, new: bool) -> turns.Accepted:
        mine = request.tenant, request.owner
        async with transaction(self._pool) as connection:
            if new:
                await conversations.ensure(connection, *mine, request.conversation_id, request.lang)
            active = await turns.active(connection, *mine, request.conversation_id)
            if active and active.state in WAITS_FOR_WORDS and await self._is_new(connection, request):
                await turns.hold(connection, active.id)
                await turns.supersede(connection, *mine, active.id, await self._voided(connection, active, "new_words"))
            accepted = await turns.accept(connection, request)
            if accepted.queued:
                await self._check_rates(connection, request)
                await self._credentials.keep(connection, accepted.turn.id, principal)
                await self._title(connection, request, accepted.turn.id)
        return accepted

    async def _is_new(self, connection: Connection, request: Request) -> bool:
        """Whether these are new words, and not a client that asks again for the answer to older ones."""
        place = request.tenant, request.owner, request.conversation_id
        return await turns.of_client(connection, *place, request.client_turn_id) is None

    async def _check_rates(self, connection: Connection, request: Request) -> None:
        bucket = f"turns|{request.tenant}|{request.owner}"
        if wait := await limits.hit(connection, bucket, self._turns_per_minute, 60.0):
            raise Refused("too_many_turns", request.lang, seconds=int(wait) + 1)
        if await turns.count_running(connection, request.tenant, request.owner) > self._running_per_person:
            raise Refused("too_many_running", request.lang, limit=self._running_per_person)

    async def _title(self, connection: Connection, request: Request, turn_id: UUID) -> None:
        """Title a conversation that has none, and anew when other words replaced the first message."""
        mine = request.tenant, request.owner, request.conversation_id
        place, title = await conversations.get(connection, *mine), title_of(request.content.text)
        anew = request.replaces and all(m.turn_id == turn_id for m in await messages.page(connection, *mine, limit=2))
        if place and title and (anew or not place.title):
            await conversations.suggest_title(connection, place.id, title)


def _new_place(principal: Principal, turn_id: str) -> UUID:
    """The conversation that a message without one begins; the same message again finds the same."""
    return uuid5(NEW_CONVERSATIONS, json.dumps([principal.tenant, principal.subject, turn_id]))


def _spoken(text: str, attachments: Sequence[Attachment]) -> list[dict[str, Any]]:
    """A message and its files as parts."""
    parts = [{"role": "user", "content": text, "metadata": {"type": "user"}}]
    for file in attachments:
        meta = {"type": "attachment", "name": file.name}
        parts.append({"role": "user", "content": f"[{file.name}]\n{file.text}", "metadata": meta})
    return parts


def _request(principal: Principal, place: UUID, parts: list[dict[str, Any]], turn_id: str, lang: Lang) -> Request:
    digest = sha256(json.dumps([part["content"] for part in parts]).encode()).digest()
    content = Content(parts, parts[0]["content"])
    return Request(principal.tenant, principal.subject, place, turn_id, digest, content, lang=lang, role=principal.role)
