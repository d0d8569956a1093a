"""Signed-in browsers. Only the hash of a session's handle is stored, and the person's token only sealed."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import LiteralString

from store.pool import Connection
from store.rows import one, storable

COLUMNS: LiteralString = "handle_sha256, tenant, subject, name, role, mode, sealed, token_expires, expires_at"


@dataclass(frozen=True, slots=True)
class Session:
    """One signed-in browser. `sealed` is the person's token, encrypted; both times are absolute."""

    handle_sha256: bytes = field(repr=False)
    tenant: str
    subject: str
    name: str
    role: str
    mode: str
    sealed: bytes = field(repr=False)
    token_expires: datetime
    expires_at: datetime


async def put(connection: Connection, session: Session) -> None:
    """Store a session, or renew the one with this handle when it belongs to the same person.

    Raises `PermissionError` for a handle that is somebody else's.
    """
    done = await connection.execute(
        f"""
        insert into sessions ({COLUMNS}) values (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        on conflict (handle_sha256) do update set name = excluded.name, role = excluded.role, mode = excluded.mode,
            sealed = excluded.sealed, token_expires = excluded.token_expires, expires_at = excluded.expires_at
        where sessions.tenant = excluded.tenant and sessions.subject = excluded.subject
        """,
        (
            session.handle_sha256,
            session.tenant,
            session.subject,
            storable(session.name),
            session.role,
            session.mode,
            session.sealed,
            session.token_expires,
            session.expires_at,
        ),
    )
    if not done.rowcount:
        raise PermissionError("the session belongs to somebody else")


async def get(connection: Connection, handle_sha256: bytes) -> Session | None:
    """The session of this handle, unless it has run out."""
    query = f"select {COLUMNS} from sessions where handle_sha256 = %s and expires_at > clock_timestamp()"
    return await one(connection, Session, query, (handle_sha256,))


async def extend(connection: Connection, handle_sha256: bytes, seconds: float) -> bool:
    """Let a session that has not run out live `seconds` from now; says whether there was one."""
    done = await connection.execute(
        """
        update sessions set expires_at = clock_timestamp() + make_interval(secs => %s)
        where handle_sha256 = %s and expires_at > clock_timestamp()
        """,
        (seconds, handle_sha256),
    )
    return done.rowcount == 1


async def delete(connection: Connection, handle_sha256: bytes) -> None:
    """Sign a browser out."""
    await connection.execute("delete from sessions where handle_sha256 = %s", (handle_sha256,))


async def purge(connection: Connection) -> int:
    """Remove all sessions that have run out; says how many."""
    return (await connection.execute("delete from sessions where expires_at <= clock_timestamp()")).rowcount
