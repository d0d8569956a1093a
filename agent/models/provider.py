"""LangChain's OpenAI client for any server that speaks one of OpenAI's two APIs."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
from pydantic import SecretStr, ValidationError

from agent.calls import mark
from agent.context import plain
from agent.models.sse import merging_hook
from agent.results import as_data

OPENAI = "https://api.openai.com"
_TIMEOUT = httpx2.Timeout(None, connect=10.0, write=30.0, pool=30.0)


@dataclass(frozen=True, slots=True)
class Provider:
    """Where the model is and how it is asked. `merge` is in seconds, `base_url` of None is OpenAI itself."""

    model: str
    api: Literal["chat", "responses"] = "chat"
    api_key: SecretStr | None = None
    base_url: str | None = None
    max_output_tokens: int = 8_192
    merge: float = 0.07

    @property
    def is_openai(self) -> bool:
        """Whether OpenAI's own parameters are understood there."""
        return self.base_url is None or self.base_url.startswith(OPENAI)

    def chat(self) -> ChatOpenAI:
        """The LangChain model. It never retries and never times out by itself: `agent/model.py` does."""
        return _Chat(
            model=self.model,
            api_key=self.api_key or SecretStr("none"),
            base_url=self.base_url or f"{OPENAI}/v1",
            use_responses_api=self.api == "responses",
            max_tokens=self.max_output_tokens,  # type: ignore[call-arg]
            timeout=_TIMEOUT,
            max_retries=0,
            stream_usage=True,
            stream_chunk_timeout=None,
            http_async_client=DefaultAsyncHttpxClient(
                timeout=_TIMEOUT, event_hooks={"response": [merging_hook(self.merge)]}
            ),
        )


class _Chat(ChatOpenAI):
    """ChatOpenAI that hears thinking and refusals of chat completions, and hands thinking back where it came from."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self.root_async_client.close()

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        """The stream; arguments that are JSON but no object make LangChain's own last step fail, and only that."""
        try:
            async for chunk in super()._astream(*args, **kwargs):
                yield chunk
        except ValidationError as error:
            if error.errors()[0]["loc"][0] != "tool_calls":
                raise
            end = AIMessageChunk(content="", response_metadata={"status": "completed"})
            yield ChatGenerationChunk(message=end)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict, default_chunk_class: type, base_generation_info: dict | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if made and isinstance(made.message, AIMessageChunk) and (choices := chunk.get("choices")):
            made.message.additional_kwargs.update(_extras(choices[0].get("delta") or {}))
        return made

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict:
        messages = [_fenced(m) for m in self._convert_input(input_).to_messages()]
        if self.use_responses_api:
            return super()._get_request_payload([_no_empty_text(m) for m in messages], stop=stop, **kwargs)
        payload = super()._get_request_payload([_text_only(m) for m in messages], stop=stop, **kwargs)
        for message, sent in zip(messages, payload["messages"], strict=True):
            if thought := message.additional_kwargs.get("reasoning_content"):
                sent["reasoning_content"] = thought
        if not (self.openai_api_base or "").startswith(OPENAI):
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        return payload


def _fenced(message: BaseMessage) -> BaseMessage:
    """What a tool returned, as data and not as words of the conversation."""
    return as_data(message) if isinstance(message, ToolMessage) and mark(message, "data") else message


def _extras(delta: dict[str, Any]) -> dict[str, Any]:
    """What LangChain leaves out of a delta: thinking, under either of its names, and a refusal."""
    thought = delta.get("reasoning_content") or delta.get("reasoning")
    extras = {"reasoning_content": thought, "refusal": delta.get("refusal")}
    return {key: value for key, value in extras.items() if isinstance(value, str) and value}


def _text_only(message: BaseMessage) -> BaseMessage:
    """Without blocks of the other API, which chat completions servers refuse."""
    return plain(message) if isinstance(message, AIMessage) and isinstance(message.content, list) else message


def _no_empty_text(message: BaseMessage) -> BaseMessage:
    """A message that only calls tools must not carry an empty text item."""
    empty = isinstance(message, AIMessage) and message.content == ""
    return message.model_copy(update={"content": []}) if empty else message
