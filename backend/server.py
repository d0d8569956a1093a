"""Serving the workspace on 127.0.0.1."""

import socket
import sys
import threading

import uvicorn

from backend.app import create_app
from backend.effects import Failpoint, no_failpoint
from backend.settings import WorkspaceSettings


def serve(
    settings: WorkspaceSettings,
    listener: socket.socket,
    *,
    exit_with_parent: bool = False,
    failpoint: Failpoint = no_failpoint,
) -> None:
    """Serve on a listening socket until a signal comes, or until stdin closes with `exit_with_parent`."""
    config = uvicorn.Config(
        create_app(settings, failpoint=failpoint), log_level="warning", access_log=False, timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    if exit_with_parent:
        threading.Thread(target=_stop_at_end_of_input, args=(server,), daemon=True).start()
    server.run(sockets=[listener])


def _stop_at_end_of_input(server: uvicorn.Server) -> None:
    """The parent holds the other end of stdin; it closes however the parent dies."""
    while sys.stdin.buffer.read(4096):
        pass
    server.should_exit = True
