"""What a person has: conversations, their pages, what waits for a decision, what was allowed for good."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal, TypeVar
from uuid import UUID

from psycopg import OperationalError, errors
from psycopg_pool import PoolTimeout

from agent import words
from agent.acting import as_person
from agent.approvals import Approvals
from agent.identity import Principal
from agent.refused import Refused
from agent.steps import Usage
from agent.views import ConversationRow, Message, Page, Spent, TurnRef
from store import always, approvals, conversations, feedback, messages, turns, usage
from store.errors import NotFound, TurnActive, TurnIdReused
from store.pool import Connection, Pool
from store.turns import Turn
from tools.toolset import Effect, Lang, Toolset

T = TypeVar("T")
UNAVAILABLE = 5.0


class Library:
    """Reads and tidies up. Every method checks by itself that the thing is the person's, and raises `Refused`."""

    _pool: Pool
    _toolset: Toolset
    _approvals: Approvals
    _price: Callable[[Usage], float | None]

    @as_person
    async def open(
        self, principal: Principal, conversation_id: str, before: int | None = None, limit: int = 50
    ) -> Page:
        """The newest messages of a conversation, or those before a `seq`."""
        mine, place = (principal.tenant, principal.subject), uuid_of(conversation_id)
        async with self._store() as connection:
            shown = await conversations.get(connection, *mine, place)
            if shown is None:
                raise Refused("not_found")
            active = await turns.active(connection, *mine, place)
            found = await messages.page(connection, *mine, place, before=before, limit=limit + 1)
            rated = await feedback.of_messages(connection, principal.subject, [row.id for row in found])
        kept = found[-limit:]
        return Page(
            conversation_id=conversation_id,
            title=shown.title,
            review_changes=shown.review_changes,
            messages=[Message.of(row, rated.get(row.id, 0)) for row in kept],
            active_turn=TurnRef.of(active, replayed=True) if active else None,
            earlier=kept[0].seq if len(found) > limit else None,
        )

    @as_person
    async def spent(self, principal: Principal, conversation_id: str) -> Spent:
        """What all requests of a conversation cost so far; nothing for a conversation that is not the person's."""
        mine = principal.tenant, principal.subject
        async with self._store() as connection:
            totals = await usage.of_conversation(connection, *mine, uuid_of(conversation_id))
        kinds = [(t.input_tokens, t.cached_tokens, t.reasoning_tokens, t.output_tokens) for t in totals]
        used = sum((Usage(*tokens) for tokens in kinds), Usage())
        return Spent(used, self._price(used))

    @as_person
    async def conversations(
        self, principal: Principal, query: str | None = None, after: str | None = None, limit: int = 50
    ) -> list[ConversationRow]:
        """The person's conversations, newest first; `after` is the id of the last row seen."""
        mine = principal.tenant, principal.subject
        async with self._store() as connection:
            if query and query.strip():
                found = await conversations.search(connection, *mine, query.strip()[: words.MAX_TITLE], limit)
            else:
                last = uuid_of(after) if after else None
                found = await conversations.page(connection, *mine, after=last, limit=limit)
        return [ConversationRow.of(row) for row in found]

    @as_person
    async def create(self, principal: Principal, lang: Lang = "en", title: str = "") -> ConversationRow:
        """A new, empty conversation."""
        title = words.short(title, words.MAX_TITLE, lang)
        async with self._store() as connection:
            made = await conversations.create(connection, principal.tenant, principal.subject, title=title, lang=lang)
        return ConversationRow.of(made)

    @as_person
    async def rename(self, principal: Principal, conversation_id: str, title: str) -> None:
        """Give a conversation a title."""
        title = words.short(title, words.MAX_TITLE, "en")
        async with self._store() as connection:
            await conversations.rename(connection, principal.tenant, principal.subject, uuid_of(conversation_id), title)

    @as_person
    async def delete(self, principal: Principal, conversation_id: str) -> None:
        """Delete a conversation; a running turn in it is stopped first."""
        place = uuid_of(conversation_id)

        async def once() -> None:
            async with self._pool.connection() as connection:
                await conversations.delete(connection, principal.tenant, principal.subject, place)

        with refusing():
            await retried(once)

    @as_person
    async def set_review(self, principal: Principal, conversation_id: str, on: bool) -> None:
        """Whether `write` calls ask too; refused while a turn runs."""
        async with self._store("review_while_running") as connection:
            await conversations.set_review(
                connection, principal.tenant, principal.subject, uuid_of(conversation_id), on
            )

    @as_person
    async def pending(self, principal: Principal) -> list[dict[str, Any]]:
        """The parts of all cards and questions that wait for this person, oldest first.

        Each has `conversation_id` and `turn_id` beside the protocol's keys.
        """
        async with self._store() as connection:
            waiting = await turns.waiting(connection, principal.tenant, principal.subject)
            said = [(turn, await messages.of_turn(connection, turn.id, "assistant")) for turn in waiting]
        return [
            {**part, "conversation_id": str(turn.conversation_id), "turn_id": turn.client_turn_id}
            for turn, message in said
            for part in (message.parts if message else [])
            if _waits(part)
        ]

    @as_person
    async def count_pending(self, principal: Principal) -> int:
        """How many requests wait for this person's signature; questions are none."""
        async with self._store() as connection:
            _, waiting = await approvals.count_pending(connection, principal.tenant, principal.subject)
        return waiting

    @as_person
    async def rate(
        self, principal: Principal, conversation_id: str, turn_id: str, value: Literal[-1, 0, 1], reason: str = ""
    ) -> None:
        """Put a thumb up (1) or down (-1) on the answer of a turn, with a reason, or take it back (0)."""
        turn = await self._turn(principal, conversation_id, turn_id)
        reason = words.short(reason, words.MAX_REASON, "en")
        async with self._store() as connection:
            answer = await messages.of_turn(connection, turn.id, "assistant")
            if answer is None:
                raise Refused("not_found")
            if value:
                await feedback.put(connection, principal.tenant, principal.subject, answer.id, value, reason or None)
            else:
                await feedback.clear(connection, principal.subject, answer.id)

    @as_person
    async def always_allowed(self, principal: Principal) -> list[str]:
        """The `write` tools this person allowed for good."""
        async with self._store() as connection:
            return await always.page(connection, principal.tenant, principal.subject)

    @as_person
    async def allow_always(self, principal: Principal, tool: str, on: bool = True) -> None:
        """Allow a `write` tool for good, or take that back; other tools are refused."""
        tool = words.short(tool, words.MAX_TITLE, "en")
        spec = self._toolset.specs.get(tool)
        if on and (spec is None or spec.effect is not Effect.WRITE):
            raise Refused("not_a_write_tool")
        change = always.allow if on else always.revoke
        async with self._store() as connection:
            await change(connection, principal.tenant, principal.subject, tool)

    @asynccontextmanager
    async def _store(self, active: str = "run_active") -> AsyncIterator[Connection]:
        """A connection; what the store refuses, or that it is away, becomes the person's refusal."""
        with refusing(active=active):
            async with self._pool.connection() as connection:
                yield connection

    @as_person
    async def _turn(self, principal: Principal, conversation_id: str, turn_id: str) -> Turn:
        mine = principal.tenant, principal.subject
        words.turn_id(turn_id, "en")
        async with self._store() as connection:
            turn = await turns.of_client(connection, *mine, uuid_of(conversation_id), turn_id)
        if turn is None:
            raise Refused("not_found")
        return turn


async def retried(once: Callable[[], Awaitable[T]], tries: int = 3) -> T:
    """Again, when two requests for one conversation got into each other's way and one was rolled back."""
    for left in reversed(range(tries)):
        try:
            return await once()
        except (errors.DeadlockDetected, errors.SerializationFailure):
            if not left:
                raise
            await asyncio.sleep(0.05)
    raise AssertionError("unreachable")


@contextmanager
def refusing(lang: Lang = "en", active: str = "run_active") -> Iterator[None]:
    """The store's refusals as the person's."""
    try:
        yield
    except NotFound:
        raise Refused("not_found", lang) from None
    except TurnIdReused:
        raise Refused("turn_id_reused", lang) from None
    except TurnActive:
        raise Refused(active, lang) from None
    except (OperationalError, PoolTimeout):
        raise Refused("unavailable", lang, seconds=UNAVAILABLE) from None


def uuid_of(text: str) -> UUID:
    """An id that came from outside; raises `Refused` "not_found" for what is none."""
    try:
        return UUID(text)
    except (ValueError, AttributeError, TypeError):
        raise Refused("not_found") from None


def _waits(part: dict[str, Any]) -> bool:
    meta = part["metadata"]
    return meta["type"] == "confirm_required" or (meta["type"] == "ask_user" and meta["question"]["state"] == "pending")
