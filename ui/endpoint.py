"""The function behind `/chat`: for `gradio_client`, `@gradio/client` and whatever else speaks with a Gradio app."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import gradio as gr

from agent.identity import Principal, Unauthenticated
from agent.refused import Refused
from agent.turns import Decision, TurnRef, Turns
from tools.toolset import Lang
from ui.draw import REFUSED
from ui.lang import language
from ui.stops import Stops
from ui.streams import with_beat
from ui.strings import words
from ui.visitors import Visitors

Parts = list[dict[str, Any]]
ACTIONS = ("", "confirm", "deny", "answer", "cancel", "retry", "attach")


class BadRequest(Exception):  # noqa: N818
    """The call itself makes no sense; the text says what to send instead."""


class Endpoint:
    """Takes a message or a decision, then follows the turn."""

    def __init__(self, turns: Turns, visitors: Visitors, stops: Stops):
        self._turns = turns
        self._visitors = visitors
        self._stops = stops

    def function(self) -> Callable[..., AsyncIterator[Parts]]:
        """The function for `gr.ChatInterface`; its parameter names are the names of the API."""

        async def chat(
            message: str,
            history: list[Any],
            conversation_id: str = "",
            action: str = "",
            user_jwt: str = "",
            turn_id: str = "",
            decision: str = "",
            request: gr.Request = None,  # type: ignore[assignment]
        ) -> AsyncIterator[Parts]:
            """Say something, or decide; then follow the turn. See docs/protocol.md."""
            call = Call(message, conversation_id or "", action or "", turn_id or "", decision or "", request)
            async for parts in self.run(call, user_jwt or ""):
                yield parts

        return chat

    async def run(self, call: "Call", user_jwt: str) -> AsyncIterator[Parts]:
        """The lists of parts of the turn; a refusal is a `gr.Error`."""
        try:
            person = await self._visitors.anyone(call.cookies, call.headers, user_jwt)
            beginning = asyncio.ensure_future(self._begin(person, call))
            with self._stops.following(call.tab, partial(self._stop, person, beginning)):
                ref = await asyncio.shield(beginning)  # whoever leaves now has sent the message all the same
                async for parts in self._follow(person, ref, call):
                    yield parts
        except (Refused, Unauthenticated, BadRequest) as refusal:
            status, code, text = _spoken(refusal, call)
            raise gr.Error(text, title=f"{status} {code}", print_exception=False) from None

    async def _begin(self, person: Principal, call: "Call") -> TurnRef:
        """Do what the call asks for; the turn to follow."""
        if call.action not in ACTIONS:
            raise BadRequest(f"action must be one of {', '.join(repr(a) for a in ACTIONS)}")
        call.after = call.cursor()
        if call.action in ("confirm", "deny"):
            await self._turns.decide(person, call.verdict())
        elif call.action == "answer":
            data = call.data("question_id", "text")
            await self._turns.answer(person, data["question_id"], data["text"])
        elif call.action == "cancel":
            await self._turns.cancel(person, call.conversation_id, call.turn_id or None)
        elif call.action == "retry":
            return await again(self._turns, person, call.conversation_id, call.turn_id, call.lang)
        elif call.action == "":
            turn_id = call.turn_id or uuid.uuid4().hex
            return await self._turns.accept(person, call.conversation_id or None, call.message, turn_id, call.lang)
        return await newest(self._turns, person, call.conversation_id, call.turn_id)

    async def _follow(self, person: Principal, ref: TurnRef, call: "Call") -> AsyncIterator[Parts]:
        first = _introduction(ref, call)
        async for parts in with_beat(self._turns.tail(person, ref.conversation_id, ref.turn_id, call.after)):
            yield [*map(_fresh, first), *(_told(part, call.after) for part in parts)]

    async def _stop(self, person: Principal, beginning: asyncio.Future[TurnRef]) -> None:
        with suppress(Refused, BadRequest):  # what was refused does not run
            ref = await asyncio.shield(beginning)
            await self._turns.cancel(person, ref.conversation_id, ref.turn_id)


class Call:
    """One call of `/chat`, as it came."""

    def __init__(self, message: str, conversation_id: str, action: str, turn_id: str, decision: str, request: Any):
        self.message = message if isinstance(message, str) else ""
        self.conversation_id = conversation_id
        self.action = action
        self.turn_id = turn_id
        self.decision = decision
        self.headers = dict(request.headers)
        self.cookies = dict(request.cookies)
        self.tab = request.session_hash or ""
        self.lang: Lang = language(dict(request.query_params), self.cookies, self.headers, self.message)
        self.after = 0

    def data(self, *needed: str) -> dict[str, Any]:
        """The `decision` input as JSON; raises `BadRequest` when a field is missing."""
        try:
            data = json.loads(self.decision)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or not all(isinstance(data.get(name), str) for name in needed):
            texts = f" with the texts {', '.join(needed)}" if needed else ""
            raise BadRequest(f"decision must be a JSON object{texts}")
        return data

    def cursor(self) -> int:
        """The highest `seq` that a client has seen of the turn that it follows again; raises `BadRequest`."""
        if not self.decision or self.action not in ("", "attach"):
            return 0
        after = self.data().get("after")
        if type(after) is not int or after < 0:
            raise BadRequest('decision must be {"after": N}, the highest seq that you have seen of this turn')
        return after

    def verdict(self) -> Decision:
        """The decision on a card; `args` make a confirmation an edit."""
        data = self.data("approval_id", "card_sha256")
        args, reason = data.get("args"), data.get("reason")
        if not isinstance(args, dict | None) or not isinstance(reason, str | None):
            raise BadRequest("in decision, args must be a JSON object and reason a text")
        kind = "deny" if self.action == "deny" else "edit" if args is not None else "approve"
        return Decision(data["approval_id"], kind, data["card_sha256"], args, reason, self.conversation_id)


async def newest(turns: Turns, person: Principal, conversation_id: str, turn_id: str = "") -> TurnRef:
    """The turn to follow: the one that was named, else the active one, else the last; raises `BadRequest`."""
    page = await turns.open(person, conversation_id, limit=4)
    if turn_id:
        state = page.active_turn.state if page.active_turn and page.active_turn.turn_id == turn_id else "succeeded"
        return TurnRef(conversation_id, turn_id, state, replayed=True)
    if page.active_turn:
        return page.active_turn
    if not page.messages:
        raise BadRequest("this conversation has no turn yet; send a message first")
    return TurnRef(conversation_id, page.messages[-1].turn_id, "succeeded", replayed=True)


async def again(turns: Turns, person: Principal, conversation_id: str, turn_id: str, lang: Lang) -> TurnRef:
    """The same turn once more, with the words it had; raises `BadRequest` for a turn that is not there."""
    page = await turns.open(person, conversation_id)
    for message in reversed(page.messages):
        if message.role == "user" and message.turn_id == turn_id:
            return await turns.accept(person, conversation_id, message.text, turn_id, lang)
    raise BadRequest("turn_id must name a turn among the newest messages of this conversation")


def _spoken(refusal: Exception, call: Call) -> tuple[int, str, str]:
    if isinstance(refusal, Refused):
        return refusal.status, refusal.code, refusal.text
    if isinstance(refusal, BadRequest):
        return 400, "bad_request", str(refusal)
    return 401, "unauthenticated", words("error.token.text", call.lang)


def error_part(code: str, text: str) -> dict[str, Any]:
    """A refusal as the part that the page draws; it is not kept."""
    meta = {"type": "error", "id": f"{REFUSED}{uuid.uuid4().hex}", "seq": 0, "status": "done", "code": code}
    return {"role": "assistant", "content": text, "metadata": meta}


def _introduction(ref: TurnRef, call: Call) -> Parts:
    """A program that named no conversation learns which one was made."""
    if call.conversation_id:
        return []
    meta = {"type": "notice", "id": "conversation", "seq": 0, "status": "done", "code": "conversation"}
    return [{"role": "assistant", "content": ref.conversation_id, "metadata": meta}]


def _told(part: dict[str, Any], after: int) -> dict[str, Any]:
    """A part, or only its place where the client has it already: what is not in the list any more is gone."""
    meta = part["metadata"]
    if meta["seq"] > after:
        return _fresh(part)
    place = {name: meta[name] for name in ("id", "seq", "status")}
    return {"role": "assistant", "content": "", "metadata": {"type": "seen", **place}}


def _fresh(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, "metadata": dict(part["metadata"])}
