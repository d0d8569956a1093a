"""The chatbot: Gradio's, except that it takes protocol dicts, keeps their metadata and draws cards from them."""

from typing import Any

import gradio as gr

from ui.draw import Artist, Drawn
from ui.messages import XData, packed, unpacked

from gradio.events import Dependency

class XChatbot(gr.Chatbot):
    """Takes lists of protocol dicts (`agent.events`) and of its own drawn messages, and shows the newest of them.

    Gradio reads a component's options from the signature of its constructor, so this class has none of its own.
    """

    data_model = XData
    travels = XData.model_json_schema()
    artist = Artist()
    most = 80

    def get_block_name(self) -> str:
        """The frontend knows this component as Gradio's chatbot."""
        return "chatbot"

    def api_info(self) -> dict[str, Any]:
        """What travels; made once: Gradio asks several times for every update that leaves the chatbot as it is."""
        return self.travels

    def preprocess(self, payload: XData | None) -> list[Drawn]:  # type: ignore[override]
        """What the browser shows, as drawn messages; they go back as they came."""
        return unpacked(payload)

    def postprocess(self, value: list[dict[str, Any]] | None) -> XData:  # type: ignore[override]
        """Draw what is not drawn yet."""
        return packed(self.artist.draw(value or []), self.most)
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component