"""The people's tokens: made here, checked here."""

import hmac
import time
import uuid
from collections.abc import Callable, Mapping

from joserfc import jwt
from joserfc.jwk import OKPKey
from pydantic import SecretStr

from backend.people import Role

TYPE = "at+jwt"
SHOWN_ROLES = {Role.ANALYST: Role.VIEWER, Role.PUBLISHER: Role.EDITOR}


class TokenIssuer:
    """Makes access tokens (RFC 9068) for people who know their password."""

    def __init__(
        self,
        key: OKPKey,
        *,
        issuer: str,
        audience: str,
        lifetime: int,
        passwords: Mapping[str, SecretStr],
        clock: Callable[[], float] = time.time,
    ):
        self._key = key
        self._issuer = issuer
        self._audience = audience
        self.lifetime = lifetime
        self._passwords = passwords
        self._clock = clock

    def knows(self, user_id: str, password: str) -> bool:
        """Whether this is the person's password; takes as long for a person who has none."""
        expected = self._passwords.get(user_id, SecretStr(uuid.uuid4().hex)).get_secret_value()
        return hmac.compare_digest(password.encode(), expected.encode())

    def token(self, user_id: str, *, name: str, name_ru: str, role: Role) -> str:
        """A signed token. Its names and role are for display: the role that counts is looked up at every call."""
        now = int(self._clock())
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": user_id,
            "iat": now,
            "exp": now + self.lifetime,
            "jti": uuid.uuid4().hex,
            "name": name,
            "name_ru": name_ru,
            "role": SHOWN_ROLES.get(role, role).value,
        }
        header = {"alg": "Ed25519", "typ": TYPE, "kid": self._key.kid}
        return jwt.encode(header, claims, self._key, algorithms=["Ed25519"])

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """The public key as a JWK set (RFC 7517)."""
        return {"keys": [self._key.as_dict(private=False)]}  # type: ignore[dict-item]
