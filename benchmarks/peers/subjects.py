"""Who is measured, how each is started, and how its clients talk with it."""

import os
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._lab import processes
from benchmarks._lab.crowd import run_crowd
from benchmarks.peers import people, venvs

ROOT = Path(__file__).parents[2]
PEOPLE = 200
APPS = Path(__file__).parent / "apps"


@dataclass
class Running:
    """A server (or a few over one database): where it is, its processes, and what a job for its clients says."""

    urls: list[str]
    pids: list[int]
    started_s: float
    job: dict[str, Any] = field(default_factory=dict)
    restart: Callable[[], str] = field(default=lambda: "", repr=False)

    def crowd(self, **job: Any) -> dict[str, Any]:
        """The answers of some people, and the CPU seconds that the servers used for them."""
        before = processes.cpu(self.pids)
        heard = run_crowd(urls=self.urls, **{**self.job, **job})
        return {**heard, "server_cpu_s": processes.cpu(self.pids) - before}


@dataclass(frozen=True)
class Subject:
    """One of those who are compared. `label` is what tables call it; `wires` are the ways in, the best one first."""

    name: str
    label: str
    wires: tuple[str, ...]

    @contextmanager
    def running(self, model: str, database: str, wire: str = "", count: int = 1) -> Iterator[Running]:
        """Started, with its first page served."""
        self.command(0)  # makes the environment before the clock runs
        with ExitStack() as ends:
            folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix=f"bench-{self.name}-")))
            began, servers = time.monotonic(), []
            for number in range(count):
                servers.append(self.start(model, database, folder, number))
                ends.callback(processes.stop, servers[-1][1].pid)
            urls = [url for url, _ in servers]
            for url, process in servers:
                processes.await_page(url + self.page, process, folder / "server.log")
            pids = [process.pid for _, process in servers]
            running = Running(urls, pids, time.monotonic() - began, {"wire": wire or self.wires[0]})
            running.restart = partial(self._once_more, model, database, folder, ends)
            self.enter(running, database)
            yield running

    def _once_more(self, model: str, database: str, folder: Path, ends: ExitStack) -> str:
        """Start a server over the same data; its address, once its first page is there."""
        url, process = self.start(model, database, folder, 0)
        ends.callback(processes.stop, process.pid)
        processes.await_page(url + self.page, process, folder / "server.log")
        return url

    page = "/"

    def start(self, model: str, database: str, folder: Path, number: int) -> tuple[str, "subprocess.Popen[bytes]"]:
        """Start one server; its address and process."""
        port = processes.free_port()
        env = self.environment(model, database, folder / f"data{number}", port)
        return f"http://127.0.0.1:{port}", processes.start(self.command(port), {**os.environ, **env}, folder)

    def environment(self, model: str, database: str, data: Path, port: int) -> dict[str, str]:
        """What the server is told."""
        return {
            "MODEL_URL": f"{model}/v1", "GRAPH_DATABASE_URL": database, "PYTHONPATH": str(APPS),
            "CHAINLIT_APP_ROOT": str(data.parent),
        }  # fmt: skip

    def command(self, port: int) -> list[str]:
        """How the server is started."""
        raise NotImplementedError

    def enter(self, running: Running, database: str) -> None:
        """Sign in, where there is something to sign in to."""


class Gradio(Subject):
    """(a) plain `gr.ChatInterface`, in the product's own environment: the same Gradio."""

    def command(self, port: int) -> list[str]:
        """Uvicorn over the mounted app."""
        return [sys.executable, "-m", "uvicorn", "gradio_app:app", "--port", str(port), "--log-level", "warning"]


class Chainlit(Subject):
    """(b) Chainlit with the same graph."""

    def command(self, port: int) -> list[str]:
        """Its own command line."""
        app = str(APPS / "chainlit_app.py")
        return [venvs.python("chainlit"), "-m", "chainlit", "run", app, "--headless", "--port", str(port)]


class LangChain(Subject):
    """(c) `create_agent` with its approval middleware behind FastAPI."""

    def command(self, port: int) -> list[str]:
        """Uvicorn."""
        interpreter = venvs.python("langchain")
        return [interpreter, "-m", "uvicorn", "langchain_app:app", "--port", str(port), "--log-level", "warning"]


class Countersign(Subject):
    """The product as `make run` starts it, with routing, ledger and persistence on."""

    page = "/signin"
    keys = "k1:" + b64encode(os.urandom(32)).decode()

    def command(self, port: int) -> list[str]:
        """`python app.py`."""
        return [sys.executable, str(ROOT / "app.py")]

    def environment(self, model: str, database: str, data: Path, port: int) -> dict[str, str]:
        """The settings; a second server shares database and keys with the first."""
        return {
            "PORT": str(port), "DATA_DIR": str(data), "DATABASE_URL": database, "APP_SECRETS": self.keys,
            "OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_KEY": "none", "MODEL": "scripted",
            "EMBEDDING_MODEL": "builtin", "TURNS_PER_MINUTE": "1000000", "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    def enter(self, running: Running, database: str) -> None:
        """Everybody is somebody else: by the page with a session's cookie, by the API with a token."""
        given = people.tokens(self.keys, PEOPLE)
        if running.job["wire"] == "api":
            headers = [{"X-User-JWT": token} for token in given]
        else:
            headers = [{"Cookie": cookie} for cookie in people.cookies(database, self.keys, given)]
        running.job["options"] = {"people": headers, "conversation": True}


class Limit(Subject):
    """(d) the raw model stream: no server at all."""

    @contextmanager
    def running(self, model: str, database: str, wire: str = "", count: int = 1) -> Iterator[Running]:
        """Nothing to start."""
        yield Running([model], [], 0.0, {"wire": "raw"})


OURS = Countersign("countersign", "Countersign", ("page", "api"))
PEERS = (
    Gradio("gradio", "(a) Gradio ChatInterface", ("page", "api")),
    Chainlit("chainlit", "(b) Chainlit", ("chainlit",)),
    LangChain("langchain", "(c) create_agent + FastAPI", ("sse",)),
)
LIMIT = Limit("raw", "(d) raw model stream", ("raw",))
