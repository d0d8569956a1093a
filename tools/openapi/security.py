"""The security schemes by which an OpenAPI backend knows the agent (OpenAPI 3.1, 4.8.27).

Bearer (RFC 6750), API key in header, query or cookie, basic (RFC 7617), OAuth2 password grant (RFC 6749, 4.3), and
headers that never change.
"""

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import httpx

from tools.credentials import Proof, SignInError
from tools.toolset import Call

Place = Literal["header", "query", "cookie"]
RENEW_BEFORE = 30.0
UNSTATED_LIFETIME = 60.0


@dataclass(frozen=True)
class StaticHeaders:
    """Headers that go with every request, such as the one that a gateway wants."""

    headers: Mapping[str, str] = field(repr=False)

    async def proof(self, call: Call) -> Proof:
        """The headers as they are; all of them count as secret."""
        return Proof(self.headers, secrets=tuple(self.headers.values()))


@dataclass(frozen=True)
class Bearer:
    """One token for the service."""

    token: str = field(repr=False)

    async def proof(self, call: Call) -> Proof:
        """`Authorization: Bearer <token>`."""
        return Proof({"Authorization": f"Bearer {self.token}"}, secrets=(self.token,))


@dataclass(frozen=True)
class ApiKey:
    """A key under a name in the header, the query or the cookie."""

    key: str = field(repr=False)
    place: Place = "header"
    name: str = "X-API-Key"

    async def proof(self, call: Call) -> Proof:
        """The key in its place."""
        if self.place == "query":
            return Proof(query={self.name: self.key}, secrets=(self.key,))
        header = {"Cookie": f"{self.name}={self.key}"} if self.place == "cookie" else {self.name: self.key}
        return Proof(header, secrets=(self.key,))


@dataclass(frozen=True)
class Basic:
    """A user name and a password of the service's own."""

    user: str
    password: str = field(repr=False)

    async def proof(self, call: Call) -> Proof:
        """`Authorization: Basic <base64>`, in UTF-8."""
        pair = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return Proof({"Authorization": f"Basic {pair}"}, secrets=(pair, self.password))


class PasswordGrant:
    """A token from the backend's token endpoint, kept until shortly before it expires.

    `clock` gives monotonic seconds. A refused sign-in is not tried again for as long as the failure is fresh, so a
    wrong password locks no account.
    """

    def __init__(
        self,
        url: str,
        user: str,
        password: str,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._url = url
        self._form = {"grant_type": "password", "username": user, "password": password}
        self._transport = transport
        self._clock = clock
        self._token = ""
        self._until = float("-inf")
        self._lock = asyncio.Lock()

    async def proof(self, call: Call) -> Proof:
        """The service's bearer token; raises `SignInError`."""
        async with self._lock:
            if self._clock() >= self._until:
                await self._renew()
        if not self._token:
            raise SignInError("the token endpoint refuses the service's name and password; correct SERVICE_CREDENTIALS")
        return await Bearer(self._token).proof(call)

    async def _renew(self) -> None:
        try:
            async with httpx.AsyncClient(transport=self._transport, timeout=10, trust_env=False) as http:
                answer = await http.post(self._url, data=self._form)
            told = answer.json() if answer.status_code == 200 else {}
        except (httpx.HTTPError, ValueError):
            raise SignInError("the token endpoint of the service does not answer") from None
        self._token = told.get("access_token", "") if isinstance(told, dict) else ""
        lifetime = told.get("expires_in") if self._token else None
        seconds = lifetime - RENEW_BEFORE if isinstance(lifetime, int | float) else UNSTATED_LIFETIME
        self._until = self._clock() + max(seconds, 1.0)


def api_key(text: str, place: str) -> ApiKey:
    """The key under `header:X-API-Key`, `query:api_key` or `cookie:session`; raises `ValueError`."""
    where, _, name = place.partition(":")
    if where not in ("header", "query", "cookie") or not name:
        raise ValueError("SERVICE_KEY_PLACE must look like header:X-API-Key, query:api_key or cookie:session")
    return ApiKey(text, where, name)
