"""The real workspace over real HTTP for tool tests, with tokens that it issued itself."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from backend.app import create_app
from backend.settings import WorkspaceSettings
from tests.tools.calls import make_call
from tests.tools.recorder import serving
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.native import NativeToolset
from tools.toolset import Call, Preview, ToolResult

PEOPLE = {"vera": ("viewer", "v-secret"), "ilya": ("editor", "i-secret"), "anna": ("admin", "a-secret")}


@dataclass
class Workspace:
    """A running workspace and its toolset; people are called by login, `failures` names where it breaks next."""

    url: str
    tools: NativeToolset
    tokens: dict[str, str]
    failures: list[str]
    made: int = 0

    def call(self, who: str = "anna", **changes: Any) -> Call:
        """The particulars of a new call of this person."""
        self.made += 1
        plain = {"user_jwt": self.tokens[who], "subject": who, "role": PEOPLE[who][0]}
        return make_call(**(plain | {"key": f"m{self.made}:c", "idempotency_key": f"tc-{self.made:016}"} | changes))

    async def run(self, name: str, /, who: str = "anna", call: Call | None = None, **args: Any) -> ToolResult:
        """Run a tool."""
        return await self.tools.call(name, args, call or self.call(who))

    async def ask(self, name: str, /, who: str = "anna", lang: str = "en", **args: Any) -> Preview:
        """Preview a tool."""
        return await self.tools.preview(name, args, self.call(who, lang=lang))

    async def items(self, name: str, /, **args: Any) -> list[dict[str, Any]]:
        """What a list tool gives the model."""
        result = await self.run(name, **args)
        assert result.ok, result.text
        return json.loads(result.text)["items"]

    async def first(self, name: str, /, **args: Any) -> dict[str, Any]:
        """The first of them."""
        return (await self.items(name, **args))[0]


@asynccontextmanager
async def running(
    database_url: str, folder: Path, service: ServiceIdentity, failures: list[str]
) -> AsyncIterator[Workspace]:
    """A workspace on this planted database, as people meet it; it breaks once at each place put into `failures`."""

    async def failpoint(place: str) -> None:
        if place in failures:
            failures.remove(place)
            raise RuntimeError(f"broken {place}")

    (folder / "service.json").write_text(json.dumps(service.jwks()))
    settings = WorkspaceSettings(
        database_url=SecretStr(database_url),
        key_dir=folder / "keys",
        service_jwks=str(folder / "service.json"),
        passwords={who: SecretStr(password) for who, (_, password) in PEOPLE.items()},
    )
    async with serving(create_app(settings, failpoint=failpoint)) as url:
        client = BackendClient(url, service)
        try:
            yield Workspace(url, workspace_toolset(client), await _sign_in(url), failures)
        finally:
            await client.aclose()


async def _sign_in(url: str) -> dict[str, str]:
    """The token of each person, from the workspace's own token endpoint."""
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        forms = {who: {"username": who, "password": password} for who, (_, password) in PEOPLE.items()}
        answers = {who: await http.post("/auth/token", data=form) for who, form in forms.items()}
    return {who: answer.raise_for_status().json()["access_token"] for who, answer in answers.items()}
