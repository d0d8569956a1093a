"""The check of both identities: the service that calls and the person it calls for."""

import base64
import hashlib
import hmac
from dataclasses import dataclass

from backend.database import Pool
from backend.identity.tokens import InvalidToken, TokenRule
from backend.people import Person, strongest
from backend.problems import Problem

SERVICE_TYPES = frozenset({"svc+jwt"})
USER_TYPES = frozenset({"at+jwt", "application/at+jwt"})


@dataclass(frozen=True)
class IdentityCheck:
    """Trusts a call only when a known service makes it for a known person, now."""

    service: TokenRule
    user: TokenRule
    pool: Pool

    async def person(self, authorization: str | None, user_jwt: str | None) -> Person:
        """The person of this call with the role of this moment; raises `Problem` (401)."""
        service = await self._service(authorization)
        if not user_jwt:
            raise Problem("user_token_missing")
        try:
            user = await self.user.check(user_jwt)
        except InvalidToken:
            raise Problem("user_token_invalid") from None
        if not hmac.compare_digest(token_hash(user_jwt).encode(), str(service["uth"]).encode()):
            raise Problem("identity_mismatch")
        return await self._look_up(user["sub"], user["iss"], f"{service['iss']}|{service['sub']}")

    async def _service(self, authorization: str | None) -> dict[str, str]:
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Problem("service_token_missing")
        try:
            return await self.service.check(token)
        except InvalidToken:
            raise Problem("service_token_invalid") from None

    async def _look_up(self, user_id: str, issuer: str, service: str) -> Person:
        async with self.pool.connection() as connection:
            found = await connection.execute("select * from user_view where id = %s and active", (user_id,))
            row = await found.fetchone()
        if row is None:
            raise Problem("user_unknown")
        return Person(row["id"], row["name"], row["name_ru"], strongest(row["roles"]), issuer, service)


def token_hash(token: str) -> str:
    """base64url(sha256(token)) without padding: the claim `uth` that ties a service token to one user token."""
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
