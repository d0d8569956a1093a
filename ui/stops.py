"""Stop, from the page's button or a client's `job.cancel()`: both ask Gradio to cancel, and mean the run.

Gradio ends the coroutine of the stream, by cancelling or by closing it. A client that goes away and a server that shuts
down end it in the same two ways and must stop nothing, so the request itself is what counts.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from ui.tab_owners import again, session_in, whole

ROUTE = "/gradio_api/cancel"
Stop = Callable[[], Awaitable[None]]


class Stops:
    """How to stop what a Gradio session follows at the moment."""

    def __init__(self) -> None:
        self._following: dict[str, list[Stop]] = {}

    @contextmanager
    def following(self, session: str, stop: Stop) -> Iterator[None]:
        """While this lasts, a stop of the session means `stop`."""
        stops = self._following.setdefault(session, [])
        stops.append(stop)
        try:
            yield
        finally:
            stops.remove(stop)
            if not stops:
                self._following.pop(session, None)

    async def stop(self, session: str) -> None:
        """Stop everything that the session follows."""
        for stop in list(self._following.get(session, ())):
            await stop()


class StopRequests:
    """Stops the runs before Gradio ends their streams; whose session it is was checked before."""

    def __init__(self, app: ASGIApp, stops: Stops):
        self.app = app
        self._stops = stops

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stop what a cancel request names, then pass it on."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == ROUTE:
            body = await whole(receive)
            await self._stops.stop(session_in(body))
            receive = again(body, receive)
        await self.app(scope, receive, send)
