"""Sign-in by a proxy in front of us: it knows the person and says who it is in headers, with a secret that proves it.

Every request is checked, so that who signs out at the proxy is signed out here with the next request.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.identity import Principal, Unauthenticated
from agent.tokens import PersonTokens, nobodys
from tools.toolset import Role
from ui.handles import HEADER as HANDLE
from ui.handles import with_handle
from ui.roles import NotListed, role_of
from ui.sessions import Sessions
from ui.visitors import Finder, Verifier, bearer

OPEN = ("/healthz", "/readyz", "/metrics", "/cs-static/", "/.well-known/jwks.json")
MODE = "header"
KEPT = 10_000


@dataclass(frozen=True)
class ProxyHeaders:
    """Names of the headers, and the secret that the proxy sends in `X-Proxy-Secret`.

    With `token` the proxy passes on a token of the person, which is verified like any other and needs no secret.
    """

    user: str = "X-Forwarded-User"
    name: str = "X-Forwarded-Preferred-Username"
    groups: str = "X-Forwarded-Groups"
    token: str = ""
    secret: str = field(default="", repr=False)
    roles: Mapping[str, Role] = field(default_factory=dict)
    tenant: str = "default"


class ProxyPeople:
    """Who a request's headers say it is."""

    def __init__(self, names: ProxyHeaders, verifier: Verifier, tokens: PersonTokens | None):
        self._names = names
        self._verifier = verifier
        self._tokens = tokens

    async def person(self, headers: Headers) -> Principal:
        """The person; raises `Unauthenticated` for a request that did not come through the proxy."""
        if self._names.token:
            return await self._verifier.verify(bearer(headers.get(self._names.token, "")))
        given = headers.get("x-proxy-secret", "")
        if not hmac.compare_digest(given.encode(), self._names.secret.encode()):
            raise Unauthenticated("proxy_secret")
        user = headers.get(self._names.user, "").strip()
        if not user or len(user) > 200 or not user.isprintable() or self._tokens is None:
            raise Unauthenticated("proxy_user")
        try:
            role = role_of(self._names.roles, user, _listed(headers.get(self._names.groups, "")))
        except NotListed:
            raise Unauthenticated("not_listed") from None
        name = headers.get(self._names.name, "").strip()[:200] or user
        return self._tokens.given(nobodys(self._names.tenant, f"proxy|{user}", name, role))


class ProxySignIn:
    """Keeps one session for the person whom the proxy names; answers 401 where it names nobody.

    Only pages set the cookie: a program that kept it would have to name an origin with every call.
    """

    def __init__(
        self, app: ASGIApp, people: ProxyPeople, sessions: Sessions, finder: Finder, cookie: str, secure: bool
    ):
        self.app = app
        self._people = people
        self._sessions = sessions
        self._finder = finder
        self._cookie = cookie
        self._secure = secure
        self._kept: dict[tuple[str, str, str], str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on as its person, or answer 401."""
        if scope["type"] != "http" or scope["path"].startswith(OPEN):
            await self.app(scope, receive, send)
            return
        try:
            person = await self._people.person(Headers(scope=scope))
        except Unauthenticated:
            text = "The sign-in service in front of this chat did not say who you are."
            answer = JSONResponse({"code": "unauthenticated", "text": text, "errors": []}, 401)
            await answer(scope, receive, send)
            return
        page = "text/html" in Headers(scope=scope).get("accept", "")
        handle = await self._handle(scope, person)
        seen = with_handle(scope, self._cookie, handle)
        del MutableHeaders(scope=seen)[HANDLE]  # the proxy alone says who it is
        await self.app(seen, receive, self._setting(send, handle) if page else send)

    async def _handle(self, scope: Scope, person: Principal) -> str:
        """The session of the browser, when it is this person's; else the one that we keep for them."""
        for handle in (_cookie(scope, self._cookie), self._kept.get(_who(person), "")):
            known = await self._finder.find(handle) if handle else None
            if known and _who(known) == _who(person):
                return handle
        handle = await self._sessions.open(person, MODE)
        self._kept[_who(person)] = handle
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return handle

    def _setting(self, send: Send, handle: str) -> Send:
        flags = "; Path=/; HttpOnly; SameSite=lax" + ("; Secure" if self._secure else "")

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", f"{self._cookie}={handle}{flags}")
            await send(message)

        return with_cookie


def _who(person: Principal) -> tuple[str, str, str]:
    return person.tenant, person.subject, person.role


def _listed(groups: str) -> Sequence[str]:
    return [group.strip() for group in groups.split(",") if group.strip()]


def _cookie(scope: Scope, name: str) -> str:
    parts = Headers(scope=scope).get("cookie", "").split("; ")
    return next((part.partition("=")[2] for part in parts if part.startswith(f"{name}=")), "")
