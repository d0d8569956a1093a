"""Servers as trees of processes: their CPU seconds, their memory, and when they first answer."""

import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

READY = 300.0


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command: Sequence[str], env: Mapping[str, str], folder: Path) -> subprocess.Popen[bytes]:
    """A server that works in `folder` and logs to `server.log` there."""
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)  # noqa: S603


def await_page(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return as soon as the page is there; raises `RuntimeError` when the server ended or does not come up."""
    deadline = time.monotonic() + READY
    with httpx.Client(timeout=10) as client:
        while True:
            with suppress(httpx.TransportError):
                if client.get(url).status_code == 200:
                    return
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{url} did not come up: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)


def tree(pid: int) -> list[psutil.Process]:
    """The process and all below it."""
    main = psutil.Process(pid)
    return [main, *main.children(recursive=True)]


def cpu(pids: Sequence[int]) -> float:
    """CPU seconds so far of the trees below these processes, ended children of theirs included."""
    used = 0.0
    for pid in pids:
        for process in tree(pid):
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                used += times.user + times.system + times.children_user + times.children_system
    return used


def memory(pids: Sequence[int]) -> float:
    """Megabytes of the trees below these processes, pages that they share counted once (PSS)."""
    used = 0
    for pid in pids:
        for process in tree(pid):
            with suppress(psutil.NoSuchProcess):
                used += process.memory_full_info().pss
    return used / 1e6


def resident(pids: Sequence[int]) -> float:
    """Megabytes resident in the servers themselves, without their children."""
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6


def stop(pid: int) -> None:
    """Kill a server and what it started."""
    with suppress(psutil.NoSuchProcess):
        main, *children = tree(pid)
        main.kill()
        main.wait()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        psutil.wait_procs(children, 10)
