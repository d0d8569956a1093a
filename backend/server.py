"""Serving the workspace on 127.0.0.1."""

import os
import socket
import sys
import threading
from pathlib import Path

import uvicorn

from backend.app import create_app
from backend.effects import Failpoint, no_failpoint
from backend.settings import WorkspaceSettings


class Server(uvicorn.Server):
    """A uvicorn server that tells its port once it answers."""

    def __init__(self, config: uvicorn.Config, port: int, port_file: Path | None):
        super().__init__(config)
        self._port = port
        self._port_file = port_file

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then write the port file whole."""
        await super().startup(sockets)
        if self._port_file is not None and self.started:
            draft = self._port_file.with_name(f"{self._port_file.name}.{os.getpid()}")
            draft.write_text(f"{self._port}\n")
            draft.replace(self._port_file)


def serve(
    settings: WorkspaceSettings,
    *,
    port: int = 0,
    port_file: Path | None = None,
    exit_with_parent: bool = False,
    failpoint: Failpoint = no_failpoint,
) -> None:
    """Serve until a signal comes, or until stdin closes with `exit_with_parent`. Port 0 takes any free one."""
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    config = uvicorn.Config(
        create_app(settings, failpoint=failpoint), log_level="warning", access_log=False, timeout_graceful_shutdown=5
    )
    server = Server(config, listener.getsockname()[1], port_file)
    if exit_with_parent:
        threading.Thread(target=_stop_at_end_of_input, args=(server,), daemon=True).start()
    server.run(sockets=[listener])


def _stop_at_end_of_input(server: Server) -> None:
    """The parent holds the other end of stdin; it closes however the parent dies."""
    while sys.stdin.buffer.read(4096):
        pass
    server.should_exit = True
