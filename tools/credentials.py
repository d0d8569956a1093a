"""What a request to the backend carries to prove who calls: the agent, the person, or both.

Each kind is an object of its own; `Together` joins them. Secrets are named, so that an answer that echoes them can be
cleaned, and never shown in a repr.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tools.toolset import Call


@dataclass(frozen=True, slots=True)
class Proof:
    """Headers and query parameters of one request, and the secrets that they hold."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


class SignInError(Exception):
    """The agent has no proof to show; the text is for people and says why."""


class Credentials(Protocol):
    """Something that proves who calls."""

    async def proof(self, call: Call) -> Proof:
        """The proof for one request on behalf of `call`; raises `SignInError`."""
        ...


class Identity(Protocol):
    """What proves that the agent calls."""

    def token(self, user_jwt: str) -> str:
        """A service token that is good beside this user token only."""
        ...


@dataclass(frozen=True)
class Signed:
    """The agent's own short-lived service token, a fresh one for each request."""

    identity: Identity = field(repr=False)

    async def proof(self, call: Call) -> Proof:
        """`Authorization: Bearer <service token>`."""
        token = self.identity.token(call.user_jwt)
        return Proof({"Authorization": f"Bearer {token}"}, secrets=(token,))


@dataclass(frozen=True)
class Person:
    """The person's own token: under a header of its own, or as the bearer token of the request."""

    header: str = "X-User-JWT"

    async def proof(self, call: Call) -> Proof:
        """The token in its header; `Authorization` takes it as RFC 6750 writes it."""
        bearer = self.header.lower() == "authorization"
        value = f"Bearer {call.user_jwt}" if bearer else call.user_jwt
        return Proof({self.header: value}, secrets=(call.user_jwt,))


class Together:
    """Several proofs in one request; of two with one header the later counts."""

    def __init__(self, *parts: Credentials):
        self._parts = parts

    async def proof(self, call: Call) -> Proof:
        """All of them; raises `SignInError`."""
        proofs = [await part.proof(call) for part in self._parts]
        headers = {name: value for proof in proofs for name, value in proof.headers.items()}
        query = {name: value for proof in proofs for name, value in proof.query.items()}
        return Proof(headers, query, tuple(secret for proof in proofs for secret in proof.secrets))
