"""Whose Gradio session it is: the first person that uses a session id keeps it, so a guessed one opens nothing.

Gradio itself takes whoever names a session id for its owner: its stream, its state and its cancel would be open. The
same holds for the id of an event, by which a program reads the answer to its call; it is the person's it was given to.
"""

import json
from collections import OrderedDict
from collections.abc import Iterator
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.identity import Unauthenticated
from ui.visitors import Visitors

ROUTES = "/gradio_api/"
KEPT = 20_000
Owner = tuple[str, str]
NOBODY: Owner = ("", "")


class TabOwners:
    """Answers 404 where a request names the Gradio session of somebody else."""

    def __init__(self, app: ASGIApp, visitors: Visitors, kept: int = KEPT):
        self.app = app
        self._visitors = visitors
        self._kept = kept
        self._owners: OrderedDict[str, Owner] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 404."""
        if scope["type"] != "http" or not scope["path"].startswith(ROUTES):
            await self.app(scope, receive, send)
            return
        if scope["method"] == "POST":
            body = await whole(receive)
            named, receive = [*ids_in(body, "session_hash", "event_id")], again(body, receive)
        else:
            named = _named_by(scope)
        calls = _calls(scope)
        person = await self._person(Request(scope)) if named or calls else NOBODY
        if not all(self._may(name, person, scope["method"]) for name in named):
            await JSONResponse({"code": "not_found", "text": "Not found."}, 404)(scope, receive, send)
            return
        await self.app(scope, receive, self._noting(send, person) if calls else send)

    def _noting(self, send: Send, person: Owner) -> Send:
        """The id of an event is its caller's from when they learn it."""

        async def noted(message: Message) -> None:
            for event in ids_in(message.get("body", b""), "event_id"):
                self._keeps(event, person)
            await send(message)

        return noted

    def _may(self, session: str, person: Owner, method: str) -> bool:
        """Reading of nobody claims nothing: a frame's heartbeat comes before its person is known, without a header."""
        if person == NOBODY and method == "GET":
            return self._owners.get(session, NOBODY) == NOBODY
        return self._keeps(session, person)

    async def _person(self, request: Request) -> Owner:
        """Who asks; programs that give their token as an input are nobody yet."""
        try:
            person = await self._visitors.anyone(request.cookies, request.headers)
        except Unauthenticated:
            return NOBODY
        return (person.tenant, person.subject)

    def _keeps(self, session: str, person: Owner) -> bool:
        owner = self._owners.setdefault(session, person)
        self._owners.move_to_end(session)
        if len(self._owners) > self._kept:
            self._owners.popitem(last=False)
        return owner == person


def _calls(scope: Scope) -> bool:
    """Whether the answer to a request names a new event."""
    return scope["method"] == "POST" and scope["path"].removeprefix(ROUTES).startswith(("call/", "queue/join"))


def _named_by(scope: Scope) -> list[str]:
    """The ids in an address: a session in its query or as the part that follows, an event at the end of a call."""
    asked = parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", [])
    route, _, rest = scope["path"].removeprefix(ROUTES).partition("/")
    if route == "call" and "/" in rest:
        return [*asked, rest.rpartition("/")[2]]
    return asked or ([rest.partition("/")[0]] if route in ("heartbeat", "stream") else [])


def session_in(body: bytes) -> str:
    """The session id in a JSON body, "" where there is none."""
    return next(ids_in(body, "session_hash"), "")


def ids_in(body: bytes, *names: str) -> Iterator[str]:
    """The ids of these names in a JSON body (the route itself refuses what is no JSON)."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return
    for name in names if isinstance(data, dict) else ():
        if isinstance(data.get(name), str) and data[name]:
            yield data[name]


async def whole(receive: Receive) -> bytes:
    """The body of a request."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def again(body: bytes, receive: Receive) -> Receive:
    """The body once more, for the app; what follows it comes from the connection."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return first.pop() if first else await receive()

    return replay
