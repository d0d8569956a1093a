"""Headers and checks that hold for every answer: content policy, framing, and the origin of unsafe requests."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
POLICY = {
    "default-src": "'self'",
    "img-src": "'self' data: blob:",
    "media-src": "'self' blob:",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",  # gr.HTML compiles its handlers in the browser
    "style-src": "'self' 'unsafe-inline'",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-src": "'none'",
    "worker-src": "'self' blob:",
}
DATA = ("application/json", "text/event-stream")
BLOCKED = (
    "/gradio_api/proxy=", "/gradio_api/file=http", "/proxy=", "/file=http", "/gradio_api/upload", "/upload",
    "/gradio_api/dev/", "/dev/",  # a stream without an end, for whoever asks
)  # fmt: skip


class SecurityHeaders:
    """Adds the policy to every answer. Only listed origins may show the page in a frame.

    An answer that is data, not a page, gets the shorter policy that allows nothing at all: there are many in a chat.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: Sequence[str] = (), secure: bool = False):
        self.app = app
        ancestors = " ".join(["'self'", *frame_ancestors])
        policy = "; ".join(f"{name} {value}" for name, value in POLICY.items())
        self._headers = {
            "Content-Security-Policy": f"{policy}; frame-ancestors {ancestors}",
            "Referrer-Policy": "same-origin",  # with no-referrer, forms would send `Origin: null`
            "X-Content-Type-Options": "nosniff",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        }
        self._of_data = {
            "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
        }
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"
            self._of_data["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; add the headers to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                data = headers.get("content-type", "").startswith(DATA)
                for name, value in (self._of_data if data else self._headers).items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)


class OriginCheck:
    """Refuses unsafe requests that a page of another site sent (the browser says so in `Origin`).

    A request that carries our cookie must name an origin; programs, which have no cookie, need not.
    """

    def __init__(self, app: ASGIApp, cookie: str, allowed: Sequence[str] = ()):
        self.app = app
        self._cookie = cookie
        self._allowed = {origin.rstrip("/").lower() for origin in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 403 (404 for Gradio's proxy and upload routes, which are off)."""
        if scope["type"] == "http":
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        if scope["path"].startswith(BLOCKED):
            return JSONResponse({"code": "not_found", "text": "Not found."}, 404)
        if scope["method"] not in SAFE_METHODS and not self._trusted(Headers(scope=scope)):
            return JSONResponse({"code": "origin", "text": "This request came from another site."}, 403)
        return None

    def _trusted(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is None:
            return f"{self._cookie}=" not in headers.get("cookie", "")
        return origin.lower() in self._allowed or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
