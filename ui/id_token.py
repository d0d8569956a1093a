"""The id_token of an OpenID provider (OpenID Connect Core 1.0, 3.1.3.7): signed by it, for us, in this very sign-in."""

import hashlib
import math
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from secrets import compare_digest
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, OctKey

from agent.identity import KeySource, Unauthenticated, check_key, token_header

TYPES = frozenset({"JWT", "jwt", None})
THUMBPRINTS = frozenset({"x5t", "x5t#S256"})  # some providers send them; they name a certificate and bring none
LONGEST = 32_768
LEEWAY, OLDEST = 30.0, 600.0
REASONS = {
    "format": "is not a signed token",
    "header": "has a header that an id_token does not have",
    "algorithm": "is signed in a way that OPENID_ALGORITHMS does not list",
    "key_id": "names a key that the provider does not publish",
    "key_use": "is signed with a key that is published for something else",
    "signature": "has a signature that is not the provider's",
}


class NotProven(Exception):  # noqa: N818
    """An id_token does not prove who signed in; the text ends the sentence "the id_token ..."."""


class KeysUnknown(Exception):  # noqa: N818
    """The provider's keys could not be read, so nothing can be said of its id_token."""


class IdTokens:
    """Checks the id_tokens that `issuer` gives to `client_id`.

    Signatures are checked with the issuer's published keys. HS256 and the like, whose key is the client's `secret`,
    count only where they are among the `algorithms`, and a published key never stands in for that secret.
    """

    def __init__(
        self,
        keys: KeySource,
        *,
        issuer: str,
        client_id: str,
        algorithms: Sequence[str],
        secret: str = "",
        clock: Callable[[], float] = time.time,
    ):
        self._keys = keys
        self._issuer = issuer
        self._client_id = client_id
        self._algorithms = frozenset(algorithms)
        self._secret = secret
        self._clock = clock

    async def subject(self, token: str, nonce: str, access_token: str) -> str:
        """Who signed in: `sub` of a token for this nonce and access token; raises `NotProven`, `KeysUnknown`."""
        try:
            algorithm, claims = await self._signed(token)
        except Unauthenticated as error:
            if error.code == "keys_unavailable":
                raise KeysUnknown from None
            raise NotProven(REASONS.get(error.code, error.code)) from None
        checks = self._checks(claims) | {
            "belongs to another sign-in (nonce)": _same(claims.get("nonce"), nonce),
            "belongs to another access token (at_hash)": "at_hash" not in claims
            or _same(claims["at_hash"], at_hash(access_token, algorithm)),
        }
        for reason, holds in checks.items():
            if not holds:
                raise NotProven(reason)
        return claims["sub"]

    async def _signed(self, token: str) -> tuple[str, dict[str, Any]]:
        header = token_header(token, TYPES, also=THUMBPRINTS, longest=LONGEST)
        algorithm: str = header["alg"]
        if algorithm not in self._algorithms or algorithm.lower() == "none":
            raise Unauthenticated("algorithm")
        key = await self._key(algorithm, header.get("kid"))
        try:
            return algorithm, jwt.decode(token, key, algorithms=[algorithm]).claims
        except (JoseError, ValueError, TypeError, RecursionError):
            raise Unauthenticated("signature") from None

    async def _key(self, algorithm: str, kid: str | None) -> Key:
        if algorithm.startswith("HS"):
            return OctKey.import_key(self._secret)
        key = await self._keys.key(kid)
        check_key(key, algorithm)
        return key

    def _checks(self, claims: dict[str, Any]) -> dict[str, bool]:
        """What must hold of any id_token for us, by what is wrong where it does not."""
        now, subject, audience = self._clock(), claims.get("sub"), claims.get("aud")
        told = audience if isinstance(audience, list) else [audience]
        alone = told == [self._client_id] and "azp" not in claims
        begun = _moment(claims.get("iat"))
        return {
            "comes from another issuer (iss)": claims.get("iss") == self._issuer,
            "is for another application (aud)": self._client_id in told,
            "was given to another application (azp)": alone or claims.get("azp") == self._client_id,
            "has expired or does not say when it does (exp)": _moment(claims.get("exp")) > now - LEEWAY,
            "is not valid yet (nbf)": "nbf" not in claims or _moment(claims["nbf"], math.inf) <= now + LEEWAY,
            "was not made just now (iat)": now - OLDEST - LEEWAY <= begun <= now + LEEWAY,
            "names nobody (sub)": isinstance(subject, str) and subject != "",
        }


def at_hash(access_token: str, algorithm: str) -> str:
    """The left half of the access token's hash, by the hash of the signature (3.1.3.6); Ed25519 uses SHA-512."""
    size = algorithm[-3:] if algorithm[-3:] in ("256", "384") else "512"
    digest = hashlib.new(f"sha{size}", access_token.encode()).digest()
    return urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()


def _same(claim: object, expected: str) -> bool:
    return isinstance(claim, str) and compare_digest(claim.encode(errors="replace"), expected.encode())


def _moment(claim: object, otherwise: float = -math.inf) -> float:
    """A claim as seconds since 1970; what is no time counts as `otherwise`."""
    number = isinstance(claim, int | float) and not isinstance(claim, bool) and abs(claim) < 1e12
    return float(claim) if number else otherwise  # type: ignore[arg-type]
