"""What a person decides about a turn: approve, deny or edit a card, answer a question, stop, take back."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from agent import words
from agent.acting import as_person
from agent.approvals import Decision, attempt, refusal
from agent.cards import INTERRUPTED, dropped, redraw, refresh, stored, voided
from agent.credentials import Credentials
from agent.events import Approval
from agent.failpoints import Failpoints
from agent.identity import Principal
from agent.kit import call_of
from agent.library import Library, refusing, uuid_of
from agent.look import look
from agent.refused import Refused
from agent.tail import Tails
from agent.undo import undo
from agent.worker import Worker
from store import approvals as approval_rows
from store import audit, conversations, messages, questions, turns
from store.approvals import Decided
from store.endings import Why
from store.messages import Content
from store.pool import Connection, transaction
from store.turns import Turn

UNFIT = ("not_found", "unknown_fields", "refused_by_backend")


class Decisions(Library):
    """Every decision is one transaction: the row, the message that shows it, and the turn that goes on."""

    _credentials: Credentials
    _failpoints: Failpoints
    _tails: Tails
    _worker: Worker

    @as_person
    async def decide(self, principal: Principal, decision: Decision) -> Approval:
        """Approve, deny or edit a pending card. An edit answers with the new version, still pending.

        The same decision again is harmless; one that comes too late is refused with the winner's, one on a card
        that has changed since as "stale_card". What could not be honoured is on record; a value that does not fit
        its field of the form is only told to the person.
        """
        try:
            with refusing():
                turn = await self._turn_of_decision(principal, decision)
                decide = self._edit if decision.decision == "edit" else self._decide
                decided = await decide(principal, turn, decision)
        except Refused as refused:
            if refused.code in UNFIT:
                async with self._pool.connection() as connection:
                    await audit.append(connection, attempt(decision, principal, refused.code))
            raise
        if not decided.won and (refused := refusal(decided, decision, turn.lang)):
            raise refused
        return self._approvals.part(decided.approval)

    @as_person
    async def answer(self, principal: Principal, question_id: str, text: str) -> None:
        """Answer a question of the agent; the first answer stands."""
        mine = principal.tenant, principal.subject
        with refusing():
            async with transaction(self._pool) as connection:
                asked = await questions.get(connection, *mine, uuid_of(question_id))
                turn = await turns.get(connection, *mine, asked.turn_id) if asked else None
                if asked is None or turn is None:
                    raise Refused("not_found")
                said = words.short(text, words.MAX_ANSWER, turn.lang)
                if not said:
                    raise Refused("empty", turn.lang)
                answered = await questions.answer(connection, *mine, asked.id, said)
                if answered.won:
                    await self._redraw(connection, turn)
                    await self._go_on(connection, principal, turn.id)
        if not answered.won and answered.question.answer != said:
            raise Refused("already_answered", turn.lang)

    @as_person
    async def cancel(self, principal: Principal, conversation_id: str, turn_id: str | None = None) -> None:
        """Stop the turn (or whichever goes on); stopping what has ended does nothing."""
        mine, place = (principal.tenant, principal.subject), uuid_of(conversation_id)
        if turn_id is not None:
            words.turn_id(turn_id, "en")
        with refusing():
            async with transaction(self._pool) as connection:
                if await conversations.get(connection, *mine, place) is None:
                    raise Refused("not_found")
                turn = await turns.active(connection, *mine, place)
                if turn_id is not None and (turn is None or turn.client_turn_id != turn_id):
                    turn = await turns.of_client(connection, *mine, place, turn_id)
                    if turn is None:
                        raise Refused("not_found")
                if turn is None:
                    return
                await turns.hold(connection, turn.id)
                stopped = await turns.cancel(
                    connection, *mine, turn.id, await self._voided(connection, turn, "stopped")
                )
        await self._failpoints.reach("K19")
        if stopped.state == "running":
            self._worker.cancel(stopped.id)
        self._tails.ring(stopped.id)

    @as_person
    async def undo(self, principal: Principal, approval_id: str) -> Approval:
        """Take back what an approved call did, when the tool can and nothing newer touched the thing."""
        with refusing():
            turn = await self._turn_of_approval(principal, approval_id)
            call = call_of(turn, principal, f"undo {approval_id}")
            async with self._pool.connection() as connection:
                row = await self._approvals.owned(connection, principal, approval_id)
            row = await undo(self._pool, self._toolset, principal, row, call)
            async with transaction(self._pool) as connection:
                await self._redraw(connection, turn)
        return self._approvals.part(row)

    @as_person
    async def look(self, principal: Principal, approval_id: str) -> dict[str, Any]:
        """How the thing is now that a call of unknown outcome was about; changes nothing."""
        with refusing():
            turn = await self._turn_of_approval(principal, approval_id)
            async with self._pool.connection() as connection:
                row = await self._approvals.owned(connection, principal, approval_id)
        return await look(self._toolset, row, call_of(turn, principal, f"look {approval_id}"))

    async def _edit(self, principal: Principal, turn: Turn, decision: Decision) -> Decided:
        call = call_of(turn, principal, "edit")
        proposal = await self._approvals.revise(call, principal, decision)
        async with transaction(self._pool) as connection:
            decided = await self._approvals.edit(connection, call, principal, decision, proposal)
            await self._after(connection, principal, turn, decided)
        return decided

    async def _decide(self, principal: Principal, turn: Turn, decision: Decision) -> Decided:
        async with transaction(self._pool) as connection:
            decided = await self._approvals.decide(connection, principal, decision)
            await self._after(connection, principal, turn, decided)
        await self._failpoints.reach("K08b")
        return decided

    async def _after(self, connection: Connection, principal: Principal, turn: Turn, decided: Decided) -> None:
        """Show what became of the card; unless another waits in its place, the turn goes on."""
        if decided.won or decided.approval.state == "expired":
            await self._redraw(connection, turn)
            if decided.approval.state != "pending":
                await self._go_on(connection, principal, turn.id)

    async def _go_on(self, connection: Connection, principal: Principal, turn_id: UUID) -> None:
        """Queue the turn again, to go on with this person's fresh token."""
        await self._credentials.keep(connection, turn_id, principal)
        await turns.resume(connection, turn_id)

    @as_person
    async def _see_to(self, principal: Principal, turn: Turn) -> bool:
        """What a turn may need when its person looks: their fresh token, or an end after too many dead workers.

        Says whether it needed something.
        """
        with refusing():
            if turn.state == "waiting_auth" and self._credentials.good(principal):
                async with transaction(self._pool) as connection:
                    await self._go_on(connection, principal, turn.id)
                return True
            if turn.state == "running" and turn.lease_until and turn.lease_until < datetime.now(UTC):
                await self._worker.reap()
                return True
        return False

    async def _turn_of_decision(self, principal: Principal, decision: Decision) -> Turn:
        turn = await self._turn_of_approval(principal, decision.approval_id)
        if decision.conversation_id is not None and uuid_of(decision.conversation_id) != turn.conversation_id:
            raise Refused("not_found", turn.lang)
        if decision.reason is not None:
            words.short(decision.reason, words.MAX_ANSWER, turn.lang)
        return turn

    async def _turn_of_approval(self, principal: Principal, approval_id: str) -> Turn:
        async with self._pool.connection() as connection:
            row = await self._approvals.owned(connection, principal, approval_id)
            turn = await turns.get(connection, principal.tenant, principal.subject, row.turn_id)
        if turn is None:
            raise Refused("not_found")
        return turn

    async def _redraw(self, connection: Connection, turn: Turn) -> None:
        """Show in the stored message what became of its cards; where the turn is driven, its driver does that."""
        await refresh(connection, self._approvals, turn.tenant, turn.owner, turn.id)

    async def _voided(self, connection: Connection, turn: Turn, why: Why) -> Content | None:
        """The message of a waiting turn that ends now: open cards and questions are void."""
        said = await messages.of_turn(connection, turn.id, "assistant")
        if said is None:
            return None
        transcript = stored(said)
        rows = await approval_rows.of_turn(connection, turn.id)
        asked = await questions.of_turn(connection, turn.id)
        redraw(transcript, self._approvals, voided(rows, why), dropped(asked))
        transcript.close(INTERRUPTED[turn.lang == "ru"])
        return Content(transcript.parts(), transcript.text(), transcript.version)
