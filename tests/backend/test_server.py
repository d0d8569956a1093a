"""The workspace as a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.process import BackendDied, BackendProcess
from tests.backend.world import PASSWORDS, new_key

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(workspace_url: str, tmp_path: Path) -> dict[str, str]:
    """The environment variables of a good start."""
    (tmp_path / "service.jwks.json").write_text(json.dumps({"keys": [new_key().as_dict(private=False)]}))
    return {
        "PATH": os.environ["PATH"],
        "WORKSPACE_DATABASE_URL": workspace_url,
        "WORKSPACE_KEY_DIR": str(tmp_path / "keys"),
        "WORKSPACE_SERVICE_JWKS": str(tmp_path / "service.jwks.json"),
        "WORKSPACE_PASSWORDS": json.dumps(PASSWORDS),
    }


def start(environment: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "backend", *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.fixture
def served(environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A running process that ends with its parent, and its address."""
    process = start(environment, "--port", "0", "--exit-with-parent")
    with process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().decode().split()[-1]
            assert httpx.get(f"{address}/healthz", timeout=60).status_code == 200
            yield process, address
        finally:
            process.kill()


def test_it_answers_where_it_says_and_ends_with_its_parent(
    served: tuple[subprocess.Popen[bytes], str],
) -> None:
    process, address = served
    assert httpx.get(f"{address}/readyz").json() == {"status": "ok"}
    answer = httpx.post(f"{address}/auth/token", data={"username": "vera", "password": PASSWORDS["vera"]})
    assert answer.status_code == 200
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/healthz")


def test_it_stops_at_a_signal_and_says_nothing_of_secrets(served: tuple[subprocess.Popen[bytes], str]) -> None:
    process, address = served
    httpx.post(f"{address}/auth/token", data={"username": "vera", "password": "wrong"})
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) in (0, -signal.SIGTERM)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read() + process.stderr.read() == b""


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"WORKSPACE_KEY_DIR": None}, "WORKSPACE_KEY_DIR: Field required"),
        ({"WORKSPACE_POOL_SIZE": "none"}, "WORKSPACE_POOL_SIZE"),
    ],
)
def test_a_wrong_setting_ends_with_one_line(
    environment: dict[str, str], change: dict[str, str | None], line: str
) -> None:
    wrong = {name: value for name, value in {**environment, **change}.items() if value is not None}
    process = start(wrong)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert line in errors.decode()
    assert errors.count(b"\n") == 1
    assert b"secret" not in errors


def backend_process(workspace_admin_url: str, folder: Path, **changes: object) -> BackendProcess:
    given: dict[str, Any] = {
        "role_password": "a-password-of-the-role",
        "token_seed": bytes(32),
        "passwords": PASSWORDS,
        "service_jwks": {"keys": [new_key().as_dict(private=False)]},
    }
    return BackendProcess(folder, workspace_admin_url, **{**given, **changes})


def test_its_address_is_known_before_it_runs_and_calls_wait(database_url: str, tmp_path: Path) -> None:
    process = backend_process(database_url, tmp_path)
    address = process.start()
    try:
        assert httpx.get(f"{address}/readyz", timeout=60).json() == {"status": "ok"}
        process.wait()
    finally:
        process.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/healthz")


def test_one_that_cannot_start_is_told_with_the_place_of_its_log(database_url: str, tmp_path: Path) -> None:
    process = backend_process(database_url, tmp_path, passwords={"vera": ["not", "a password"]})
    try:
        process.start()
        with pytest.raises(BackendDied, match=re.escape(str(tmp_path / "backend.log"))):
            process.wait()
    finally:
        process.stop()
    assert (tmp_path / "backend.log").read_text()
