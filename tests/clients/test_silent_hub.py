"""A model hub that accepts connections and says nothing delays neither the start nor the first answer."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.clients.chats import Chat, of
from tests.clients.drivers import python_client
from tests.clients.product import READY
from tests.clients.product import product as start
from tests.conftest import Server

MODEL = "paraphrase-multilingual-MiniLM-L12-v2"
SECONDS = 2 * READY  # generous to a busy machine: left to themselves the model libraries wait without end


@pytest.fixture
def hub() -> Iterator[socket.socket]:
    """The hub: its backlog takes connections that nobody ever answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


async def test_start_and_first_answer_do_not_wait_for_a_silent_hub(postgres: Server, hub: socket.socket):
    postgres.execute("create database clients_silent_hub")
    endpoint = f"http://127.0.0.1:{hub.getsockname()[1]}"
    settings = {"EMBEDDING_MODEL": MODEL, "HF_ENDPOINT": endpoint, "HF_HUB_OFFLINE": "0"}
    began = time.monotonic()
    with start(postgres.database("clients_silent_hub"), **settings) as running:
        async with python_client(running.url, running.token("anna")) as client:
            parts = await Chat(client).say("Which dashboards are in stage?")
        took = time.monotonic() - began
        hub.settimeout(SECONDS)
        with closing(hub.accept()[0]) as asked:
            assert asked.recv(4) == b"HEAD"
    assert [card["metadata"]["tool"] for card in of("tool_end", parts)] == ["search_dashboards"]
    assert took < SECONDS
