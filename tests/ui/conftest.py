"""The page as an ASGI app over HTTP, without a browser."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from tests.ui.house import OPTIONS, House


@pytest.fixture(scope="session")
def house() -> House:
    return House(
        replace(OPTIONS, allowed_origins=("https://bi.example.com",), frame_ancestors=("https://bi.example.com",))
    )


@pytest.fixture(scope="session")
def app(house: House):
    """Built inside a loop: Gradio would make one of its own and leave it open."""

    async def build():
        return house.app()

    with asyncio.Runner() as runner:
        return runner.run(build())


@pytest.fixture
async def http(app) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://chat.test") as client:
        yield client


async def sign_in(http: httpx.AsyncClient, username: str = "anna") -> None:
    answer = await http.post("/signin", data={"username": username}, headers={"origin": "http://chat.test"})
    assert answer.status_code == 303
