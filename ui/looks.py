"""What a tab shows: a conversation as it changes, what came before, or a message and all that comes of it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any

import gradio as gr

from agent.identity import Principal
from agent.refused import Refused
from agent.turns import Page, TurnRef, Turns
from tools.toolset import Lang
from ui.endpoint import error_part
from ui.lang import language
from ui.stops import Stops
from ui.streams import while_shown, with_beat
from ui.strings import words
from ui.tabs import Tabs
from ui.transcript import MESSAGES, answer, running, transcript, view
from ui.visitors import Visitors

Frame = list[dict[str, Any]]


class Looks:
    """Streams of frames: each is the whole transcript, whose marker says which one it is and whether it goes on."""

    def __init__(self, turns: Turns, visitors: Visitors, tabs: Tabs, stops: Stops):
        self._turns = turns
        self._visitors = visitors
        self._tabs = tabs
        self._stops = stops

    async def look(self, wanted: dict[str, Any], request: gr.Request) -> AsyncIterator[Frame]:
        """What a tab asks to see; nothing for nobody."""
        person = await self._visitors.browser(dict(request.cookies))
        conversation_id, tab = str(wanted.get("id") or ""), request.session_hash or ""
        if person is None:
            return
        if not conversation_id and wanted.get("type") != "new":
            return  # a page that has just been opened is empty, and the person may have written already
        number = self._tabs.take(tab)
        if wanted.get("type") == "new":
            yield []
            return
        frames = self._conversation(person, conversation_id, wanted.get("before"), _language(request))
        try:
            async for frame in while_shown(frames, lambda: self._tabs.shows(tab, number)):
                yield frame
        except Refused as refused:
            yield [error_part(refused.code, refused.text)]

    async def say(self, message: str, conversation_id: str, request: gr.Request) -> AsyncIterator[Frame]:
        """Send a message and follow its answer to the end; a refusal is shown below what was said before."""
        person = await self._visitors.browser(dict(request.cookies))
        lang, tab = _language(request, message), request.session_hash or ""
        number = self._tabs.take(tab)
        if person is None:
            text = words("error.unauthenticated.text", lang)
            yield [_words_of(message), error_part("unauthenticated", text)]
            return
        frames = self._answered(person, message, conversation_id, lang, tab)
        try:
            async for frame in while_shown(frames, lambda: self._tabs.shows(tab, number)):
                yield frame
        except Refused as refused:
            before = await self._before(person, conversation_id, lang)
            yield [*before, _words_of(message), error_part(refused.code, refused.text)]

    async def stop(self, conversation_id: str, request: gr.Request) -> None:
        """Stop the running turn of a conversation; without one, the turn that the tab is about to begin."""
        person = await self._visitors.browser(dict(request.cookies))
        if person is not None and conversation_id:
            await self._turns.cancel(person, conversation_id)
        elif person is not None:
            await self._stops.stop(request.session_hash or "")

    async def _answered(self, person: Principal, text: str, place: str, lang: Lang, tab: str) -> AsyncIterator[Frame]:
        turn_id = uuid.uuid4().hex
        beginning = asyncio.ensure_future(self._turns.accept(person, place or None, text, turn_id, lang))
        with self._stops.following(tab, partial(self._stop, person, beginning)):
            ref = await asyncio.shield(beginning)  # whoever leaves now has sent the message all the same
            async for frame in self._conversation(person, ref.conversation_id, None, lang):
                yield frame

    async def _conversation(self, person: Principal, id_: str, before: int | None, lang: Lang) -> AsyncIterator[Frame]:
        page = await self._turns.open(person, id_, before=before, limit=MESSAGES)
        if before is None and running(page) and page.active_turn is not None:
            turn_id = page.active_turn.turn_id
            base = [*transcript(page, lang, without=turn_id), view(id_, running=True)]
            yield [*base, *answer(id_, turn_id, _said(page, turn_id), lang)]
            async for parts in with_beat(self._turns.tail(person, id_, turn_id)):
                yield [*base, *answer(id_, turn_id, parts, lang)]
            page = await self._turns.open(person, id_, limit=MESSAGES + 1)  # what was shown stays, the answer is more
        spent = await self._turns.spent(person, id_)
        yield transcript(page, lang, newest=before is None, spent=spent)

    async def _before(self, person: Principal, id_: str, lang: Lang) -> list[dict[str, Any]]:
        """What a conversation holds already; nothing for a new one, or where it cannot be read."""
        if not id_:
            return []
        try:
            return transcript(await self._turns.open(person, id_, limit=MESSAGES), lang)
        except Refused:
            return []

    async def _stop(self, person: Principal, beginning: asyncio.Future[TurnRef]) -> None:
        with suppress(Refused):  # what was refused does not run
            ref = await asyncio.shield(beginning)
            await self._turns.cancel(person, ref.conversation_id, ref.turn_id)


def _said(page: Page, turn_id: str) -> list[dict[str, Any]]:
    """What is stored of an answer so far."""
    return next((m.parts for m in page.messages if (m.turn_id, m.role) == (turn_id, "assistant")), [])


def _language(request: gr.Request, message: str = "") -> Lang:
    return language(dict(request.query_params), dict(request.cookies), dict(request.headers), message)


def _words_of(message: str) -> dict[str, Any]:
    """Words that were not taken, as the page shows a person's words."""
    return {"role": "user", "content": message, "metadata": {"type": "user"}}
