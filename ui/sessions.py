"""Signed-in browsers: an opaque handle in a cookie, its hash and the sealed token in the store."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Protocol

from agent.identity import Principal
from agent.keys import KeyRing, Unsealable
from store import sessions as table
from store.person import SERVICE
from store.pool import Pool, lent
from store.sessions import Session
from tools.toolset import Role

PURPOSE = "session-token"
LONGEST = timedelta(hours=12)
LASTING = ("demo", "header", "hf")


class SessionRows(Protocol):
    """Where the rows are."""

    async def put(self, row: Session) -> None:
        """Keep a new row."""
        ...

    async def renew(self, row: Session) -> bool:
        """Replace the same person's row; says whether there was one."""
        ...

    async def get(self, handle_sha256: bytes) -> Session | None:
        """The row, unless it has expired."""
        ...

    async def remove(self, handle_sha256: bytes) -> None:
        """Forget a row."""
        ...


class StoredRows:
    """The rows in the database, read as the service: who somebody is comes out of them."""

    def __init__(self, pool: Pool):
        self._pool = pool

    async def put(self, row: Session) -> None:
        """Keep a new row."""
        async with lent(self._pool, SERVICE) as connection:
            await table.put(connection, row)

    async def renew(self, row: Session) -> bool:
        """Replace the same person's row; says whether there was one."""
        async with lent(self._pool, SERVICE) as connection:
            return await table.renew(connection, row)

    async def get(self, handle_sha256: bytes) -> Session | None:
        """The row, unless it has expired."""
        async with lent(self._pool, SERVICE) as connection:
            return await table.get(connection, handle_sha256)

    async def remove(self, handle_sha256: bytes) -> None:
        """Forget a row."""
        async with lent(self._pool, SERVICE) as connection:
            await table.delete(connection, handle_sha256)


class Sessions:
    """Opens, finds and closes sessions. Who has the table has neither the handles nor the tokens."""

    def __init__(self, rows: SessionRows, keys: KeyRing, clock: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self._rows = rows
        self._keys = keys
        self._clock = clock

    async def open(self, principal: Principal, mode: str) -> str:
        """A new session; the handle goes into the cookie and nowhere else."""
        handle = secrets.token_urlsafe(32)
        await self._rows.put(self._row(handle, principal, mode))
        return handle

    async def renew(self, handle: str, principal: Principal, mode: str) -> bool:
        """Keep the same person signed in with a fresh token; False for who signed out meanwhile."""
        return await self._rows.renew(self._row(handle, principal, mode))

    def _row(self, handle: str, principal: Principal, mode: str) -> Session:
        """A session ends with its token, except where we can get a new one ourselves (see `ui/renewal.py`)."""
        key, latest = _key(handle), self._clock() + LONGEST
        return Session(
            handle_sha256=key,
            tenant=principal.tenant,
            subject=principal.subject,
            name=principal.name,
            role=principal.role,
            mode=mode,
            sealed=self._keys.seal(PURPOSE, principal.user_jwt, key.hex()),
            token_expires=principal.expires_at,
            expires_at=latest if mode in LASTING else min(principal.expires_at, latest),
        )

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
