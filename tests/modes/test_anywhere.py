"""A person without rights runs it: no writable home, a tree that is read-only to them; SIGTERM loses nothing."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.clients.chats import Chat, words
from tests.clients.drivers import python_client
from tests.clients.product import ROOT, Product

NOBODY = 65534
# Read everything (this interpreter may be in somebody's home), write nothing, own nothing.
UNPRIVILEGED = (
    "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
    "--bounding-set=-all,+dac_read_search", "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search",
)  # fmt: skip
PROMISED = 10.0
QUESTION = "what can you do?"


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="countersign-anywhere-"))
    made.chmod(0o755)
    (made / "data").mkdir(mode=0o700)
    (made / "home").mkdir(mode=0o555)
    if os.getuid() == 0:
        shutil.chown(made / "data", NOBODY, NOBODY)
    yield made
    shutil.rmtree(made)


def start(folder: Path, speed: str) -> Product:
    """The product as somebody without rights; as root by becoming nobody."""
    settings = {
        "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "PORT": "0", "DATA_DIR": str(folder / "data"),
        "EMBEDDING_MODEL": "builtin", "DEMO_TOKENS_PER_SECOND": speed,
    }  # fmt: skip
    become = UNPRIVILEGED if os.getuid() == 0 else ()
    with (folder / "app.log").open("w") as log:
        process = subprocess.Popen([*become, sys.executable, "app.py"], cwd=ROOT, env=settings, stdout=log, stderr=log)
    return Product(folder, folder / "data", "", process)


def end(product: Product) -> float:
    """SIGTERM; seconds until the process and all of its children are gone."""
    children = psutil.Process(product.process.pid).children(recursive=True)
    begun = time.monotonic()
    product.process.send_signal(signal.SIGTERM)
    assert product.process.wait(30) == 0, product.log
    _, left = psutil.wait_procs(children, 5)
    assert left == []
    return time.monotonic() - begun


def written_since(moment: float) -> list[str]:
    folders = ("agent", "backend", "router", "store", "tools", "ui")
    files = [f for name in folders for f in (ROOT / name).rglob("*") if f.is_file()]
    owner = NOBODY if os.getuid() == 0 else os.getuid()
    return [str(f) for f in files if f.stat().st_mtime > moment and f.stat().st_uid == owner and f.suffix != ".pyc"]


async def test_nobody_runs_it_and_sigterm_with_open_tabs_loses_nothing(folder: Path) -> None:
    begun = time.time()
    product = start(folder, "8")
    try:
        assert psutil.Process(product.process.pid).uids().real == (os.getuid() or NOBODY)
        place, tabs = await speaking(product)
        seconds = await asyncio.to_thread(end, product)
        await asyncio.gather(*tabs, return_exceptions=True)
    finally:
        product.process.kill()
    assert seconds < PROMISED
    assert "Traceback" not in product.log
    assert written_since(begun) == []
    again = start(folder, "0")
    try:
        async with python_client(again.url, again.token("anna")) as client:
            chat, other = Chat(client), Chat(client)
            chat.id = place
            went_on = words(await chat.say(action="attach"))
            assert went_on == words(await other.say(QUESTION)), "the answer is whole"
        async with httpx.AsyncClient(headers={"x-user-jwt": again.token("anna")}) as http:
            shown = (await http.get(f"{again.url}/ui/conversations")).json()["conversations"]
        assert {row["id"] for row in shown} == {place, other.id}
        assert await asyncio.to_thread(end, again) < PROMISED
    finally:
        again.process.kill()


async def speaking(product: Product) -> tuple[str, list[asyncio.Task]]:
    """Three tabs with open streams while an answer is being written; its conversation."""
    tabs = [asyncio.create_task(open_tab(product.url, f"tab{number}")) for number in range(3)]
    async with python_client(product.url, product.token("anna")) as client:
        answer = asyncio.create_task(client.submit(message=QUESTION))
        place = await client.first_words()
        tabs.append(answer)
    return place, tabs


async def open_tab(url: str, session: str) -> None:
    """A browser's heartbeat: a stream without end."""
    async with httpx.AsyncClient(timeout=None) as http:
        await http.post(f"{url}/signin", data={"username": "anna"}, headers={"origin": url})
        async with http.stream("GET", f"{url}/gradio_api/heartbeat/{session}") as beat:
            async for _ in beat.aiter_bytes():
                pass
