"""People for the product: each has a token of the workspace's issuer, and a session of the page."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent.identity import Principal
from agent.keys import KeyRing
from backend.identity.issuer import TokenIssuer
from backend.identity.keys import seed_key, signing_key
from backend.people import Role as BackendRole
from backend.process import ISSUER
from store.pool import open_pool
from tools.toolset import Role
from ui.sessions import Sessions, StoredRows
from ui.visitors import COOKIE

LIFETIME = 3600
FIRST = "ilya"  # the demo's editor, who may also delete


def names(count: int) -> list[str]:
    """Who they are in the workspace."""
    return [FIRST, *(f"person{number}" for number in range(1, count))]


def tokens(secrets: str, count: int) -> list[str]:
    """Their tokens, as the workspace that has these secrets would make them."""
    with tempfile.TemporaryDirectory() as folder:
        seed_key(Path(folder), KeyRing(secrets).sign("workspace-tokens", b"")[1])
        key = signing_key(Path(folder))
    issuer = TokenIssuer(key, issuer=ISSUER, audience="workspace", lifetime=LIFETIME, passwords={})
    return [issuer.token(name, name=name, name_ru=name, role=BackendRole.EDITOR) for name in names(count)]


def cookies(database: str, secrets: str, given: list[str]) -> list[str]:
    """Their session cookies, opened in the database as a sign-in does."""
    return asyncio.run(_cookies(database, KeyRing(secrets), given))


async def _cookies(database: str, keys: KeyRing, given: list[str]) -> list[str]:
    pool = await open_pool(database)
    sessions = Sessions(StoredRows(pool), keys)
    ends = datetime.now(UTC) + timedelta(seconds=LIFETIME)
    found = []
    for name, token in zip(names(len(given)), given, strict=True):
        person = Principal("default", f"{ISSUER}|{name}", name, Role.EDITOR, token, ends)
        found.append(f"{COOKIE}={await sessions.open(person, 'demo')}")
    await pool.close()
    return found
