"""`DemoChatModel`: LangChain's chat model interface over the rules; it streams as a model does."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from agent.demo.reply import Reply, reply_to

MODEL_NAME = "demo"
_PIECE = re.compile(r"\s*\S{1,12}|\s+$")


def _today() -> date:
    return datetime.now(UTC).date()


class DemoChatModel(BaseChatModel):
    """A rule-based model for the workspace's tools, in English and Russian, that is honest about being one.

    `tokens_per_second` paces streaming (0: as fast as possible). `sleep` and `pause` (seconds; asynchronous and
    blocking) and `today` (what relative dates count from, UTC by default) are injected by tests.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    tokens_per_second: float = Field(default=60.0, ge=0)
    sleep: Callable[[float], Awaitable[Any]] = Field(default=asyncio.sleep, exclude=True)
    pause: Callable[[float], Any] = Field(default=time.sleep, exclude=True)
    today: Callable[[], date] = Field(default=_today, exclude=True)

    @property
    def _llm_type(self) -> str:
        return "countersign-demo"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": MODEL_NAME, "tokens_per_second": self.tokens_per_second}

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with these tools, best first; anything that LangChain can turn into a function schema."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _reply(self, messages: list[BaseMessage], kwargs: dict[str, Any]) -> Reply:
        may_call = kwargs.get("tool_choice") != "none"
        return reply_to(messages, kwargs.get("tools") or [], self.today(), may_call)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        whole = _chunks_sum(_chunks(self._reply(messages, kwargs), messages))
        message = AIMessage(
            content=whole.content,
            tool_calls=whole.tool_calls,
            usage_metadata=whole.usage_metadata,
            response_metadata=whole.response_metadata,
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for message in _chunks(self._reply(messages, kwargs), messages):
            if self.tokens_per_second and not message.usage_metadata:
                self.pause(1 / self.tokens_per_second)
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token(message.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for message in _chunks(self._reply(messages, kwargs), messages):
            if self.tokens_per_second and not message.usage_metadata:
                await self.sleep(1 / self.tokens_per_second)
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                await run_manager.on_llm_new_token(message.text, chunk=chunk)
            yield chunk


def _chunks(reply: Reply, messages: Sequence[BaseMessage]) -> Iterator[AIMessageChunk]:
    """The reply in pieces: words, then each call with its arguments in pieces, then finish and usage."""
    for piece in _PIECE.findall(reply.text):
        yield AIMessageChunk(content=piece)
    for index, call in enumerate(reply.calls):
        call_id = f"call_{uuid4().hex[:24]}"
        yield _call_chunk(tool_call_chunk(name=call.tool, args="", id=call_id, index=index))
        for piece in _PIECE.findall(json.dumps(dict(call.args), ensure_ascii=False)):
            yield _call_chunk(tool_call_chunk(name=None, args=piece, id=None, index=index))
    yield AIMessageChunk(
        content="",
        usage_metadata=_usage(reply, messages),
        response_metadata={
            "finish_reason": "tool_calls" if reply.calls else "stop",
            "model_name": MODEL_NAME,
            "model_provider": "countersign",
        },
        chunk_position="last",
    )


def _call_chunk(chunk: Any) -> AIMessageChunk:
    return AIMessageChunk(content="", tool_call_chunks=[chunk])


def _chunks_sum(chunks: Iterator[AIMessageChunk]) -> AIMessageChunk:
    whole = next(chunks)
    for chunk in chunks:
        whole += chunk
    return whole


def _usage(reply: Reply, messages: Sequence[BaseMessage]) -> UsageMetadata:
    """An estimate: four characters a token."""
    read = sum(len(m.text) // 4 + 4 for m in messages)
    written = len(reply.text) // 4 + sum(len(json.dumps(dict(c.args))) // 4 + 8 for c in reply.calls)
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
