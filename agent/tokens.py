"""Tokens that we make ourselves, for people whose sign-in gives none that the backend takes."""

import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol

from joserfc import jwt
from joserfc.jwk import OKPKey

from agent.identity import Principal
from tools.toolset import Role

ALGORITHM = "Ed25519"
LIFETIME = 900


class Verifies(Protocol):
    """Turns a person's token into who they are."""

    async def verify(self, token: str) -> Principal:
        """Raises `Unauthenticated`."""
        ...


class PersonTokens:
    """Makes access tokens (RFC 9068) of fifteen minutes, signed with an Ed25519 key that the backend knows.

    `account` names the backend's account for a person, where the backend has accounts of its own; by default a person
    is known there under their own subject.
    """

    def __init__(
        self,
        key: OKPKey,
        *,
        issuer: str,
        audience: str,
        account: Callable[[Principal], str] = lambda person: person.subject.partition("|")[2],
        clock: Callable[[], float] = time.time,
    ):
        key.ensure_kid()
        self.key = key
        self._issuer = issuer
        self._audience = audience
        self._account = account
        self._clock = clock

    def given(self, person: Principal) -> Principal:
        """The same person with a fresh token in place of what they had."""
        now = int(self._clock())
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": self._account(person),
            "iat": now,
            "exp": now + LIFETIME,
            "jti": uuid.uuid4().hex,
            "name": person.name,
            "role": person.role.value,
            "tenant": person.tenant,
        }
        header = {"alg": ALGORITHM, "typ": "at+jwt", "kid": self.key.kid}
        token = jwt.encode(header, claims, self.key, algorithms=[ALGORITHM])
        return replace(person, user_jwt=token, expires_at=datetime.fromtimestamp(now + LIFETIME, UTC))

    def jwks(self) -> dict[str, list[dict[str, Any]]]:
        """The public key as a JWK set (RFC 7517)."""
        return {"keys": [{**self.key.as_dict(private=False), "use": "sig", "alg": ALGORITHM}]}


class Exchanged:
    """A verifier that believes another one, and gives the person a token of ours for the backend."""

    def __init__(self, verifier: Verifies, tokens: PersonTokens):
        self._verifier = verifier
        self._tokens = tokens

    async def verify(self, token: str) -> Principal:
        """The person, for no longer than their own token says; raises `Unauthenticated`."""
        person = await self._verifier.verify(token)
        ours = self._tokens.given(person)
        return replace(ours, expires_at=min(ours.expires_at, person.expires_at))


def nobodys(tenant: str, subject: str, name: str, role: Role) -> Principal:
    """A person who is known but has no token yet."""
    return Principal(tenant, subject, name, role, "", datetime.fromtimestamp(0, UTC))
