"""`python -m backend`: the workspace backend as a process of its own."""

import argparse
import os
import socket
import sys

from pydantic import ValidationError

from backend.server import serve
from backend.settings import WorkspaceSettings


def main() -> None:
    """Read the arguments and the settings, then serve; a wrong setting ends with one clear line."""
    parser = argparse.ArgumentParser(prog="python -m backend", description="The embedded workspace backend.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes any free one")
    parser.add_argument("--fd", type=int, help="an inherited socket that listens already, instead of a port")
    parser.add_argument("--database-url", help="PostgreSQL URL of the workspace's role (or WORKSPACE_DATABASE_URL)")
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when stdin closes")
    arguments = parser.parse_args()
    if arguments.database_url:
        os.environ["WORKSPACE_DATABASE_URL"] = arguments.database_url
    try:
        settings = WorkspaceSettings()  # type: ignore[call-arg]
    except ValidationError as error:
        names = ", ".join(f"WORKSPACE_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        sys.exit(f"backend: wrong settings: {names}")
    serve(settings, _listener(arguments.fd, arguments.port), exit_with_parent=arguments.exit_with_parent)


def _listener(fd: int | None, port: int) -> socket.socket:
    if fd is not None:
        return socket.socket(fileno=fd)
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    print(f"The workspace is at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    return listener


if __name__ == "__main__":
    main()
