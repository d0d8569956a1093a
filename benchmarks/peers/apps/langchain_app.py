"""LangChain's `create_agent` with its approval middleware behind a minimal stream of server-sent events."""

import json
import time
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from graph import model, saver
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.types import Command
from pydantic import BaseModel


class Said(BaseModel):
    """What a person says, or how they decide (`approve`) on what waits."""

    thread: str
    message: str = ""
    decision: str | None = None


@tool
def delete_dashboard(dashboard_id: int) -> str:
    """Delete a dashboard."""
    return f"effect-{time.time_ns() // 1000:016d}"


@asynccontextmanager
async def lifespan(app: FastAPI):
    """The agent lives as long as the app."""
    async with saver() as checkpointer:
        review = HumanInTheLoopMiddleware(interrupt_on={"delete_dashboard": True})
        app.state.agent = create_agent(
            model(), tools=[delete_dashboard], middleware=[review], checkpointer=checkpointer
        )
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/")
async def page():
    """There is no page of its own; this says that it serves."""
    return {"status": "ok"}


@app.post("/chat")
async def chat(said: Said):
    """Stream the answer; an interrupt ends the stream."""
    if said.decision:
        inputs = Command(resume={"decisions": [{"type": said.decision}]})
    else:
        inputs = {"messages": [{"role": "user", "content": said.message}]}
    config = {"configurable": {"thread_id": said.thread}}

    async def events():
        async for token, _ in app.state.agent.astream(inputs, config, stream_mode="messages"):
            if token.content:
                yield f"data: {json.dumps({'token': token.content})}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")
