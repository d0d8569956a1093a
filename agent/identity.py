"""Who a person is: a verified token becomes a `Principal`."""

import asyncio
import base64
import binascii
import json
import re
import time
from collections.abc import Callable, Container, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet

from tools.toolset import Role

HEADERS = {"alg", "kid", "typ"}
TYPES = {"at+jwt", "application/at+jwt"}
FORMAT = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}")
MAX_TOKEN = 8192
MAX_KID = 128
MAX_JWKS = 65_536
MIN_RSA_BITS = 2048


class Unauthenticated(Exception):  # noqa: N818
    """The token does not prove who this is. `code` tells the operator why; the person only learns that it failed."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Principal:
    """A signed-in person. `subject` is "iss|sub"; `user_jwt` is their own token and never shown or stored open."""

    tenant: str
    subject: str
    name: str
    role: Role
    user_jwt: str = field(repr=False)
    expires_at: datetime


class KeySource(Protocol):
    """Where the issuer's public keys come from."""

    async def key(self, kid: str | None) -> Key:
        """The key with this id; raises `Unauthenticated`."""
        ...


class StaticKeys:
    """Public keys that are known at the start."""

    def __init__(self, keys: KeySet):
        self._keys = keys

    async def key(self, kid: str | None) -> Key:
        """The key with this id (or the only key, for a token that names none); raises `Unauthenticated`."""
        return _pick(self._keys, kid)


class JwksUrl:
    """The issuer's published keys: kept ten minutes, and up to a day while the issuer cannot be reached.

    An unknown key id causes at most one request a minute whatever the number of tokens, so forged ids cannot be
    used to flood the issuer. Requests that come together share one fetch.
    """

    FRESH, STALE, PAUSE, PAUSE_EMPTY = 600.0, 86_400.0, 60.0, 2.0

    def __init__(self, url: str, client: httpx.AsyncClient, clock: Callable[[], float] = time.monotonic):
        self._url = url
        self._client = client
        self._clock = clock
        self._keys = KeySet([])
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def key(self, kid: str | None) -> Key:
        """The key with this id, fetched when needed; raises `Unauthenticated`."""
        if self._age() > self.FRESH or not self._knows(kid):
            await self._refresh(kid)
        if self._age() > self.STALE:
            raise Unauthenticated("keys_unavailable")
        return _pick(self._keys, kid)

    async def _refresh(self, kid: str | None) -> None:
        async with self._lock:
            wanted = self._age() > self.FRESH or not self._knows(kid)
            pause = self.PAUSE if self._keys else self.PAUSE_EMPTY
            if not wanted or self._clock() - self._tried < pause:
                return
            self._tried = self._clock()
            try:
                self._keys = await self._fetch()
            except (httpx.HTTPError, JoseError, ValueError, KeyError, TypeError):
                return
            self._fetched = self._clock()

    async def _fetch(self) -> KeySet:
        async with self._client.stream("GET", self._url, follow_redirects=False) as response:
            if response.status_code != 200:
                raise ValueError("the issuer did not answer with its keys")
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_JWKS:
                    raise ValueError("the issuer's keys are too large")
        return KeySet.import_key_set(json.loads(body))

    def _knows(self, kid: str | None) -> bool:
        return any(key.kid == kid for key in self._keys) or (kid is None and len(self._keys.keys) == 1)

    def _age(self) -> float:
        return self._clock() - self._fetched


class TokenVerifier:
    """Checks a person's access token (RFC 7519, RFC 8725, RFC 9068) and tells who they are."""

    def __init__(
        self,
        *,
        keys: KeySource,
        issuer: str,
        audience: str,
        algorithms: Sequence[str] = ("Ed25519", "EdDSA", "ES256", "RS256"),
        default_tenant: str = "default",
        max_lifetime: float = 3600.0,
        leeway: int = 30,
        clock: Callable[[], float] = time.time,
    ):
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self._algorithms = tuple(algorithms)
        self._default_tenant = default_tenant
        self._max_lifetime = max_lifetime
        self._leeway = leeway
        self._clock = clock

    async def verify(self, token: str) -> Principal:
        """The person that this token was made for; raises `Unauthenticated`."""
        header = token_header(token, TYPES)
        if header["alg"] not in self._algorithms:
            raise Unauthenticated("algorithm")
        key = await self._keys.key(header.get("kid"))
        check_key(key, header["alg"])
        try:
            claims = jwt.decode(token, key, algorithms=[header["alg"]]).claims
        except (JoseError, ValueError, TypeError, RecursionError):
            raise Unauthenticated("signature") from None
        checked = self._checked(claims)
        return principal_of(token, checked, checked["iss"], self._default_tenant)

    def _checked(self, claims: dict[str, Any]) -> dict[str, Any]:
        now = int(self._clock())
        registry = jwt.JWTClaimsRegistry(
            now=now,
            leeway=self._leeway,
            iss={"essential": True, "value": self._issuer},
            aud={"essential": True, "value": self._audience},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )
        try:
            registry.validate(claims)
            lifetime = claims["exp"] - claims["iat"]
        except (JoseError, TypeError, OverflowError):
            raise Unauthenticated("claims") from None
        if not 0 < lifetime <= self._max_lifetime:
            raise Unauthenticated("lifetime")
        return claims


def principal_of(token: str, claims: dict[str, Any], issuer: str, default_tenant: str) -> Principal:
    """The person of a token whose claims were checked; a subject is one person only together with its issuer."""
    return Principal(
        tenant=word(claims.get("tenant")) or default_tenant,
        subject=f"{issuer}|{claims['sub']}",
        name=word(claims.get("name")) or claims["sub"],
        role=known_role(claims.get("role")),
        user_jwt=token,
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
    )


def token_header(
    token: str, types: Container[str | None], *, also: Set[str] = frozenset(), longest: int = MAX_TOKEN
) -> dict[str, Any]:
    """The header of a compact token of one of these types, with members `also` allowed; raises `Unauthenticated`."""
    if len(token) > longest or not FORMAT.fullmatch(token):
        raise Unauthenticated("format")
    encoded = token.split(".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise Unauthenticated("format") from None
    if not isinstance(header, dict) or not header.keys() <= HEADERS | also:
        raise Unauthenticated("header")
    kid = header.get("kid")
    if kid is not None and not (isinstance(kid, str) and 0 < len(kid) <= MAX_KID):
        raise Unauthenticated("key_id")
    kind = header.get("typ")
    if not isinstance(kind, str | None) or kind not in types or not isinstance(header.get("alg"), str):
        raise Unauthenticated("header")
    return header


def _pick(keys: KeySet, kid: str | None) -> Key:
    found = [key for key in keys if key.kid == kid] or (keys.keys if kid is None else [])
    if len(found) != 1:
        raise Unauthenticated("key_id")
    return found[0]


def check_key(key: Key, algorithm: str) -> None:
    """A key is used for what its issuer published it for, and no other way; raises `Unauthenticated`."""
    if key.alg not in (None, algorithm) or key.get("use") not in (None, "sig") or key.key_type == "oct":
        raise Unauthenticated("key_use")
    if key.key_type == "RSA" and key.public_key.key_size < MIN_RSA_BITS:  # type: ignore[attr-defined]
        raise Unauthenticated("key_use")


def known_role(claim: object) -> Role:
    """Least rights for a token that names no role we know."""
    return Role(claim) if claim in list(Role) else Role.VIEWER


def word(claim: object) -> str:
    """A claim as a short text, empty when it is none."""
    return claim.strip()[:200] if isinstance(claim, str) and "\0" not in claim else ""
