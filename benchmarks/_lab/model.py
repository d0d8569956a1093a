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
FIRST = 0.05  # seconds until the first token


class TimedServer(WireServer):
    """A scripted server that writes the microsecond of sending into every marked token."""

    async def _watched(self, reply: Reply, stream: Stream) -> AsyncIterator[bytes]:
        async for data in super()._watched(reply, stream):
            yield data.replace(MARK, b"time-%016d" % (time.time_ns() // 1000))


def script(tokens: int, rate: float) -> dict[str, Any]:
    """`tokens` tokens at `rate` a second for everyone; "short" gets three at once, "burst" all at once.

    "delete N" gets a call and then a word.
    """
    text = " ".join([MARK.decode()] * tokens)
    long = {"text": text, "rate": rate, "wait": FIRST}
    short = {"text": " ".join([MARK.decode()] * 3), "wait": FIRST}
    call = {"calls": [{"name": DELETES, "args": '{"dashboard_id": \\g<id>}'}]}
    return {
        "rules": [
            {"user": r"^delete (?P<id>\d+)", "reply": call},
            {"user": "^delete", "tool": "", "reply": "Done."},
            {"user": "^short", "reply": short},
            {"user": "^burst", "reply": {"text": text}},
        ],
        "otherwise": long,
    }


@contextmanager
def model_server(folder: Path, tokens: int, rate: float = 50.0) -> Iterator[str]:
    """The server in a process of its own; its address without a path."""
    port_file, script_file = folder / "model.port", folder / "model.json"
    script_file.write_text(json.dumps(script(tokens, rate)))
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
