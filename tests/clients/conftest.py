"""A started product and the two real clients.

product   `python app.py`, once for the run
slow      the same, whose demo model takes its time
boards    dashboards that no other test touches: `id, name = next(boards)`
http      requests to the product that need no client of Gradio
enter     a conversation by either client: `chat = await enter("vera")`, of anna when nobody is named
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import httpx
import pytest

from tests.clients import product as products
from tests.clients.chats import Chat
from tests.clients.drivers import node_client, python_client
from tests.clients.product import Product
from tests.conftest import Server


@pytest.fixture(scope="session")
def product(postgres: Server) -> Iterator[Product]:
    postgres.execute("create database clients")
    with products.product(postgres.database("clients")) as running:
        yield running


@pytest.fixture(scope="session")
def slow(postgres: Server) -> Iterator[Product]:
    postgres.execute("create database clients_slow")
    with products.product(postgres.database("clients_slow"), DEMO_TOKENS_PER_SECOND="25") as running:
        yield running


@pytest.fixture(autouse=True)
def sound(request: pytest.FixtureRequest) -> Iterator[None]:
    """After every test the databases of the products that it used hold what must always hold."""
    yield
    for name in {"product", "slow"} & set(request.fixturenames):
        used: Product = request.getfixturevalue(name)
        assert used.faults() == []


@pytest.fixture
async def http(product: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=product.url, timeout=60) as client:
        yield client


@pytest.fixture(scope="session")
def boards(product: Product) -> Iterator[tuple[int, str]]:
    return iter(product.boards().items())


@pytest.fixture(params=[python_client, pytest.param(node_client, marks=pytest.mark.node)], ids=["python", "node"])
def connect(request):
    return request.param


@pytest.fixture
async def enter(connect, product: Product) -> AsyncIterator:
    chats = []
    async with AsyncExitStack() as clients:

        async def open_chat(person: str = "anna", jwt: str | None = None, at: Product = product) -> Chat:
            token = at.token(person) if jwt is None else jwt
            chats.append(Chat(await clients.enter_async_context(connect(at.url, token))))
            return chats[-1]

        yield open_chat
        for chat in filter(lambda chat: chat.waits, chats):
            await chat.say(action="cancel")  # a person may have only so many requests waiting
