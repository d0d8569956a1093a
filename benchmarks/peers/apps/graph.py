"""The graph that the Gradio and the Chainlit app share: one model node, a PostgreSQL checkpointer, as in the docs."""

import os
from contextlib import asynccontextmanager

from langchain_openai import ChatOpenAI
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, MessagesState, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool


def model() -> ChatOpenAI:
    """The scripted model."""
    return ChatOpenAI(model="scripted", base_url=os.environ["MODEL_URL"], api_key="none", stream_usage=True)


@asynccontextmanager
async def saver():
    """The checkpointer on a pool, its tables made."""
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(os.environ["GRAPH_DATABASE_URL"], max_size=10, kwargs=settings) as pool:
        made = AsyncPostgresSaver(pool)
        await made.setup()
        yield made


def build(checkpointer):
    """The compiled graph."""
    chat = model()

    async def call_model(state: MessagesState):
        return {"messages": [await chat.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node(call_model)
    builder.add_edge(START, "call_model")
    return builder.compile(checkpointer=checkpointer)
