"""Signed-in browsers: an opaque handle in a cookie, its hash and the sealed token in the store."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Protocol

from agent.identity import Principal
from agent.keys import KeyRing, Unsealable
from tools.toolset import Role

PURPOSE = "session-token"
LONGEST = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One signed-in browser as it is stored."""

    handle_sha256: bytes
    tenant: str
    subject: str
    name: str
    role: str
    mode: str
    sealed: bytes
    token_expires: datetime
    expires_at: datetime


class SessionRows(Protocol):
    """Where the rows are."""

    async def put(self, row: SessionRow) -> None:
        """Keep a new row."""
        ...

    async def get(self, handle_sha256: bytes) -> SessionRow | None:
        """The row, unless it has expired."""
        ...

    async def remove(self, handle_sha256: bytes) -> None:
        """Forget a row."""
        ...


class Sessions:
    """Opens, finds and closes sessions. Who has the table has neither the handles nor the tokens."""

    def __init__(self, rows: SessionRows, keys: KeyRing, clock: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self._rows = rows
        self._keys = keys
        self._clock = clock

    async def open(self, principal: Principal, mode: str) -> str:
        """A new session; the handle goes into the cookie and nowhere else."""
        handle = secrets.token_urlsafe(32)
        key = _key(handle)
        row = SessionRow(
            handle_sha256=key,
            tenant=principal.tenant,
            subject=principal.subject,
            name=principal.name,
            role=principal.role,
            mode=mode,
            sealed=self._keys.seal(PURPOSE, principal.user_jwt, key.hex()),
            token_expires=principal.expires_at,
            expires_at=min(principal.expires_at, self._clock() + LONGEST),
        )
        await self._rows.put(row)
        return handle

    async def find(self, handle: str) -> Principal | None:
        """The person behind a handle; None when it is unknown, over, or its key has been retired."""
        row = await self._rows.get(_key(handle))
        if row is None or row.expires_at <= self._clock():
            return None
        try:
            user_jwt = self._keys.unseal(PURPOSE, row.sealed, row.handle_sha256.hex())
        except Unsealable:
            return None
        return Principal(row.tenant, row.subject, row.name, Role(row.role), user_jwt, row.token_expires)

    async def close(self, handle: str) -> None:
        """End a session."""
        await self._rows.remove(_key(handle))


def _key(handle: str) -> bytes:
    return sha256(handle.encode()).digest()
