"""Signed-in browsers. Only the hash of a session's handle is stored, and the person's token only sealed."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, LiteralString

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
    """Store a new session."""
    await connection.execute(
        f"""
        insert into sessions ({COLUMNS}) values (%(handle_sha256)s, %(tenant)s, %(subject)s, %(name)s, %(role)s,
            %(mode)s, %(sealed)s, %(token_expires)s, %(expires_at)s)
        """,
        _values(session),
    )


async def renew(connection: Connection, session: Session) -> bool:
    """Give a session that is still there, and this person's, a fresh token; says whether there was one.

    Who signed out meanwhile stays signed out.
    """
    done = await connection.execute(
        """
        update sessions set name = %(name)s, role = %(role)s, mode = %(mode)s, sealed = %(sealed)s,
            token_expires = %(token_expires)s, expires_at = %(expires_at)s
        where handle_sha256 = %(handle_sha256)s and tenant = %(tenant)s and subject = %(subject)s
            and expires_at > clock_timestamp()
        """,
        _values(session),
    )
    return done.rowcount == 1


def _values(session: Session) -> dict[str, Any]:
    return asdict(session) | {"name": storable(session.name)}


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
    """Forget the tokens of all sessions that have run out; says how many.

    Each person's last row stays without its token, for their name; the others go.
    """
    forgotten = await connection.execute(
        "update sessions set sealed = '' where expires_at <= clock_timestamp() and sealed <> ''"
    )
    await connection.execute(
        """
        delete from sessions over where over.expires_at <= clock_timestamp() and exists (
            select from sessions later where later.tenant = over.tenant and later.subject = over.subject
                and (later.expires_at, later.handle_sha256) > (over.expires_at, over.handle_sha256))
        """
    )
    return forgotten.rowcount
