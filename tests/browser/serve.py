"""An ASGI app on an ephemeral port, in a thread with a loop of its own."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn


@dataclass(frozen=True)
class Served:
    """Where the app is, and what is behind it."""

    url: str
    house: Any


@contextmanager
def serve(house: Any) -> Iterator[Served]:
    """`house.app()` builds the app; it is called where the loop runs."""
    config = uvicorn.Config(
        house.app, factory=True, host="127.0.0.1", port=0, log_level="warning", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert thread.is_alive(), "the app ended before it had started"
        assert time.monotonic() < deadline, "the app did not start"
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Served(f"http://127.0.0.1:{port}", house)
    finally:
        server.should_exit = True
        thread.join(10)
