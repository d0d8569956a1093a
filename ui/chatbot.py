"""The chatbot: Gradio's, except that it takes protocol dicts, keeps their metadata and draws cards from them."""

from functools import cache
from typing import Any

import gradio as gr
from gradio.components.chatbot import ComponentMessage, FileMessage, TextMessage
from gradio.data_classes import GradioModel, GradioRootModel

from ui.draw import Artist, Drawn
from ui.html import component

SHOWN = 60


class XMessage(GradioModel):
    """A drawn message; Gradio's own model would drop the metadata that it does not know."""

    role: str
    metadata: dict[str, Any] | None = None
    content: list[TextMessage | FileMessage | ComponentMessage]
    options: list[dict[str, Any]] | None = None


class XData(GradioRootModel):
    """The whole transcript, as it travels."""

    root: list[XMessage]


class XChatbot(gr.Chatbot):
    """Takes lists of protocol dicts (`agent.events`) and of its own drawn messages, newest `SHOWN` of them."""

    data_model = XData
    artist = Artist()  # of the class: Gradio reads a component's options from the signature of its constructor

    def get_block_name(self) -> str:
        """The frontend knows this component as Gradio's chatbot."""
        return "chatbot"

    def preprocess(self, payload: XData | None) -> list[Drawn]:
        """What the browser shows, as drawn messages; they go back as they came."""
        return [message.model_dump() for message in payload.root] if payload else []

    def postprocess(self, value: list[dict[str, Any]] | None) -> XData:
        """Draw what is not drawn yet."""
        drawn = self.artist.draw(value or [])
        kept = drawn if len(drawn) <= SHOWN else [*_views(drawn), *drawn[-SHOWN:]]
        return XData(root=[self._message(message) for message in kept])

    def _message(self, drawn: Drawn) -> XMessage:
        contents = [self._content(content) for content in drawn["content"]]
        return XMessage(role=drawn["role"], metadata=drawn["metadata"], content=contents)

    def _content(self, content: dict[str, Any]) -> TextMessage | ComponentMessage:
        if content.get("type") == "text":
            return TextMessage(text=content["text"])
        if content.get("type") == "component":
            return ComponentMessage(**content)
        props = {**_card(), "value": content}
        return ComponentMessage(component="html", value=content, constructor_args={"render": False}, props=props)


@cache
def _card() -> dict[str, Any]:
    """The properties that all cards share."""
    return component({"kind": "none"}, render=False).get_config()


def _views(drawn: list[Drawn]) -> list[Drawn]:
    """The newest marker of the conversation, when it is among the messages that fall off."""
    markers = [message for message in drawn[:-SHOWN] if message["metadata"].get("type") == "view"]
    return markers[-1:]
