"""The stranger: a server that counts who came, and the address that each payload names."""

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.browser.payloads import PAYLOADS

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")


@dataclass
class Leak:
    """`came` holds the path of every request; `html` is what it serves at `/`, if anything."""

    url: str = ""
    came: list[str] = field(default_factory=list)
    html: str = ""

    def payloads(self) -> list[str]:
        """All payloads, each with a path of its own."""
        return [payload.format(u=f"{self.url}/p{number}") for number, payload in enumerate(PAYLOADS)]


@contextmanager
def leak_server() -> Iterator[Leak]:
    """A leak server on an ephemeral port."""
    leak = Leak()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = self.path == "/" and bool(leak.html)
            if not page and self.path != "/favicon.ico":
                leak.came.append(self.path)
            self.send_response(200)
            self.send_header("content-type", "text/html" if page else "image/gif")
            self.send_header("access-control-allow-origin", "*")
            self.end_headers()
            with suppress(ConnectionError):  # the browser may have left
                self.wfile.write(leak.html.encode() if page else PIXEL)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    leak.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield leak
    finally:
        server.shutdown()
        server.server_close()
