"""Chainlit over the same graph, as its LangGraph page shows it."""

import asyncio

import chainlit as cl
from graph import build, saver
from langchain_core.runnables import RunnableConfig

_lock = asyncio.Lock()
_held: dict = {}


async def graph():
    """The graph, made by the first conversation."""
    async with _lock:
        if "graph" not in _held:
            _held["saver"] = saver()
            _held["graph"] = build(await _held["saver"].__aenter__())
    return _held["graph"]


@cl.on_message
async def on_message(message: cl.Message):
    """Stream the answer token by token."""
    handler = cl.LangchainCallbackHandler()
    config = RunnableConfig(callbacks=[handler], configurable={"thread_id": cl.context.session.id})
    final = cl.Message(content="")
    inputs = {"messages": [{"role": "user", "content": message.content}]}
    async for token, _ in (await graph()).astream(inputs, config, stream_mode="messages"):
        await final.stream_token(token.content)
    await final.send()
