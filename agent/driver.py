"""Drives one claimed turn: run the graph, ask the person where it waits, end it, or leave it for another to go on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any, TypeVar
from uuid import UUID, uuid4

import psycopg
from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage
from langgraph.errors import GraphDrained, GraphRecursionError
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot
from psycopg_pool import PoolTimeout

from agent.calls import turn_of
from agent.cards import INTERRUPTED, dropped, redraw, voided
from agent.countersigned import NeedsToken
from agent.draft import Draft
from agent.graph import build_graph, run_config
from agent.journal import Journal
from agent.kit import HUMAN, Kit, human_message, run_context
from agent.leases import Lease, LeaseLost
from agent.models.errors import ModelError, RunTimeout
from agent.recall import recall
from agent.rewind import rewound
from agent.settle import STOPPED_BY_PERSON, WENT_ON, outcomes_of, settled
from agent.steps import ModelEnded, Step, ToolEnded, Usage
from agent.transcript import Transcript
from agent.waits import Waits, look
from store import always, checkpoints, conversations, leases, messages, questions, usage
from store import approvals as approval_rows
from store.checkpoints import FencedSaver
from store.endings import Why
from store.errors import LostLease
from store.fence import first_version
from store.messages import Content, Message
from store.pool import transaction
from store.turns import Ended, Turn

log = logging.getLogger(__name__)
T = TypeVar("T")
AWAY = (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout)
AWAY_PAUSE = 0.5
FAILED = (
    "Something went wrong on our side. Your message is saved; try again.",
    "Что-то сломалось на нашей стороне. Сообщение сохранено, попробуйте ещё раз.",
)
SIGN_IN = (
    "Your sign-in has run out. Sign in and open the conversation again: the answer goes on.",
    "Срок входа истёк. Войдите и откройте разговор снова: ответ продолжится.",
)


class Stopped(Exception):  # noqa: N818
    """The person stopped the turn."""


class CorruptState(Exception):  # noqa: N818
    """The checkpoint does not hold what this version of the product writes."""


class Driver:
    """One claimed turn. `run` returns when the turn ended, waits, was given back, or belongs to somebody else."""

    def __init__(self, kit: Kit, turn: Turn, lease: Lease, loaded: Callable[[UUID], None] = lambda turn_id: None):
        self._kit = kit
        self._loaded = loaded
        self._turn = turn
        self._lease = lease
        self._control = RunControl()
        self._task: asyncio.Task[None] | None = None
        self._given_back = False
        self._used: list[usage.Usage] = []
        self._journal = Journal(turn, kit.trace(turn))
        self._graph = build_graph(FencedSaver(kit.pool, turn.id, turn.fence, kit.failpoints.reach))
        self._config: Any = run_config(str(turn.conversation_id), kit.limits)
        self.draft = Draft(Transcript(price=kit.price), self._save)

    async def run(self) -> None:
        """Drive the turn as far as it goes."""
        saving = asyncio.create_task(self.draft.keep())
        self._task = asyncio.create_task(self._through_outages())
        try:
            await self._task
        except (LeaseLost, LostLease):
            log.info("lease lost", extra={"turn_id": str(self._turn.id)})
        except asyncio.CancelledError:
            if not self._given_back:
                raise
            await self._release()
        finally:
            self._task.cancel()
            saving.cancel()
            await asyncio.gather(self._task, saving, return_exceptions=True)
            self._journal.close()

    def drain(self) -> None:
        """Stop at the end of the running step and give the turn back; who follows here goes elsewhere for the rest."""
        self._control.request_drain()
        self.draft.touch()

    def give_back(self) -> None:
        """Stop now and give the turn back; a call on its way is awaited first."""
        if self._task and not self._task.done():
            self._given_back = True
            self._task.cancel()

    async def redraw(self) -> None:
        """Bring the cards and questions of this turn up to their rows: something was decided or came back."""
        async with self._kit.pool.connection() as connection:
            rows = await approval_rows.of_turn(connection, self._turn.id)
            asked = await questions.of_turn(connection, self._turn.id)
        if redraw(self.draft.transcript, self._kit.approvals, rows, asked):
            self.draft.touch()

    async def _through_outages(self) -> None:
        """Begin again from the checkpoint when the database was away, for as long as the lease lasts."""
        while True:
            self._lease.check()
            try:
                return await self._to_its_end()
            except AWAY as error:
                log.warning("database away: %s", type(error).__name__, extra={"turn_id": str(self._turn.id)})
                await asyncio.sleep(AWAY_PAUSE)

    async def _to_its_end(self) -> None:
        try:
            await self._load()
            await self._drive()
        except NeedsToken:
            await self._wait_for_sign_in()
        except Stopped:
            await self._stop()
        except GraphDrained:
            await self._release()
        except (LeaseLost, LostLease, *AWAY):
            raise
        except Exception as error:
            self._lease.check()
            await self._fail(error)

    async def _load(self) -> None:
        """Read what the turn needs, with a token of the person. Raises `NeedsToken` and `Stopped`."""
        turn, kit = self._turn, self._kit
        async with kit.pool.connection() as connection:
            self._go_on(await messages.of_turn(connection, turn.id, "assistant"))
            asked = await messages.of_turn(connection, turn.id, "user")
            place = await conversations.get(connection, turn.tenant, turn.owner, turn.conversation_id)
            allowed = await always.page(connection, turn.tenant, turn.owner)
            principal = await kit.credentials.of(connection, turn)
        self._human = human_message(turn, asked)
        if turn.cancel_requested_at or self._lease.cancel.is_set():
            raise Stopped
        if principal is None:
            raise NeedsToken
        review = bool(place and place.review_changes)
        self._context = run_context(kit, turn, self._lease, principal, review=review, allowed=frozenset(allowed))

    def _go_on(self, said: Message | None) -> None:
        """From the message as it stands here, else as it was last saved."""
        transcript = self.draft.transcript
        if not self.draft.loaded:
            transcript = Transcript(said.parts if said else (), self._kit.price)
        transcript.version = max(transcript.version, said.version if said else 0, first_version(self._turn.fence))
        transcript.reopen()
        self.draft.transcript, self.draft.loaded = transcript, True
        self._loaded(self._turn.id)

    async def _drive(self) -> None:
        """The loop of a turn: run what is left, put what waits before the person, until nothing is left."""
        state = await self._state()
        self._recall(state)
        while True:
            if self._lease.cancel.is_set() and (state.tasks or not self._begun(state)):
                raise Stopped
            if not self._begun(state):
                await self._begin(state)
            elif state.interrupts and not _unfinished(state):
                waits = await self._broken_in(self._look(state), self._lease.cancel)
                if not waits.ready:
                    return await self._wait_for_person(waits)
                await self._kit.failpoints.reach("K09")
                await self._advance(Command(resume=waits.ready))
            elif state.tasks:
                await self._advance(None)
            else:
                return await self._succeed(state)
            state = await self._state()

    async def _begin(self, state: StateSnapshot) -> None:
        """Add the person's message to the history, or put it in the place of what it replaces."""
        turn, found = self._turn, state.values.get("messages", [])
        async with self._kit.pool.connection() as connection:
            kept = await rewound(connection, turn, found, self._kit.limits.window_turns)
        if kept is None:
            await self._settle(state, WENT_ON)
            await self._advance({"messages": [self._human]})
        else:
            await self._advance({"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept, self._human]})

    async def _advance(self, work: Any) -> None:
        """Run the graph until it pauses or ends; it falls silent by itself when the person stops it."""
        await self._broken_in(self._stream(work))
        await self._kit.failpoints.reach("K12")

    async def _stream(self, work: Any) -> None:
        stream = self._graph.astream(
            work,
            self._config,
            context=self._context,
            stream_mode="custom",
            durability="sync",
            control=self._control,
        )
        try:
            async with asyncio.timeout_at(self._context.run_end), aclosing(stream) as steps:  # type: ignore[type-var]
                async for step in steps:
                    await self._tell(step)
        except TimeoutError:
            raise RunTimeout from None

    async def _tell(self, step: Step) -> None:
        self.draft.tell(step)
        self._journal.note(step)
        if isinstance(step, ModelEnded) and step.usage:
            self._used.append(_usage(step, step.usage))
        elif isinstance(step, ToolEnded) and step.approval_id:
            await self.redraw()
        await self._kit.failpoints.reach("K16")

    async def _broken_in(self, work: Awaitable[T], *stops: asyncio.Event) -> T:
        """The result of the work; a lost lease or one of `stops` ends it at once, as `LeaseLost` or `Stopped`."""
        task = asyncio.ensure_future(work)
        waits = [asyncio.ensure_future(event.wait()) for event in (self._lease.lost, *stops)]
        try:
            await asyncio.wait({task, *waits}, return_when=asyncio.FIRST_COMPLETED)
            self._lease.check()
            if not task.done():
                raise Stopped
            return await task
        finally:
            for one in (task, *waits):
                one.cancel()
            await asyncio.gather(task, *waits, return_exceptions=True)

    async def _state(self) -> StateSnapshot:
        state = await self._graph.aget_state(self._config)
        found = state.values.get("messages", [])
        if not isinstance(found, list) or not all(isinstance(m, BaseMessage) for m in found):
            raise CorruptState
        return state

    def _begun(self, state: StateSnapshot) -> bool:
        return any(m.id == self._human.id for m in state.values.get("messages", []))

    def _recall(self, state: StateSnapshot) -> None:
        """A worker that died may have saved a checkpoint and no longer the message."""
        if self._begun(state):
            turn, lang = turn_of(state.values["messages"]), self._turn.lang
            recall(self.draft.transcript, turn, self._kit.toolset.specs, lang)

    async def _look(self, state: StateSnapshot) -> Waits:
        kit = self._kit
        waits = await look(kit.pool, kit.approvals, self._lease, self._context.call, state.interrupts)
        redraw(self.draft.transcript, kit.approvals, waits.approvals, waits.questions)
        self.draft.touch()
        return waits

    async def _wait_for_person(self, waits: Waits) -> None:
        """Leave the turn to the person; it is queued again at once if somebody decided in the meantime."""
        await self._kit.failpoints.reach("K07")
        await self._record_usage()
        async with self._kit.pool.connection() as connection:
            await approval_rows.supersede_others(connection, self._lease, waits.keys)
            await leases.wait(connection, self._lease, waits.state, self.draft.content(), waits.awaited)
        await self._kit.failpoints.reach("K08")

    async def _wait_for_sign_in(self) -> None:
        self.draft.transcript.notice("sign_in", SIGN_IN[self._turn.lang == "ru"])
        await self._record_usage()
        async with self._kit.pool.connection() as connection:
            await leases.wait(connection, self._lease, "waiting_auth", self.draft.content())

    async def _release(self) -> None:
        await self._save(self.draft.content())
        async with self._kit.pool.connection() as connection:
            await leases.release(connection, self._lease)

    async def _succeed(self, state: StateSnapshot) -> None:
        """End the turn, if its last word is the model's."""
        turn = turn_of(state.values["messages"])
        last = turn[-1]
        if turn[0].id != self._human.id or not isinstance(last, AIMessage) or last.tool_calls:
            raise CorruptState
        stopped = last.response_metadata.get("finish") == "canceled"
        await self._end("canceled" if stopped else "succeeded")

    async def _stop(self) -> None:
        """The person stopped the turn: what was said stays, what is open is closed."""
        state = await self._state()
        if self._begun(state):
            await self._settle(state, STOPPED_BY_PERSON)
        await self._end("canceled")

    async def _fail(self, error: Exception) -> None:
        """The turn cannot go on; the checkpoint stays as it is, so that the same turn may be tried again."""
        ref, lang = uuid4().hex[:8], self._turn.lang
        about = {"turn_id": str(self._turn.id), "ref": ref}
        if isinstance(error, ModelError):
            code, text, retry = error.code, error.text(lang), error.retry
            log.warning("model failed: %s", code, extra={**about, "detail": error.detail})
        else:
            code = "too_many_steps" if isinstance(error, GraphRecursionError) else "internal"
            text, retry = FAILED[lang == "ru"], True
            log.error("turn failed", exc_info=error, extra=about)
        self.draft.transcript.error(code, text, retry=retry, ref=ref)
        await self._end("failed", {"code": code, "ref": ref})

    async def _settle(self, state: StateSnapshot, not_run: str) -> None:
        """Make the history of the last turn whole before another one is added, or because this one is over."""
        found = state.values.get("messages", [])
        if not found or not settled(found, not_run, {}):
            return
        async with self._kit.pool.connection() as connection:
            rows = await approval_rows.of_turn(connection, _turn_id(turn_of(found)[0]))
        if added := settled(found, not_run, outcomes_of(rows)):
            await self._graph.aupdate_state(self._config, {"messages": added}, as_node="model")

    async def _end(self, state: Ended, error: dict[str, Any] | None = None) -> None:
        """Write the end of the turn and its message in one transaction, then drop old checkpoints."""
        await self._draw_receipts("stopped" if state == "canceled" else "turn_ended")
        self.draft.transcript.close(INTERRUPTED[self._turn.lang == "ru"], cut_off=state == "failed")
        await self._record_usage()
        await self._kit.failpoints.reach("K13")
        async with transaction(self._kit.pool) as connection:
            await leases.finish(connection, self._lease, state, self.draft.content(), error)
            await self._kit.failpoints.reach("K14")
        self._journal.end(state, error)
        await self._kit.failpoints.reach("K15")
        await checkpoints.prune(self._kit.pool, self._turn.conversation_id)

    async def _draw_receipts(self, why: Why) -> None:
        """Cards and questions as they will be once the turn has ended: what is open now is void then."""
        async with self._kit.pool.connection() as connection:
            rows = await approval_rows.of_turn(connection, self._turn.id)
            asked = await questions.of_turn(connection, self._turn.id)
        redraw(self.draft.transcript, self._kit.approvals, voided(rows, why), dropped(asked))

    async def _save(self, content: Content) -> None:
        """Save the message as it stands, once it has what was said before this claim."""
        if not self.draft.loaded:
            return
        async with self._kit.pool.connection() as connection:
            await messages.save_draft(connection, self._lease, content)
        await self._record_usage()
        await self._kit.failpoints.reach("K17")

    async def _record_usage(self) -> None:
        """Count the model requests so far, each once.

        In a transaction of its own: a share of the turn's row must not be held when the row itself is to be changed,
        or two such transactions and a third that waits for both lock each other out.
        """
        for used in list(self._used):
            async with self._kit.pool.connection() as connection:
                await usage.record(connection, self._lease, used)
            with suppress(ValueError):
                self._used.remove(used)


def _unfinished(state: StateSnapshot) -> bool:
    """Whether a task beside the waiting ones was broken off by the death of its worker."""
    return any(not task.interrupts and task.result is None for task in state.tasks)


def _turn_id(message: BaseMessage) -> UUID:
    return UUID(str(message.id).removeprefix(HUMAN))


def _usage(step: ModelEnded, used: Usage) -> usage.Usage:
    return usage.Usage(
        step.key, step.model, used.input, used.cached, used.reasoning, used.output, estimated=used.estimated
    )
