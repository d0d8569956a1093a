"""The whole product as `make run` starts it: `python app.py` with a folder and a port of its own."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from store.embedded import running_url
from tests.sound import faults

ROOT = Path(__file__).parents[2]
READY = 90.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@dataclass
class Workspace:
    """A started product. `stop` ends it as SIGTERM does, `kill` as a power cut does; `start` starts it again."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="countersign-app-")))
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self.folder / "app.log").read_text()

    def start(self, **more: str) -> "Workspace":
        self.folder.chmod(0o755)
        settings = {"PORT": str(self.port), "DATA_DIR": str(self.folder / "data"), "EMBEDDING_MODEL": "builtin", **more}
        with (self.folder / "app.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "app.py"], cwd=ROOT, env={**os.environ, **settings}, stdout=log, stderr=log
            )
        self._await_ready()
        return self

    def _await_ready(self) -> None:
        deadline = time.monotonic() + READY
        while time.monotonic() < deadline:
            assert self.process is not None
            assert self.process.poll() is None, self.log[-4000:]
            try:
                if httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise AssertionError(f"not ready after {READY:g} s:\n{self.log[-4000:]}")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def faults(self) -> list[str]:
        """Broken invariants of its database."""
        found = running_url(self.folder / "data")
        assert found, "its database does not run"
        return faults(found, self.secrets())

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def secrets(self) -> list[str]:
        """What must be nowhere: the keys in the data folder."""
        keys = [file for file in (self.folder / "data").rglob("*") if file.is_file() and "secret" in file.name]
        return [secret for file in keys for secret in re.findall(r"[A-Za-z0-9+/_-]{40,}={0,2}", file.read_text())]
