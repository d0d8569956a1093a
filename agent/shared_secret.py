"""People's tokens that are signed with a secret their service shares with us (HS256), as many FastAPI services do."""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from agent.identity import MAX_JWKS, Principal, Unauthenticated, known_role, principal_of, token_header, word
from tools.toolset import Role

ALGORITHM = "HS256"
TYPES = frozenset({"JWT", "at+jwt", "application/at+jwt", None})
LEAST_SECRET = 32  # RFC 7518, 3.2: at least as long as the hash


def check_secret(secret: str) -> None:
    """Raises `ValueError` for what is too short, or is a key for others to read (RFC 8725, 2.1)."""
    if len(secret.encode()) < LEAST_SECRET:
        raise ValueError(f"it needs at least {LEAST_SECRET} characters (RFC 7518)")
    if secret.lstrip().startswith(("-----BEGIN", "ssh-", "{")):
        raise ValueError("it is a key file, not a shared secret; for public keys set USER_JWKS_URL")


class Userinfo:
    """What the service says of the person whose token it is; kept for a minute, for at most a thousand tokens."""

    FRESH, MOST = 60.0, 1_000

    def __init__(self, url: str, client: httpx.AsyncClient, clock: Callable[[], float] = time.monotonic):
        self._url = url
        self._client = client
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()

    async def of(self, token: str) -> dict[str, Any]:
        """The answer, empty while the service does not give one; raises `Unauthenticated` when it refuses the token."""
        mark = hashlib.sha256(token.encode()).hexdigest()
        until, info = self._kept.get(mark, (0.0, {}))
        if info and self._clock() < until:
            return info
        if info := await self._asked(token):
            self._kept[mark] = (self._clock() + self.FRESH, info)
            self._kept.move_to_end(mark)
            while len(self._kept) > self.MOST:
                self._kept.popitem(last=False)
        return info

    async def _asked(self, token: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        try:
            async with self._client.stream("GET", self._url, headers=headers, follow_redirects=False) as answer:
                if answer.status_code in {400, 401, 403, 404}:
                    raise Unauthenticated("userinfo")
                body = bytearray()
                async for chunk in answer.aiter_bytes():
                    body += chunk
                    if answer.status_code != 200 or len(body) > MAX_JWKS:
                        return {}
            info = json.loads(body)
        except (httpx.HTTPError, ValueError, RecursionError):
            return {}
        return info if isinstance(info, dict) else {}


class SharedSecretVerifier:
    """Checks tokens with the one secret and the one algorithm of the settings, whatever their header asks for.

    Such tokens often hold no more than `sub` and `exp`: an issuer or an audience counts when the token or the settings
    name one. The role is the claim `role`, else that of `userinfo` (`role`, or `is_superuser` for an admin), else the
    weakest.
    """

    def __init__(
        self,
        secret: str,
        *,
        issuer: str | None,
        audience: str,
        home: str,
        default_tenant: str = "default",
        userinfo: Userinfo | None = None,
        leeway: int = 30,
        clock: Callable[[], float] = time.time,
    ):
        check_secret(secret)
        self._key = OctKey.import_key(secret)
        self._issuer = issuer
        self._audience = audience
        self._home = home
        self._default_tenant = default_tenant
        self._userinfo = userinfo
        self._leeway = leeway
        self._clock = clock

    async def verify(self, token: str) -> Principal:
        """The person that this token was made for; raises `Unauthenticated`."""
        if token_header(token, TYPES)["alg"] != ALGORITHM:
            raise Unauthenticated("algorithm")
        try:
            claims = jwt.decode(token, self._key, algorithms=[ALGORITHM]).claims
        except (JoseError, ValueError, TypeError, RecursionError):
            raise Unauthenticated("signature") from None
        person = principal_of(token, self._checked(claims), self._issuer or self._home, self._default_tenant)
        return await self._with_info(person, named="role" in claims)

    def _checked(self, claims: dict[str, Any]) -> dict[str, Any]:
        registry = jwt.JWTClaimsRegistry(
            now=int(self._clock()), leeway=self._leeway, sub={"essential": True}, exp={"essential": True},
            iss={"essential": True, "value": self._issuer} if self._issuer else {},
            aud={"value": self._audience} if "aud" in claims else {},
        )  # fmt: skip
        try:
            registry.validate(claims)
            datetime.fromtimestamp(claims["exp"], UTC)
        except (JoseError, TypeError, ValueError, OverflowError, OSError):
            raise Unauthenticated("claims") from None
        if not word(claims["sub"]):
            raise Unauthenticated("claims")
        return claims

    async def _with_info(self, person: Principal, *, named: bool) -> Principal:
        if self._userinfo is None or named:
            return person
        info = await self._userinfo.of(person.user_jwt)
        if info.get("is_active") is False:
            raise Unauthenticated("inactive")
        role = Role.ADMIN if info.get("is_superuser") is True else known_role(info.get("role"))
        name = next((n for key in ("full_name", "name", "email") if (n := word(info.get(key)))), person.name)
        return replace(person, role=role, name=name)
