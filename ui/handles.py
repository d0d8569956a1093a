"""The session's handle in a request: a cookie, or for a page in a frame, which has no cookies, a header of its own."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = "x-countersign-session"


class HandleHeader:
    """Reads the header as if it were the cookie, so that everything behind knows one kind of session.

    No page of another site can send it: a header of one's own needs a permission (CORS) that only listed origins have.
    """

    def __init__(self, app: ASGIApp, cookie: str):
        self.app = app
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http" and (handle := Headers(scope=scope).get(HEADER)):
            scope = with_handle(scope, self._cookie, handle)
        await self.app(scope, receive, send)


def with_handle(scope: Scope, cookie: str, handle: str) -> Scope:
    """The same request with this handle, and no other one, in its cookies."""
    scope = {**scope, "headers": list(scope["headers"])}
    headers = MutableHeaders(scope=scope)
    others = [part for part in headers.get("cookie", "").split("; ") if part and not part.startswith(f"{cookie}=")]
    safe = handle if handle.replace("-", "").replace("_", "").isalnum() else ""
    headers["cookie"] = "; ".join([*others, f"{cookie}={safe}"])
    return scope
