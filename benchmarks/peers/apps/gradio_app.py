"""A plain `gr.ChatInterface` over the graph, mounted as Gradio's docs show; run with uvicorn."""

from contextlib import asynccontextmanager

import gradio as gr
from fastapi import FastAPI
from graph import build, saver


@asynccontextmanager
async def lifespan(app: FastAPI):
    """The graph lives as long as the app."""
    async with saver() as checkpointer:
        app.state.graph = build(checkpointer)
        yield


app = FastAPI(lifespan=lifespan)


async def answer(message: str, history: list, request: gr.Request):
    """The answer so far, at every token."""
    config = {"configurable": {"thread_id": request.session_hash}}
    text = ""
    inputs = {"messages": [{"role": "user", "content": message}]}
    async for token, _ in app.state.graph.astream(inputs, config, stream_mode="messages"):
        text += token.content
        yield text


demo = gr.ChatInterface(answer, api_name="chat", concurrency_limit=None)
app = gr.mount_gradio_app(app, demo.queue(default_concurrency_limit=None), path="/")
