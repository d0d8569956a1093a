"""The chat page: `gr.ChatInterface` with a chatbot of our own, and the events that draw a conversation into it."""

import sys
from collections.abc import AsyncIterator
from typing import Any

import gradio as gr

from agent.turns import Turns
from ui.chatbot import XChatbot
from ui.draw import Artist
from ui.endpoint import Endpoint
from ui.html import component
from ui.looks import Frame, Looks
from ui.steps import Titles
from ui.stops import Stops
from ui.tabs import Tabs
from ui.visitors import Visitors

INPUTS = ("conversation_id", "action", "user_jwt", "turn_id", "decision")
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": None}
SIZE = 300
IDLE = 0.01  # seconds between looks into an empty queue; Gradio's own thousand looks a second take 6 % of a core
MESSAGE_LENGTH = 200_000
BUSY = "{__type__: 'update', submit_btn: false, stop_btn: true, interactive: false}"
FREE = "{__type__: 'update', submit_btn: true, stop_btn: false, interactive: true}"
PLACE = "(window.CS ? CS.page.conversation : new URLSearchParams(location.search).get('conversation') ?? '')"
SEND = f"(text) => [{{...{BUSY}, value: ''}}, text, {PLACE}]"

# Gradio imports it before and after every update of a stream; where it is not installed, that searches the whole path.
sys.modules.setdefault("matplotlib", None)  # type: ignore[arg-type]


def chat_page(turns: Turns, visitors: Visitors, titles: Titles, stops: Stops) -> gr.Blocks:
    """The page at `/`, with the API endpoint `/chat`; `titles` are what tools are called, by name and language."""
    tabs = Tabs()
    endpoint = Endpoint(turns, visitors, stops)
    looks = Looks(turns, visitors, tabs, stops)
    with gr.Blocks(title="Countersign", fill_width=True, fill_height=True) as demo:
        inputs = [gr.Textbox(value="", label=name, visible=False) for name in INPUTS]
        words = gr.Textbox(value="", visible=False)
        bridge = component({"kind": "bridge"}, elem_classes="cs-bridge")
        component({"kind": "sidebar"}, elem_classes="cs-sidehost")
        with gr.Column(elem_classes="cs-page"):
            component({"kind": "topbar"}, elem_classes="cs-tophost")
            with gr.Column(elem_classes="cs-stage"):
                component({"kind": "welcome"}, elem_classes="cs-welcomehost")
                chat = _interface(endpoint, inputs, Artist(titles))
                _spare(demo)
                component({"kind": "jump"}, elem_classes="cs-jump")
                component({"kind": "foot"}, elem_classes="cs-foothost")
        _wire(demo, chat, bridge, inputs[0], words, looks)
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


def _spare(demo: gr.Blocks) -> None:
    """Leave out the events of `gr.ChatInterface` that serve its own page, ten requests an answer; `/chat` stays."""
    for number, function in list(demo.fns.items()):
        if function.api_name != "chat":
            del demo.fns[number]


def _wire(
    demo: gr.Blocks,
    chat: gr.ChatInterface,
    bridge: gr.HTML,
    conversation: gr.Textbox,
    words: gr.Textbox,
    looks: Looks,
) -> None:
    """The page's events. One stream brings all that comes of a message; the browser itself sees to the box."""
    box, shown = chat.textbox, [chat.chatbot]

    async def load(request: gr.Request):
        wanted = {"id": dict(request.query_params).get("conversation")}
        async for update in _updates(looks.look(wanted, request)):
            yield update

    async def look(request: gr.Request, event: gr.EventData):
        async for update in _updates(looks.look(event._data, request)):
            yield update

    async def say(message: str, conversation_id: str, request: gr.Request):
        async for update in _updates(looks.say(message, conversation_id, request)):
            yield update

    async def stop(conversation_id: str, request: gr.Request):
        await looks.stop(conversation_id, request)

    demo.load(load, None, shown, **QUIET)
    bridge.look(look, None, shown, trigger_mode="multiple", **QUIET)  # type: ignore[attr-defined]
    bridge.busy(None, None, [box], js=f"() => ({BUSY})", **QUIET)  # type: ignore[attr-defined]
    bridge.free(None, None, [box], js=f"() => ({FREE})", **QUIET)  # type: ignore[attr-defined]
    sent = box.submit(None, [box], [box, words, conversation], js=SEND, **QUIET)
    said = sent.then(say, [words, conversation], shown, trigger_mode="multiple", **QUIET)
    said.failure(None, None, [box], js=f"() => ({FREE})", **QUIET)
    box.stop(stop, [conversation], None, js=f"() => {PLACE}", **QUIET)


def _forgetter(tabs: Tabs) -> Any:
    def forget(request: gr.Request) -> None:
        tabs.forget(request.session_hash or "")

    return forget


async def _updates(frames: AsyncIterator[Frame]) -> AsyncIterator[Any]:
    """Frames as values for the chatbot, which is all that a stream changes: Gradio works on each output each time.

    When a stream ends Gradio sends its last value once more, or None where there was none: a stream that a newer one
    has replaced would blank or age what that has drawn. So the last value is always "leave as it is".
    """
    async for frame in frames:
        yield frame
    yield gr.skip()
