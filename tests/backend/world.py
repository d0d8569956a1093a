"""A running workspace for tests: its app, its clock-free tokens, and calls in the name of the demo people."""

import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import httpx
import psycopg
from fastapi import FastAPI
from joserfc import jwt
from joserfc.jwk import Key, OKPKey
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from pydantic import SecretStr

from backend.app import create_app
from backend.effects import Failpoint, no_failpoint
from backend.identity.check import token_hash
from backend.identity.keys import signing_key
from backend.settings import WorkspaceSettings

ISSUER, AUDIENCE, SERVICE = "http://workspace.test", "workspace", "countersign"
PASSWORDS = {"vera": "v-secret-1", "ilya": "i-secret-2", "anna": "a-secret-3"}


@dataclass
class World:
    """One workspace; `call(who, method, path)` sends both identities of that person."""

    app: FastAPI
    http: httpx.AsyncClient
    settings: WorkspaceSettings
    service_key: Key
    database_url: str
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def user_key(self) -> OKPKey:
        """The key that signs user tokens."""
        return signing_key(self.settings.key_dir)

    def user_claims(self, who: str, **other: Any) -> dict[str, Any]:
        """Claims of a good user token, some of them replaced (None leaves one out)."""
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": who, "iat": now, "exp": now + 1800, "jti": uuid.uuid4().hex}
        return {name: value for name, value in {**claims, **other}.items() if value is not None}

    def user_token(self, who: str, **other: Any) -> str:
        """A user token with these claims."""
        return sign(self.user_claims(who, **other), self.user_key, "at+jwt")

    def service_claims(self, user_jwt: str, **other: Any) -> dict[str, Any]:
        """Claims of a good service token for this user token, some of them replaced."""
        now = int(time.time())
        claims = {"iss": SERVICE, "aud": AUDIENCE, "sub": "agent", "iat": now, "exp": now + 60}
        bound = {"jti": uuid.uuid4().hex, "uth": token_hash(user_jwt)}
        return {name: value for name, value in {**claims, **bound, **other}.items() if value is not None}

    def service_token(self, user_jwt: str, **other: Any) -> str:
        """A service token for this user token."""
        return sign(self.service_claims(user_jwt, **other), self.service_key, "svc+jwt")

    def identities(self, who: str) -> dict[str, str]:
        """Both headers of a call in this person's name."""
        token = self.tokens.setdefault(who, self.user_token(who))
        return {"Authorization": f"Bearer {self.service_token(token)}", "X-User-JWT": token}

    async def call(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        """One call; `key` and `match` set the headers of the same meaning."""
        headers = {**self.identities(who), **options.pop("headers", {})}
        for name, header in (("key", "Idempotency-Key"), ("match", "If-Match")):
            if value := options.pop(name, None):
                headers[header] = value
        return await self.http.request(method, path, headers=headers, **options)

    async def get(self, path: str, **params: Any) -> Any:
        """The answer of a read by the viewer, which must succeed."""
        answer = await self.call("vera", "GET", path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()


def sign(claims: dict[str, Any], key: Key, typ: str, **header: Any) -> str:
    """A token with this header."""
    full = {"alg": key.alg or "Ed25519", "typ": typ, "kid": key.kid, **header}
    return jwt.encode(full, claims, key, algorithms=[full["alg"]])


def new_key() -> OKPKey:
    """A fresh Ed25519 key."""
    return OKPKey.generate_key("Ed25519", {"use": "sig", "alg": "Ed25519"}, auto_kid=True)


def settings_for(url: str, folder: Path, **other: Any) -> WorkspaceSettings:
    """Settings of a workspace on this database, with its files in `folder`."""
    return WorkspaceSettings(
        database_url=SecretStr(url),
        issuer=ISSUER,
        audience=AUDIENCE,
        key_dir=folder / "keys",
        service_issuer=SERVICE,
        service_jwks=str(folder / "service.jwks.json"),
        passwords={name: SecretStr(word) for name, word in PASSWORDS.items()},
        **other,
    )


@asynccontextmanager
async def running(
    url: str, folder: Path, *, failpoint: Failpoint = no_failpoint, service_key: Key | None = None, **other: Any
) -> AsyncIterator[World]:
    """A workspace on this database, in process."""
    service_key = service_key or new_key()
    (folder / "service.jwks.json").write_text(json.dumps({"keys": [service_key.as_dict(private=False)]}))
    settings = settings_for(url, folder, **other)
    app = create_app(settings, failpoint=failpoint)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://workspace.test") as http,
    ):
        yield World(app, http, settings, service_key, url)


def in_database(url: str, name: str) -> str:
    """The same role's URL of another database."""
    return make_conninfo(**{**conninfo_to_dict(url), "dbname": name})


def fingerprint(url: str) -> dict[str, str]:
    """What is in each table, as hashes."""
    with psycopg.connect(url) as connection:
        tables = connection.execute("select tablename from pg_tables where schemaname = 'workspace'").fetchall()
        query = "select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from {} t"
        rows = {name: connection.execute(sql.SQL(query).format(sql.Identifier(name))).fetchone() for (name,) in tables}
    return {name: row[0] for name, row in rows.items() if row}


def rows(url: str, query: LiteralString, *values: Any) -> list[dict[str, Any]]:
    """Rows straight from the database."""
    with psycopg.connect(url) as connection:
        return connection.cursor(row_factory=dict_row).execute(query, values).fetchall()
