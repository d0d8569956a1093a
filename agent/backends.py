"""Backends beside the one of BACKEND_URL: a TOML file with a table for each, its secrets in variables that it names."""

import asyncio
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agent.settings import ConfigError
from tools.client import BackendClient
from tools.credentials import Credentials, Person, Together
from tools.identity import ServiceIdentity
from tools.namespace import Namespaced
from tools.openapi.document import load_document
from tools.openapi.fetch import fetcher
from tools.openapi.policy import Policy
from tools.openapi.proof import proof_of
from tools.openapi.security import StaticHeaders
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import Toolset


class Table(BaseModel):
    """One `[NAME]` of the file. `user_header` carries the person's token; without it the person is not named."""

    model_config = ConfigDict(extra="forbid")

    url: str = ""
    openapi: str = ""
    mcp: str | None = None
    command: list[str] = Field(default_factory=list)
    policy: Path | None = None
    user_header: str | None = None
    auth: Literal["none", "signed", "bearer", "api_key", "basic", "oauth2_password"] = "none"
    secret: str | None = Field(None, description="name of the variable that holds the secret of `auth`")
    key_place: str = "header:X-API-Key"
    token_url: str | None = None
    headers: dict[str, str] = Field(
        default_factory=dict, description="headers, by the variables that hold their values"
    )
    idempotent: bool = False


TABLES = TypeAdapter(dict[str, Table])


@dataclass(frozen=True)
class Backend:
    """A further backend: its tools under its name, and the client to close, if it has one."""

    toolset: Toolset
    client: BackendClient | None = None


def open_backends(path: Path, agent: ServiceIdentity, environ: Mapping[str, str] = os.environ) -> list[Backend]:
    """The backends of the file; raises `ConfigError`, `DocumentError` or `PolicyError` in one line. Blocks."""
    return [_open(name, table, path.parent, agent, environ) for name, table in _tables(path).items()]


def _tables(path: Path) -> dict[str, Table]:
    try:
        tables = TABLES.validate_python(tomllib.loads(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"BACKENDS: {path} cannot be read as TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(f"BACKENDS: {path.name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    for name in tables:
        if not (name.isascii() and name.isalnum() and name[0].isalpha() and len(name) <= 20):
            raise ConfigError(f"BACKENDS: the name {name!r} must be a letter and then letters and digits, at most 20")
    return tables


def _open(name: str, table: Table, folder: Path, agent: ServiceIdentity, environ: Mapping[str, str]) -> Backend:
    def value(variable: str) -> str:
        if not environ.get(variable):
            raise ConfigError(f"BACKENDS: {name} needs the variable {variable}, which is not set")
        return environ[variable]

    headers = {header: value(variable) for header, variable in table.headers.items()}
    secret = value(table.secret) if table.secret else ""
    if not secret and table.auth not in ("none", "signed"):
        raise ConfigError(f"BACKENDS: {name}.auth = {table.auth} needs `secret`, the name of a variable")
    person = (Person(table.user_header),) if table.user_header else ()
    if table.mcp or table.command:
        return Backend(Namespaced(name, _mcp(name, table, secret, headers)))
    if not (table.url and table.openapi):
        raise ConfigError(f"BACKENDS: {name} needs url and openapi, or mcp, or command")
    proofs = (StaticHeaders(headers), *_proof(name, table, secret, agent), *person)
    if (table.user_header or "").lower() == "authorization" and table.auth not in ("none", "api_key"):
        raise ConfigError(f"BACKENDS: {name} has two proofs for the Authorization header; use one")
    client = BackendClient(table.url, credentials=Together(*proofs), idempotent=table.idempotent)
    document = load_document(table.openapi, fetcher(table.url))
    policy = Policy.load(folder / table.policy) if table.policy else Policy()
    return Backend(Namespaced(name, OpenApiToolset.from_document(document, client, policy)), client)


def _mcp(name: str, table: Table, secret: str, headers: Mapping[str, str]) -> Toolset:
    """The tools of an MCP server; the library is an extra, so it is looked for only here."""
    try:
        from agent.mcp_servers import over_http, over_stdio
    except ImportError:
        raise ConfigError(
            f"BACKENDS: {name} is an MCP server; install the extra: pip install 'countersign[mcp]'"
        ) from None
    from tools.mcp import McpToolset

    if table.auth not in ("none", "bearer"):
        raise ConfigError(f"BACKENDS: {name}.auth must be none or bearer for an MCP server")
    proof = {"Authorization": f"Bearer {secret}"} if table.auth == "bearer" else {}
    connect = over_http(table.mcp, {**headers, **proof}) if table.mcp else over_stdio(table.command)
    return asyncio.run(McpToolset.open(connect))


def _proof(name: str, table: Table, secret: str, agent: ServiceIdentity) -> tuple[Credentials, ...]:
    try:
        return proof_of(table.auth, agent, secret, key_place=table.key_place, token_url=table.token_url)
    except ValueError as error:
        raise ConfigError(f"BACKENDS: {name}: {error}") from None
