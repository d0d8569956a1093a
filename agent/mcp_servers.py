"""Ways to an MCP server: streamable HTTP, and a command that is spoken to over its input and output."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agent.mcp_bounds import BoundedTransport
from agent.mcp_stdio import bounded_stdio
from tools.mcp import Connect

TIMEOUT = 30.0


def over_http(url: str, headers: Mapping[str, str]) -> Connect:
    """A server at an address; redirects are not followed and no proxy of the surroundings is used."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        timeout = httpx2.Timeout(TIMEOUT)
        async with (
            httpx2.AsyncClient(
                headers=dict(headers),
                timeout=timeout,
                follow_redirects=False,
                trust_env=False,
                transport=BoundedTransport(),
            ) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client

    return connect


def over_stdio(command: Sequence[str]) -> Connect:
    """A program of the operator's own, started for each call; it inherits only what the library passes on."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        async with Client(bounded_stdio(command)) as client:
            yield client

    return connect
