"""Drawn messages as Gradio sends them: a text, or a card in an HTML component."""

from functools import cache
from typing import Any

from gradio.components.chatbot import ComponentMessage, FileMessage, TextMessage
from gradio.data_classes import GradioModel, GradioRootModel

from ui.draw import Drawn
from ui.html import component

Content = TextMessage | FileMessage | ComponentMessage


class XMessage(GradioModel):
    """A drawn message; Gradio's own model would drop the metadata that it does not know."""

    role: str
    metadata: dict[str, Any] | None = None
    content: list[Content]
    options: list[dict[str, Any]] | None = None


class XData(GradioRootModel):
    """The whole transcript, as it travels."""

    root: list[XMessage]


def packed(drawn: list[Drawn], most: int) -> XData:
    """The newest `most` messages, and the marker of the conversation even when it is older."""
    kept = drawn if len(drawn) <= most else [*_marker(drawn[:-most]), *drawn[-most:]]
    return XData(root=[_message(message) for message in kept])


def unpacked(payload: XData | None) -> list[Drawn]:
    """Drawn messages as the browser sent them back."""
    return [message.model_dump() for message in payload.root] if payload else []


def _message(drawn: Drawn) -> XMessage:
    contents = [_content(content) for content in drawn["content"]]
    return XMessage(role=drawn["role"], metadata=drawn["metadata"], content=contents)


def _content(content: dict[str, Any]) -> Content:
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


def _marker(drawn: list[Drawn]) -> list[Drawn]:
    return [message for message in drawn if message["metadata"].get("type") == "view"][-1:]
