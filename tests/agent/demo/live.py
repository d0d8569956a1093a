"""The demo model against the real workspace: its calls run through the workspace's own tools, in process."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import httpx
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from agent.demo import DemoChatModel
from tests.agent.demo.schemas import ALWAYS
from tests.backend.world import AUDIENCE, SERVICE, World
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.toolset import Call, Lang, ToolResult


class LiveChat:
    """A conversation of one person. All tools are bound; `answers` are what the person answers to questions."""

    def __init__(self, world: World, who: str = "anna", lang: Lang = "en", answers: Sequence[str] = ()):
        service = ServiceIdentity(world.service_key, SERVICE, AUDIENCE)
        transport = httpx.ASGITransport(app=world.app, raise_app_exceptions=False)
        self._client = BackendClient("http://workspace.test", service, transport)
        self._tools = workspace_toolset(self._client)
        self._model = DemoChatModel(tokens_per_second=0).bind_tools([s.tool for s in self._tools.specs.values()])
        self._jwt, self._who, self._lang = world.user_token(who), who, lang
        self.answers = list(answers)
        self.messages: list[BaseMessage] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.results: list[ToolResult] = []

    async def say(self, text: str) -> str:
        """One turn, to the model's words."""
        self.messages.append(HumanMessage(text))
        for _ in range(20):
            message = await self._model.ainvoke(self.messages)
            self.messages.append(message)
            if not message.tool_calls:
                return message.text
            for call in message.tool_calls:
                self.calls.append((call["name"], call["args"]))
                answer = await self._answer(call["name"], call["args"])
                self.messages.append(ToolMessage(answer, tool_call_id=call["id"] or "", name=call["name"]))
        raise AssertionError("the model did not come to an end")

    async def _answer(self, tool: str, args: dict[str, Any]) -> str:
        if tool in ALWAYS:
            return self.answers.pop(0) if self.answers else json.dumps({"answer": ""})
        result = await self._tools.call(tool, args, self._call())
        self.results.append(result)
        return result.text

    def _call(self) -> Call:
        key = uuid4().hex
        return Call(self._jwt, "demo", self._who, "admin", self._lang, "c", "t", key, key)

    async def aclose(self) -> None:
        """Close the client."""
        await self._client.aclose()
