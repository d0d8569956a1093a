"""The chat page: `gr.ChatInterface` with a chatbot of our own, and the handlers that draw a conversation into it."""

import sys
from collections.abc import AsyncIterator
from typing import Any

import gradio as gr

from agent.identity import Principal
from agent.refused import Refused
from agent.turns import Turns
from tools.toolset import Lang
from ui.chatbot import XChatbot
from ui.draw import Artist
from ui.endpoint import Endpoint, error_part
from ui.html import component
from ui.lang import language
from ui.steps import Titles
from ui.stops import Stops
from ui.streams import while_shown, with_beat
from ui.tabs import Tabs
from ui.transcript import MESSAGES, answer, running, transcript, view
from ui.visitors import Visitors

INPUTS = ("conversation_id", "action", "user_jwt", "turn_id", "decision")
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": None}
SIZE = 300
IDLE = 0.01  # seconds between looks into an empty queue; Gradio's own thousand looks a second take 6 % of a core
MESSAGE_LENGTH = 200_000

# Gradio imports it before and after every update of a stream; where it is not installed, that searches the whole path.
sys.modules.setdefault("matplotlib", None)  # type: ignore[arg-type]


class Looks:
    """What a tab asks to see: a conversation, what came before, or a new one. Each answer is the whole transcript."""

    def __init__(self, turns: Turns, visitors: Visitors, tabs: Tabs):
        self._turns = turns
        self._visitors = visitors
        self._tabs = tabs

    async def look(self, wanted: dict[str, Any], request: gr.Request) -> AsyncIterator[tuple]:
        """(transcript, conversation id, whether an answer is being written), as it changes; nothing for nobody."""
        person = await self._visitors.browser(dict(request.cookies))
        conversation_id, tab = str(wanted.get("id") or ""), request.session_hash or ""
        if person is None:
            return
        if not conversation_id and wanted.get("type") != "new":
            return  # a page that has just been opened is empty, and the person may have written already
        number = self._tabs.take(tab)
        if wanted.get("type") == "new":
            yield [], "", False
            return
        lang = language(dict(request.query_params), dict(request.cookies), dict(request.headers))
        frames = self._conversation(person, conversation_id, wanted.get("before"), lang)
        try:
            async for frame in while_shown(frames, lambda: self._tabs.shows(tab, number)):
                yield frame
        except Refused as refused:
            yield [error_part(refused.code, refused.text)], "", False

    async def stop(self, conversation_id: str, cookies: dict[str, str]) -> None:
        """Stop the running turn of a conversation."""
        person = await self._visitors.browser(cookies)
        if person is not None and conversation_id:
            await self._turns.cancel(person, conversation_id)

    async def _conversation(self, person: Principal, id_: str, before: int | None, lang: Lang) -> AsyncIterator[tuple]:
        page = await self._turns.open(person, id_, before=before, limit=MESSAGES)
        if before is None and running(page) and page.active_turn is not None:
            turn_id = page.active_turn.turn_id
            base = transcript(page, lang, without=turn_id)
            yield transcript(page, lang), id_, True
            async for parts in with_beat(self._turns.tail(person, id_, turn_id)):
                yield [*base, view(id_), *answer(id_, turn_id, parts, lang)], id_, True
            page = await self._turns.open(person, id_, limit=MESSAGES)
        spent = await self._turns.spent(person, id_)
        yield transcript(page, lang, newest=before is None, spent=spent), id_, False


def chat_page(turns: Turns, visitors: Visitors, titles: Titles, stops: Stops) -> gr.Blocks:
    """The page at `/`, with the API endpoint `/chat`; `titles` are what tools are called, by name and language."""
    tabs = Tabs()
    endpoint = Endpoint(turns, visitors, tabs, stops)
    looks = Looks(turns, visitors, tabs)
    with gr.Blocks(title="Countersign", fill_width=True, fill_height=True) as demo:
        inputs = [gr.Textbox(value="", label=name, visible=False) for name in INPUTS]
        bridge = component({"kind": "bridge"}, elem_classes="cs-bridge")
        component({"kind": "sidebar"}, elem_classes="cs-sidehost")
        with gr.Column(elem_classes="cs-page"):
            component({"kind": "topbar"}, elem_classes="cs-tophost")
            with gr.Column(elem_classes="cs-stage"):
                component({"kind": "welcome"}, elem_classes="cs-welcomehost")
                chat = _interface(endpoint, inputs, Artist(titles))
                component({"kind": "jump"}, elem_classes="cs-jump")
                component({"kind": "foot"}, elem_classes="cs-foothost")
        _wire(demo, chat, bridge, inputs[0], looks)
        _spare(demo)
        demo.unload(_forgetter(tabs))
    demo.max_threads = SIZE
    demo.queue(default_concurrency_limit=None, max_size=SIZE)
    demo._queue.sleep_when_free = IDLE
    return demo


def _interface(endpoint: Endpoint, inputs: list[gr.Textbox], artist: Artist) -> gr.ChatInterface:
    chatbot = XChatbot(
        show_label=False, container=False, layout="bubble", height="100%", autoscroll=True, buttons=[],
        render_markdown=False, sanitize_html=True, allow_tags=False, latex_delimiters=[],
        group_consecutive_messages=True, elem_classes="cs-chat", render=False,
    )  # fmt: skip
    chatbot.artist = artist
    box = gr.Textbox(
        label="Message", show_label=False, container=False, lines=1, max_lines=8, max_length=MESSAGE_LENGTH,
        submit_btn=True, stop_btn=True, autofocus=False, elem_classes="cs-box", render=False,
    )  # fmt: skip
    return gr.ChatInterface(
        endpoint.function(),
        chatbot=chatbot,
        textbox=box,
        additional_inputs=list(inputs),
        api_name="chat",
        concurrency_limit=None,
        show_progress="hidden",
        fill_height=True,
        autofocus=False,
    )


def _wire(demo: gr.Blocks, chat: gr.ChatInterface, bridge: gr.HTML, conversation: gr.Textbox, looks: Looks) -> None:
    """Every other writer of the chatbot keeps `chatbot_state` in step, or the next turn would follow an old history."""
    shown = [chat.chatbot, chat.chatbot_state, conversation, chat.textbox]

    async def load(request: gr.Request):
        wanted = {"id": dict(request.query_params).get("conversation")}
        async for update in _updates(looks.look(wanted, request)):
            yield update

    async def look(request: gr.Request, event: gr.EventData):
        async for update in _updates(looks.look(event._data, request)):
            yield update

    async def stop(conversation_id: str, request: gr.Request):
        await looks.stop(conversation_id, dict(request.cookies))

    demo.load(load, None, shown, **QUIET)
    bridge.at(None, None, [conversation], js="() => CS.page.conversation", **QUIET)  # type: ignore[attr-defined]
    bridge.look(look, None, shown, trigger_mode="multiple", **QUIET)  # type: ignore[attr-defined]
    chat.textbox.stop(stop, [conversation], None, **QUIET)


def _spare(demo: gr.Blocks) -> None:
    """Leave out requests of `gr.ChatInterface` that do nothing here: saving to the browser, queueing for a constant."""
    for number, function in list(demo.fns.items()):
        if function.name == "_save_conversation":
            del demo.fns[number]
        elif function.name == "<lambda>" and not function.inputs:
            function.queue = False


def _forgetter(tabs: Tabs) -> Any:
    def forget(request: gr.Request) -> None:
        tabs.forget(request.session_hash or "")

    return forget


async def _updates(frames: AsyncIterator[tuple]) -> AsyncIterator[tuple]:
    """Frames as values for the chatbot, its state, the conversation's id and the message box.

    When a stream ends Gradio sends its last values once more, or None for each where there were none: a stream that a
    newer one has replaced would blank or age what that has drawn. So the last values are always "leave as it is".
    """
    was_busy = None
    async for messages, conversation_id, busy in frames:
        box = gr.skip() if busy == was_busy else _box(busy)
        was_busy = busy
        yield messages, gr.skip() if busy else messages, conversation_id, box
    yield gr.skip(), gr.skip(), gr.skip(), gr.skip()


def _box(busy: bool) -> Any:
    return gr.update(submit_btn=not busy, stop_btn=busy, interactive=not busy)
