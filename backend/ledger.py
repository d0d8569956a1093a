"""The idempotency ledger: the effect and the memory of it are one transaction, so a key acts at most once.

After draft-ietf-httpapi-idempotency-key-header. Only successes are remembered: a refused call rolled everything
back, so its retry is decided afresh. A crash between the two cannot happen; an owner that dies leaves no row.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from psycopg.errors import LockNotAvailable
from psycopg.types.json import Jsonb
from starlette.responses import Response

from backend.database import Connection
from backend.problems import Problem

REPLAYED = "Idempotency-Replayed"
SWEEP_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """One call under one key. `scope` keeps the keys of people and services apart."""

    scope: str
    key: str
    fingerprint: bytes = field(repr=False)


def parse_key(header: str) -> str:
    """The key of an Idempotency-Key header, quoted (RFC 8941 string) or bare; raises `Problem`."""
    key = header[1:-1] if len(header) > 1 and header[0] == header[-1] == '"' else header
    if not 8 <= len(key) <= 255 or not key.isascii() or not key.isprintable():
        message = "8 to 255 visible ASCII characters"
        raise Problem("invalid_request", errors=[{"loc": ["header", "Idempotency-Key"], "msg": message, "type": "key"}])
    return key


def fingerprint(
    method: str, path: str, query: Mapping[str, str] | list[tuple[str, str]], body: bytes, match: str
) -> bytes:
    """SHA-256 of what makes two calls the same call; the order of query parameters and JSON keys does not matter."""
    pairs = sorted(query.items() if isinstance(query, Mapping) else query)
    parts = [method, path, json.dumps(pairs), _canonical(body), match]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def _canonical(body: bytes) -> str:
    """JSON in one spelling; a body that is no JSON (nobody reads it, or it would have been refused) as it is."""
    try:
        return json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return body.hex()


async def claim(connection: Connection, entry: Entry) -> Response | None:
    """Take the key for this transaction, or the stored answer when the call was made before.

    Raises `Problem`: `request_in_flight` while another transaction holds the key, `idempotency_key_reused` when it
    belongs to a different call.
    """
    try:
        taken = await connection.execute(
            "insert into ledger (scope, key, fingerprint) values (%s, %s, %s) on conflict do nothing returning key",
            (entry.scope, entry.key, entry.fingerprint),
        )
    except LockNotAvailable:
        raise Problem("request_in_flight") from None
    return None if await taken.fetchone() else await _replay(connection, entry)


async def _replay(connection: Connection, entry: Entry) -> Response:
    found = await connection.execute(
        "select fingerprint, status, headers, body from ledger where scope = %s and key = %s", (entry.scope, entry.key)
    )
    row = await found.fetchone()
    if row is None:
        raise Problem("request_in_flight")
    if bytes(row["fingerprint"]) != entry.fingerprint:
        raise Problem("idempotency_key_reused")
    return Response(bytes(row["body"]), row["status"], {**row["headers"], REPLAYED: "true"})


async def remember(connection: Connection, entry: Entry, answer: Response) -> None:
    """Store the answer with the effect; both are committed together."""
    kept = {name: value for name, value in answer.headers.items() if name in ("content-type", "etag")}
    await connection.execute(
        "update ledger set status = %s, headers = %s, body = %s where scope = %s and key = %s",
        (answer.status_code, Jsonb(kept), bytes(answer.body), entry.scope, entry.key),
    )


async def sweep(connection: Connection) -> int:
    """Forget one batch of expired entries; returns how many."""
    done = await connection.execute(
        "delete from ledger where (scope, key) in (select scope, key from ledger where expires_at < clock_timestamp()"
        " limit %s for update skip locked)",
        (SWEEP_BATCH,),
    )
    return done.rowcount
