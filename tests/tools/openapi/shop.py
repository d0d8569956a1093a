"""The example backend, served, and its tools, for tests: each shop is a fresh module with items of its own."""

import importlib.util
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import httpx

from tests.tools.calls import make_call
from tests.tools.recorder import serving
from tools.client import BackendClient
from tools.credentials import Person
from tools.openapi.document import Document, load_document
from tools.openapi.policy import Policy
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import Call

SOURCE = Path(__file__).parents[3] / "examples" / "own_backend.py"


@dataclass(frozen=True)
class Shop:
    """A running shop with somebody signed in."""

    url: str
    items: dict[int, dict]
    token: str
    client: BackendClient

    async def document(self, **changes) -> Document:
        """The shop's own document; `changes` are set in operations, `name={...}`."""
        async with httpx.AsyncClient() as http:
            root = (await http.get(f"{self.url}/openapi.json")).json()
        for item in root["paths"].values():
            for operation in item.values():
                operation |= changes.get(operation["operationId"].split("_item")[0], {})
        return load_document(f"{self.url}/openapi.json", lambda uri: json.dumps(root).encode())

    async def tools(self, policy: Policy | None = None, **changes) -> OpenApiToolset:
        """The shop as tools."""
        return OpenApiToolset.from_document(await self.document(**changes), self.client, policy)

    def call(self, **changes) -> Call:
        """A call of the person who is signed in."""
        return make_call(user_jwt=self.token, **changes)


def module() -> ModuleType:
    """A fresh copy of the example."""
    spec = importlib.util.spec_from_file_location("own_backend", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@asynccontextmanager
async def open_shop() -> AsyncIterator[Shop]:
    """A shop on a free port."""
    made = module()
    async with serving(made.app) as url:
        async with httpx.AsyncClient() as http:
            form = {"username": "ann", "password": "apple"}
            token = (await http.post(f"{url}/login", data=form)).json()["access_token"]
        client = BackendClient(url, credentials=Person("Authorization"), idempotent=False)
        yield Shop(url, made.ITEMS, token, client)
        await client.aclose()
