"""Prefect's own server, in a virtual environment of its own, driven through the chat: a backend nobody prepared."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.agent.bench import principal
from tests.live.chat import Chat, answers, body, facts, fields, offered, open_chat

VERSION = "3.9.1"
HOME = Path(__file__).parents[2] / "data" / "tests" / f"prefect-{VERSION}"  # kept from run to run

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


async def run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(*command)
    assert await process.wait() == 0, command


async def installed() -> Path:
    """The server's program; the first time it is installed, which takes minutes."""
    program, done = HOME / "bin" / "prefect", HOME / ".installed"
    if not done.exists():
        await run(sys.executable, "-m", "venv", "--clear", str(HOME))
        await run(str(HOME / "bin" / "python"), "-m", "pip", "install", "--quiet", f"prefect=={VERSION}")
        done.touch()
    return program


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
async def prefect(tmp_path) -> AsyncIterator[str]:
    """The address of a fresh server's API."""
    program, port = await installed(), free_port()
    quiet = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", "PREFECT_LOGGING_LEVEL": "ERROR"}
    env = {**os.environ, **quiet, "PREFECT_HOME": str(tmp_path)}
    env.pop("PYTHONPATH", None)
    command = ("server", "start", "--host", "127.0.0.1", "--port", str(port), "--no-ui")
    process = await asyncio.create_subprocess_exec(str(program), *command, env=env, stdout=asyncio.subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/api"
        await answers(f"{url}/health", seconds=600)
        yield url
    finally:
        process.terminate()
        await process.wait()


@pytest.fixture
async def chat(prefect, pool, database_url) -> AsyncIterator[Chat]:
    async with open_chat(pool, database_url, prefect, principal()) as opened:
        yield opened


async def variable(prefect: str, name: str) -> dict:
    """The variable as the server has it; nothing when it is gone."""
    async with httpx.AsyncClient() as http:
        answer = await http.get(f"{prefect}/variables/name/{name}")
    return answer.json() if answer.status_code == 200 else {}


async def test_list_create_change_delete_and_deny(chat, prefect):
    assert len(chat.toolset.specs) > 150

    await chat.say("Create a variable named region", ("create_variable", {"name": "region", "value": "north"}))
    assert "create_variable" in offered(chat)
    made = await variable(prefect, "region")
    assert body(chat.told())["id"] == made["id"]

    await chat.say("List the variables", ("read_variables", {}))
    assert [row["name"] for row in body(chat.told())] == ["region"]

    change = {"id": made["id"], "value": "south"}
    await chat.say("Update the variable region", ("update_variable", change))
    assert (await variable(prefect, "region"))["value"] == "south"

    await chat.say("Delete the variable region", ("delete_variable", {"id": made["id"]}))
    card = chat.card()
    assert facts(card)["name"] == "region"
    await chat.decide("deny", reason="still in use")
    assert (await variable(prefect, "region"))["value"] == "south"
    assert "still in use" in chat.told()

    await chat.say("Delete the variable region now", ("delete_variable", {"id": made["id"]}))
    approval = await chat.decide("approve")
    assert approval["result"]["ok"]
    assert await variable(prefect, "region") == {}


async def test_a_change_that_asks_shows_before_and_after(chat, prefect):
    await chat.say("Create a variable", ("create_variable", {"name": "limit", "value": 3}))
    made = await variable(prefect, "limit")
    await chat.turns.set_review(chat.person, chat.conversation, on=True)
    await chat.say("Update the variable limit", ("update_variable", {"id": made["id"], "value": 5}))
    assert fields(chat.card())["value"] == (3, 5)
    approval = await chat.decide("approve")
    assert (await variable(prefect, "limit"))["value"] == 5
    await chat.turns.undo(chat.person, approval["id"])
    assert (await variable(prefect, "limit"))["value"] == 3
