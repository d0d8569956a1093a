"""The embedded workspace as a process of its own, which ends with the one that started it."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from backend.database import bootstrap
from backend.identity.keys import seed_key

ISSUER = "http://workspace.local"


class BackendDied(Exception):  # noqa: N818
    """The workspace did not start; the text says where its own words are."""


class BackendProcess:
    """Starts `python -m backend` on a free port. `folder` keeps its keys and its log.

    The socket listens before the process runs, so that nobody waits for it who need not.
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
        self._url = ""

    def start(self) -> str:
        """Begin, and return the base URL. Calls to it wait until the workspace answers; `wait` tells when it does."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        seed_key(self._folder, self._token_seed)
        with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
            self._process = self._launch(listener.fileno())
            self._url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        return self._url

    def wait(self, timeout: float = 60.0) -> None:
        """Return once it answers; raises `BackendDied` when it ended, or does not answer in `timeout` seconds."""
        try:
            httpx.get(f"{self._url}/healthz", timeout=timeout, trust_env=False)
        except httpx.TransportError:
            self.stop()
            log = self._folder / "backend.log"
            raise BackendDied(f"the workspace backend did not start; {log} says why") from None

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

    def _launch(self, listener: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "backend", "--fd", str(listener), "--exit-with-parent"]
        with (self._folder / "backend.log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603
                command, env=self._environment(), stdin=subprocess.PIPE, stdout=log, stderr=log,
                pass_fds=(listener,), cwd=Path(__file__).parents[1],
            )  # fmt: skip

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
