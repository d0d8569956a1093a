"""A process that runs an embedded server until it is told to stop: `python -m tests.store.supervise FOLDER [UID]`."""

import os
import subprocess
import sys
from pathlib import Path

from store.embedded import EmbeddedPostgres
from store.embedded_user import EmbeddedPostgresError

REPOSITORY = Path(__file__).parents[2]


def start(folder: Path, user: int | None = None, **environment: str) -> tuple[subprocess.Popen[str], str]:
    """Start such a process, as `user` if given; returns it and the server's URL."""
    process = _spawn(folder, user, environment)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("postgresql://"), url
    return process, url


def stop(process: subprocess.Popen[str]) -> None:
    """Let the process stop its server and end."""
    process.communicate("stop\n", timeout=60)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill the process, which leaves its server behind."""
    process.kill()
    process.communicate(timeout=60)


def refused(folder: Path, user: int | None = None) -> str:
    """What such a process says when it cannot start the server."""
    process = _spawn(folder, user, {})
    said, _ = process.communicate("stop\n", timeout=60)
    assert process.returncode == 1
    return said


def _spawn(folder: Path, user: int | None, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.supervise", str(folder), *([str(user)] if user else [])],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def main() -> int:
    """Become the given user, start, say the URL, wait for a line, stop."""
    if len(sys.argv) > 2:
        _become(int(sys.argv[2]))
    server = EmbeddedPostgres(sys.argv[1], {"fsync": "off"})
    try:
        print(server.start(), flush=True)
    except EmbeddedPostgresError as error:
        print(error)
        return 1
    sys.stdin.readline()
    server.stop()
    return 0


def _become(user: int) -> None:
    """Drop root's rights here and not in the parent: the interpreter itself may lie where only root can read."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


if __name__ == "__main__":
    sys.exit(main())
