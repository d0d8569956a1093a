"""The embedded workspace as a process of its own, which ends with the one that started it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backend.database import bootstrap
from backend.identity.keys import seed_key

ISSUER = "http://workspace.local"


class BackendDied(Exception):  # noqa: N818
    """The workspace did not start; the text says where its own words are."""


class BackendProcess:
    """Starts `python -m backend` on a free port. `folder` keeps its keys and its log.

    `role_password` is of its database role and must be the same in every replica; `passwords` are of the people who
    may sign in; `service_jwks` are the public keys of the calling service; `token_seed` (32 bytes) makes the key of the
    people's tokens, which replicas must share too.
    """

    def __init__(
        self,
        folder: Path,
        admin_url: str,
        *,
        role_password: str,
        token_seed: bytes,
        passwords: Mapping[str, str],
        service_jwks: Mapping[str, Any],
    ):
        self._folder = folder
        self._admin_url = admin_url
        self._role_password = role_password
        self._token_seed = token_seed
        self._passwords = passwords
        self._service_jwks = service_jwks
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, timeout: float = 60.0) -> str:
        """The base URL, once it answers; raises `BackendDied`."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        seed_key(self._folder, self._token_seed)
        port_file = self._folder / f"port.{os.getpid()}"
        port_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "backend", "--port-file", str(port_file), "--exit-with-parent"]
        with (self._folder / "backend.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                command, env=self._environment(), stdin=subprocess.PIPE, stdout=log, stderr=log,
                cwd=Path(__file__).parents[1],
            )  # fmt: skip
        return f"http://127.0.0.1:{self._await_port(port_file, timeout)}"

    def stop(self) -> None:
        """End it; what it was asked is finished first."""
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _await_port(self, port_file: Path, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while not port_file.exists():
            died = self._process is not None and self._process.poll() is not None
            if died or time.monotonic() > deadline:
                self.stop()
                raise BackendDied(f"the workspace backend did not start; {self._folder / 'backend.log'} says why")
            time.sleep(0.01)
        port = int(port_file.read_text())
        port_file.unlink()
        return port

    def _environment(self) -> dict[str, str]:
        jwks = self._folder / "service_jwks.json"
        jwks.write_text(json.dumps(self._service_jwks))
        passed = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV")
        return {name: os.environ[name] for name in passed if name in os.environ} | {
            "WORKSPACE_DATABASE_URL": bootstrap(self._admin_url, password=self._role_password),
            "WORKSPACE_KEY_DIR": str(self._folder),
            "WORKSPACE_SERVICE_JWKS": str(jwks),
            "WORKSPACE_PASSWORDS": json.dumps(dict(self._passwords)),
            "WORKSPACE_ISSUER": ISSUER,
        }
