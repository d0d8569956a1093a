"""Another site, with the chat inside: pages of a server on `localhost`, while the chat is on 127.0.0.1."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """`pages` by path."""

    url: str = ""
    pages: dict[str, str] = field(default_factory=dict)


@contextmanager
def site() -> Iterator[Site]:
    """A site on an ephemeral port."""
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = made.pages.get(self.path.partition("?")[0])
            self.send_response(200 if page is not None else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://localhost:{server.server_port}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def host_page(chat: str, token: str = "eyJ.anna.x", more: str = "", **data: str) -> str:
    """A page with the chat inside, which notes every event in `window.told` and every token it gave in `given`."""
    attributes = " ".join(f'data-{name}="{value}"' for name, value in data.items())
    return f"""<!doctype html><title>Another site</title><h1>Another site</h1>
<div id="chat" style="width: 900px; height: 700px"></div>
<script>
window.given = 0;
window.token = "{token}";
window.giveToken = async () => {{ given += 1; return window.token; }};
</script>
<script src="{chat}/embed.js" data-token="giveToken" {attributes}></script>
<script>
window.told = [];
for (const name of ["ready", "confirm_required", "answer", "refused", "signedout"])
  Countersign.on(name, (detail) => told.push({{ name, ...detail }}));
</script>{more}"""
