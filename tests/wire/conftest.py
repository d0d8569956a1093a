"""A scripted model server and a conversation with it, once for each of the provider's two APIs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.guards import Limits
from agent.model import ModelClient
from agent.models.provider import Provider
from tests.agent.kit import Session
from tests.wire.server import WireServer

LIMITS = Limits(backoff=0.01, first_token=5.0, between_tokens=5.0)


@pytest.fixture(params=["chat", "responses"])
def api(request) -> str:
    return request.param


@pytest.fixture
def wire():
    with WireServer() as server:
        yield server


@asynccontextmanager
async def client(wire: WireServer, api: str, limits: Limits = LIMITS) -> AsyncIterator[ModelClient]:
    """The product's client for the scripted server."""
    provider = Provider("scripted", api, base_url=wire.url, merge=limits.merge)  # type: ignore[arg-type]
    made = ModelClient(provider.chat(), "scripted", limits)
    yield made
    await made.aclose()


@pytest.fixture
async def model(wire, api):
    async with client(wire, api) as made:
        yield made


@pytest.fixture
async def session(wire, model):
    """A conversation whose every request must be one that a strict provider takes."""
    yield Session(InMemorySaver(), model, limits=LIMITS)
    assert wire.refusals == []
