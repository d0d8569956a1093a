"""One model request, from messages to a finished message: streamed, bounded in time, retried only while unheard."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from agent.context import estimate
from agent.guards import Limits
from agent.models.errors import EmptyReply, ModelError, ModelTimeout, classify
from agent.models.finish import finished
from agent.models.listen import Listener
from agent.models.usage import estimate_text, estimate_tools, usage_of
from agent.steps import ModelEnded, ModelStarted, Notice, Step, Usage
from tools.toolset import Lang

_SLOW = ("The model has not answered yet; still waiting.", "Модель пока не ответила, жду дальше.")
_AGAIN = ("The model did not answer; asking again.", "Модель не ответила, спрашиваю снова.")


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of a model, how what it says is told, and when it must end (`run_end`, event loop time).

    With `final` no tool may be called any more; the schemas still go along, because some providers refuse a history
    with calls in it otherwise. `cache_key` names requests that share a beginning.
    """

    messages: Sequence[BaseMessage]
    tools: Sequence[dict[str, Any]]
    lang: Lang
    tell: Callable[[Step], None]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    run_end: float = float("inf")
    final: bool = False
    cache_key: str | None = None


class ModelClient:
    """A LangChain chat model behind one method. `window` is the model's context in tokens, when known.

    `sleep` is injected by tests; `cache_hints` is for providers that know `prompt_cache_key`.
    """

    def __init__(
        self,
        chat: BaseChatModel,
        name: str,
        limits: Limits | None = None,
        *,
        window: int | None = None,
        cache_hints: bool = False,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ):
        self.name = name
        self.limits = limits or Limits()
        self._chat = chat
        self._window = window or (chat.profile or {}).get("max_input_tokens")
        self._cache_hints = cache_hints
        self._sleep = sleep

    def budget(self, tools: Sequence[dict[str, Any]]) -> int:
        """Tokens of history that a request with these tools may carry."""
        if not self._window:
            return self.limits.context
        room = self._window - min(self.limits.max_output_tokens, self._window // 4) - estimate_tools(tools)
        return max(min(self.limits.context, int(room * 0.9)), 1_000)

    async def reply(self, ask: Ask) -> AIMessage:
        """The model's message; its id is fresh, `response_metadata["finish"]` is stop, tool_calls, length or canceled.

        Calls that did not arrive whole are in `invalid_tool_calls`. Raises `ModelError`.
        """
        for last in (False, True):
            message = await self._patiently(ask, f"ai_{uuid.uuid4().hex}")
            if message.text.strip() or message.tool_calls or message.invalid_tool_calls or ask.stop.is_set():
                return message
            if last:
                raise EmptyReply
        raise AssertionError("unreachable")

    async def aclose(self) -> None:
        """Close the model's connections, if it has any."""
        if close := getattr(self._chat, "aclose", None):
            await close()

    async def _patiently(self, ask: Ask, key: str) -> AIMessage:
        """A request, repeated after failures that may pass, as long as nothing of it was heard."""
        loop = asyncio.get_running_loop()
        give_up = min(loop.time() + self.limits.retry_budget, ask.run_end)
        failures = 0
        while True:
            try:
                return await self._once(ask, key)
            except ModelError as error:
                failures += 1
                pause = self._pause(error, failures)
                if pause is None or loop.time() + pause > give_up:
                    raise
            ask.tell(Notice("model_retry", _AGAIN[ask.lang == "ru"]))
            await self._rest(pause, ask.stop)
            if ask.stop.is_set():
                return AIMessage("", id=key, response_metadata={"finish": "canceled"})

    def _pause(self, error: ModelError, failures: int) -> float | None:
        """Seconds to wait before the next try; None when the error stands."""
        tries = min(1, self.limits.retries) if isinstance(error, ModelTimeout) else self.limits.retries
        if not error.again or error.streamed or failures > tries:
            return None
        pause = error.retry_after if error.retry_after is not None else self.limits.backoff * 2 ** (failures - 1)
        return pause if pause <= self.limits.retry_after else None

    async def _rest(self, seconds: float, stop: asyncio.Event) -> None:
        waiting = {asyncio.ensure_future(self._sleep(seconds)), asyncio.ensure_future(stop.wait())}
        _, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()

    async def _once(self, ask: Ask, key: str) -> AIMessage:
        sent = sum(map(estimate, ask.messages)) + estimate_tools(ask.tools)
        ask.tell(ModelStarted(key, self.name, sent))
        heard = Listener(key, self.limits, ask.run_end, ask.tell)
        try:
            slow = Notice("model_slow", _SLOW[ask.lang == "ru"])
            await heard.listen(self._stream(ask), ask.stop, lambda: ask.tell(slow))
            message = _stopped(heard, key) if ask.stop.is_set() else finished(heard.chunks, key)
        except Exception as cause:
            error = classify(cause)
            error.streamed = heard.first is not None
            guess = _guess(heard, sent) if error.streamed else None
            self._tell_end(ask, key, heard, guess, "failed", error.code)
            raise error from (None if error is cause else cause)
        self._tell_end(ask, key, heard, usage_of(message) or _guess(heard, sent), message.response_metadata["finish"])
        return message

    def _stream(self, ask: Ask) -> Any:
        if not ask.tools:
            return self._chat.astream(list(ask.messages))
        options: Mapping[str, Any] = {"tool_choice": "none"} if ask.final else {}
        if self._cache_hints and ask.cache_key:
            options = {**options, "prompt_cache_key": ask.cache_key}
        return self._chat.bind_tools(list(ask.tools), **options).astream(list(ask.messages))

    def _tell_end(
        self, ask: Ask, key: str, heard: Listener, usage: Usage | None, finish: str, error: str | None = None
    ) -> None:
        now = asyncio.get_running_loop().time()
        first = None if heard.first is None else heard.first - heard.began
        ask.tell(ModelEnded(key, self.name, usage, finish, now - heard.began, first, error))


def _stopped(heard: Listener, key: str) -> AIMessage:
    """What was said until the person stopped it; half-made calls are dropped."""
    return AIMessage(heard.text, id=key, response_metadata={"finish": "canceled"})


def _guess(heard: Listener, sent: int) -> Usage:
    """The cost of a request for which the provider told none."""
    calls = "".join(piece.get("args") or "" for chunk in heard.chunks for piece in chunk.tool_call_chunks)
    thought = estimate_text(heard.thought) if heard.thought else 0
    said = estimate_text(heard.text + calls) if heard.text or calls else 0
    return Usage(sent, 0, thought, thought + said, estimated=True)
