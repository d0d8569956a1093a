"""The scripted model server for everyone: one token at a time at a fixed rate, each saying when it was sent."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.wire.flow import Stream
from tests.wire.script import Reply
from tests.wire.server import WireServer

MARK = b"time-0000000000000000"
DELETES = "delete_dashboard"


class TimedServer(WireServer):
    """A scripted server that writes the microsecond of sending into every marked token."""

    async def _watched(self, reply: Reply, stream: Stream) -> AsyncIterator[bytes]:
        async for data in super()._watched(reply, stream):
            yield data.replace(MARK, b"time-%016d" % (time.time_ns() // 1000))


def script(tokens: int, rate: float, delete: dict[str, Any]) -> dict[str, Any]:
    """Everyone gets `tokens` tokens at `rate` a second; "short" gets three at once, "delete" a call and then a word."""
    long = {"text": " ".join([MARK.decode()] * tokens), "rate": rate, "wait": 0.05}
    short = {"text": " ".join([MARK.decode()] * 3)}
    call = {"calls": [{"name": DELETES, "args": delete}]}
    return {
        "rules": [
            {"user": "^delete", "reply": call},
            {"user": "^delete", "tool": "", "reply": "Done."},
            {"user": "^short", "reply": short},
        ],
        "otherwise": long,
    }


@contextmanager
def model_server(folder: Path, tokens: int, rate: float = 50.0, delete: int = 412) -> Iterator[str]:
    """The server in a process of its own; its address without a path."""
    port_file, script_file = folder / "model.port", folder / "model.json"
    script_file.write_text(json.dumps(script(tokens, rate, {"dashboard_id": delete})))
    command = [sys.executable, "-m", __name__, "--port-file", str(port_file), "--script", str(script_file)]
    with subprocess.Popen(command) as process:  # noqa: S603
        while not (port_file.exists() and port_file.read_text()):
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{port_file.read_text()}"
        finally:
            process.terminate()


def main() -> None:
    """Run as a process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--script", type=Path, required=True)
    options = parser.parse_args()
    server = TimedServer()
    server.script.load(json.loads(options.script.read_text()))
    options.port_file.write_text(str(server.port))
    server.run()


if __name__ == "__main__":
    main()
