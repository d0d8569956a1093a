"""Checking a signed token of one kind: format, header, key, signature, claims (RFC 7519, RFC 8725)."""

import base64
import binascii
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key

HEADERS = {"alg", "kid", "typ"}
FORMAT = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}")
MAX_TOKEN = 8192
MAX_KID = 128
ALGORITHMS = ("Ed25519", "EdDSA", "ES256")


class InvalidToken(Exception):  # noqa: N818
    """The token proves nothing. `reason` is for the operator's log, never for the caller."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class KeySource(Protocol):
    """Where an issuer's public keys come from."""

    async def key(self, kid: str) -> Key:
        """The key with this id; raises `InvalidToken`."""
        ...


@dataclass(frozen=True)
class TokenRule:
    """What a token of one kind must look like; kinds exclude each other by `types`, `issuer` and `required`.

    Times are in seconds; `clock` gives seconds since 1970.
    """

    types: frozenset[str]
    issuer: str
    audience: str
    max_lifetime: float
    keys: KeySource = field(repr=False)
    required: tuple[str, ...] = ()
    leeway: int = 30
    clock: Callable[[], float] = time.time

    async def check(self, token: str) -> dict[str, Any]:
        """The claims of a token that follows this rule; raises `InvalidToken`."""
        header = _header(token)
        if header["typ"] not in self.types:
            raise InvalidToken("type")
        key = await self.keys.key(header["kid"])
        if key.alg not in (None, header["alg"]) or key.get("use") not in (None, "sig"):
            raise InvalidToken("key use")
        try:
            claims = jwt.decode(token, key, algorithms=[header["alg"]]).claims
        except (JoseError, ValueError, TypeError, RecursionError):
            raise InvalidToken("signature") from None
        return self._checked(claims)

    def _checked(self, claims: dict[str, Any]) -> dict[str, Any]:
        must = {name: {"essential": True} for name in ("sub", "exp", "iat", *self.required)}
        registry = jwt.JWTClaimsRegistry(
            now=int(self.clock()),
            leeway=self.leeway,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.audience},
            **must,  # type: ignore[arg-type]
        )
        try:
            registry.validate(claims)
            lifetime = claims["exp"] - claims["iat"]
        except (JoseError, TypeError, OverflowError):
            raise InvalidToken("claims") from None
        if not 0 < lifetime <= self.max_lifetime:
            raise InvalidToken("lifetime")
        return claims


def _header(token: str) -> dict[str, Any]:
    """The header, when it holds what we allow and nothing else: no keys, addresses or critical extensions."""
    if len(token) > MAX_TOKEN or not FORMAT.fullmatch(token):
        raise InvalidToken("format")
    encoded = token.split(".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise InvalidToken("format") from None
    if not isinstance(header, dict) or header.keys() != HEADERS or header["alg"] not in ALGORITHMS:
        raise InvalidToken("header")
    if (
        not isinstance(header["kid"], str)
        or not 0 < len(header["kid"]) <= MAX_KID
        or not isinstance(header["typ"], str)
    ):
        raise InvalidToken("header")
    return header
