"""The agent's own identity towards the backend, bound to one person's token at a time.

A service token alone proves only that the agent calls. Its `uth` claim is the SHA-256 of the user token it was
made for, so a stolen one is of no use beside another person's token.
"""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from joserfc import jwt
from joserfc.errors import InvalidKeyTypeError
from joserfc.jwk import ECKey, OKPKey

LIFETIME = 60
_NEEDS = "a service identity needs a private P-256 or Ed25519 key"
_ALGORITHMS = {"P-256": "ES256", "Ed25519": "Ed25519"}

SigningKey = ECKey | OKPKey


class ServiceIdentity:
    """Signs short service tokens (`typ: svc+jwt`) with a P-256 or Ed25519 key.

    `issuer` and `audience` are what the backend expects of `iss` and `aud`; `clock` gives Unix seconds.
    Raises `ValueError` for any other kind of key.
    """

    def __init__(
        self,
        private_key: SigningKey,
        issuer: str = "countersign",
        audience: str = "workspace",
        clock: Callable[[], float] = time.time,
    ):
        self._algorithm = _algorithm(private_key)
        self._key = private_key
        self._kid = str(private_key.kid or private_key.thumbprint())
        self._issuer = issuer
        self._audience = audience
        self._clock = clock

    @classmethod
    def from_pem(cls, pem: bytes, **claims: Any) -> "ServiceIdentity":
        """An identity from a PEM private key; raises `ValueError` when it is not P-256 or Ed25519."""
        for key_class in (ECKey, OKPKey):
            with suppress(InvalidKeyTypeError):
                return cls(key_class.import_key(pem), **claims)
        raise ValueError(_NEEDS)

    def token(self, user_jwt: str) -> str:
        """A fresh token that is good for 60 seconds and only beside `user_jwt`."""
        now = int(self._clock())
        claims = {
            "iss": self._issuer,
            "sub": self._issuer,
            "aud": self._audience,
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME,
            "jti": secrets.token_urlsafe(16),
            "uth": user_token_hash(user_jwt),
        }
        header = {"alg": self._algorithm, "typ": "svc+jwt", "kid": self._kid}
        return jwt.encode(header, claims, self._key, algorithms=[self._algorithm])

    def jwks(self) -> dict[str, Any]:
        """The public half as a JWK set, for the backend to trust."""
        public = self._key.as_dict(private=False)
        return {"keys": [{**public, "kid": self._kid, "use": "sig", "alg": self._algorithm}]}


def user_token_hash(user_jwt: str) -> str:
    """The `uth` claim: base64url of the SHA-256 of the token, without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(user_jwt.encode()).digest()).rstrip(b"=").decode()


def _algorithm(key: SigningKey) -> str:
    curve = getattr(key, "curve_name", None)
    if curve not in _ALGORITHMS or not key.is_private:
        raise ValueError(_NEEDS)
    return _ALGORITHMS[curve]
