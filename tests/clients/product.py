"""The product as `make run` starts it, and what stands behind it: backend, keys, log."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
from joserfc.jwk import OKPKey

from agent.keys import KeyRing
from store.embedded import running_url
from tests.sound import faults
from tools.identity import ServiceIdentity

ROOT = Path(__file__).parents[2]
PEOPLE = ("vera", "ilya", "anna")
READY = 90.0
SECRET = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")


class Product:
    """A running `python app.py`; `database_url` is where it keeps everything, `backend_url` its workspace."""

    def __init__(self, folder: Path, data: Path, database_url: str, process: subprocess.Popen):
        self.folder = folder
        self.data = data
        self._database_url = database_url
        self.process = process
        self.url = self._await_address()
        self.keys = KeyRing.load_or_create(data / "app_secrets")
        self.backend_url = f"http://127.0.0.1:{self._backend_port()}"
        self._tokens: dict[str, str] = {}

    @property
    def log(self) -> str:
        """What the product and its backend wrote."""
        logs = [self.folder / "app.log", *self.folder.rglob("backend.log")]
        return "\n".join(log.read_text() for log in logs)

    @property
    def database_url(self) -> str:
        """Its database, be it its own or one that was given to it."""
        found = self._database_url or running_url(self.data)
        assert found, "its database does not run"
        return found

    def faults(self) -> list[str]:
        """Broken invariants so far; no token that somebody used and no key may be stored."""
        keys = [key for file in self.data.glob("*secret*") for key in SECRET.findall(file.read_text())]
        return faults(self.database_url, [*self._tokens.values(), *keys])

    def password(self, person: str) -> str:
        """The password of a demo person."""
        return self.keys.sign("demo-password", person.encode())[1].hex()

    def token(self, person: str) -> str:
        """A person's access token, from the backend's password grant."""
        if person not in self._tokens:
            form = {"username": person, "password": self.password(person)}
            answer = httpx.post(f"{self.backend_url}/auth/token", data=form)
            self._tokens[person] = answer.raise_for_status().json()["access_token"]
        return self._tokens[person]

    def header(self, person: str) -> dict[str, str]:
        """The header by which a program says for whom it asks."""
        return {"X-User-JWT": self.token(person)}

    def backend(self, method: str, path: str, person: str = "anna", **options: Any) -> httpx.Response:
        """One request to the backend with both identities, past the agent."""
        user = self.token(person)
        service = ServiceIdentity(OKPKey.import_key(self.keys.service_private_key())).token(user)
        headers = {"Authorization": f"Bearer {service}", "X-User-JWT": user, **options.pop("headers", {})}
        return httpx.request(method, self.backend_url + path, headers=headers, **options)

    def boards(self) -> dict[int, str]:
        """The names of all dashboards by their id."""
        found, total = {}, 1
        while len(found) < total:
            page = self.backend("GET", "/dashboards", params={"limit": 50, "offset": len(found)}).json()
            found |= {board["id"]: board["name"] for board in page["items"]}
            total = page["total"]
        return found

    def _backend_port(self) -> int:
        children = psutil.Process(self.process.pid).children()
        backend = next((child for child in children if "backend" in child.cmdline()), None)
        if backend is None:
            return 0  # the test brought a backend of its own
        return next(c.laddr.port for c in backend.net_connections() if c.status == psutil.CONN_LISTEN)

    def _await_address(self) -> str:
        deadline = time.monotonic() + READY
        log = self.folder / "app.log"
        while "http://" not in log.read_text():
            assert self.process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, f"not ready after {READY:g} s"
            time.sleep(0.1)
        return "http://" + log.read_text().split("http://")[1].split()[0]


@contextmanager
def product(database_url: str = "", **settings: str) -> Iterator[Product]:
    """A product of its own, without the limit of turns a minute; it brings its database when none is given.

    DATA_DIR among the settings makes it go on from there. What it leaves in its database is sound.
    """
    folder = Path(tempfile.mkdtemp(prefix="countersign-clients-"))
    data = Path(settings.get("DATA_DIR", folder / "data"))
    own = {"PORT": "0", "DATA_DIR": str(data), "DATABASE_URL": database_url}
    quick = {"EMBEDDING_MODEL": "builtin", "DEMO_TOKENS_PER_SECOND": "0", "TURNS_PER_MINUTE": "10000"}
    with (folder / "app.log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env={**os.environ, **own, **quick, **settings}, stdout=log, stderr=log
        )
    try:
        started = Product(folder, data, database_url, process)
        yield started
        assert started.faults() == []
    finally:
        children = psutil.Process(process.pid).children()
        process.kill()  # a stop would wait for the clients' heartbeats
        process.wait()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.send_signal(signal.SIGINT)  # its database would outlive it
        psutil.wait_procs(children, 10)
        cluster = data / "pgdata"
        if cluster.is_symlink():
            shutil.rmtree(cluster.resolve().parent)
        shutil.rmtree(folder)
