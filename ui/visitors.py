"""Who is asking: a browser by its session cookie, a program by its token."""

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.identity import Principal, Unauthenticated

COOKIE = "countersign"
AUTHORIZATION = "authorization"
BEARER = "bearer"


class Verifier(Protocol):
    """Turns a person's token into who they are."""

    async def verify(self, token: str) -> Principal:
        """Raises `agent.identity.Unauthenticated`."""
        ...


class Finder(Protocol):
    """Knows the people behind session handles."""

    async def find(self, handle: str) -> Principal | None:
        """None when the handle is unknown or over."""
        ...


def bearer(value: str) -> str:
    """The token of a header: behind `Bearer` in whatever case (RFC 9110, 11.1), or the whole value."""
    scheme, _, token = value.partition(" ")
    return token.lstrip(" ") if scheme.lower() == BEARER else value


class Visitors:
    """Finds the person behind a request. Every handler asks, none trusts an earlier answer."""

    def __init__(self, sessions: Finder, verifier: Verifier, *, secure: bool, jwt_header: str = "X-User-JWT"):
        self._sessions = sessions
        self._verifier = verifier
        self._header = jwt_header.lower()
        self.cookie = f"__Host-{COOKIE}" if secure else COOKIE

    async def browser(self, cookies: Mapping[str, str]) -> Principal | None:
        """The person whose session cookie this is."""
        handle = cookies.get(self.cookie)
        return await self._sessions.find(handle) if handle else None

    async def program(self, headers: Mapping[str, str], user_jwt: str = "") -> Principal | None:
        """The person whose token came with the call, in the input or in the header; None without one.

        Raises `Unauthenticated` for a token that does not hold.
        """
        token = bearer(user_jwt) or self._token(headers)
        return await self._verifier.verify(token) if token else None

    def _token(self, headers: Mapping[str, str]) -> str:
        """The token in the header; in `Authorization` another scheme than `Bearer` is not ours, such as a proxy's."""
        value = headers.get(self._header, "")
        ours = self._header != AUTHORIZATION or value.lower().startswith(f"{BEARER} ")
        return bearer(value) if ours else ""

    async def anyone(self, cookies: Mapping[str, str], headers: Mapping[str, str], user_jwt: str = "") -> Principal:
        """The person, by token first; raises `Unauthenticated` for nobody."""
        person = await self.program(headers, user_jwt) or await self.browser(cookies)
        if person is None:
            raise Unauthenticated("nobody")
        return person


class SignInFirst:
    """Sends a person who opens a page without a session to the sign-in page, and back afterwards.

    Programs do not ask for HTML, and a page in a frame brings its own token.
    """

    def __init__(self, app: ASGIApp, visitors: Visitors, pages: tuple[str, ...] = ("/",)):
        self.app = app
        self._visitors = visitors
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or redirect."""
        if scope["type"] == "http" and await self._must_sign_in(request := Request(scope)):
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            await RedirectResponse("/signin?" + urlencode({"next": target}), 303)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _must_sign_in(self, request: Request) -> bool:
        return self._is_page(request) and await self._visitors.browser(request.cookies) is None

    def _is_page(self, request: Request) -> bool:
        return (
            request.method == "GET"
            and request.url.path in self._pages
            and "text/html" in request.headers.get("accept", "")
            and request.query_params.get("embed") != "1"
        )
