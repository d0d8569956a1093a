"""A workspace of its own for each test: a copy of one planted database, and the app over it in process."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from backend.database import bootstrap, migrate, open_pool
from backend.seed import plant
from tests.backend.world import World, fingerprint, in_database, running
from tests.conftest import Server

TEMPLATE = "workspace_template"


@pytest.fixture(scope="session")
def planted(postgres: Server) -> str:
    """The URL (of the workspace's role) of a migrated and planted database to copy from."""
    postgres.execute(f"create database {TEMPLATE}")
    url = bootstrap(postgres.database(TEMPLATE))
    asyncio.run(_prepare(url))
    return url


async def _prepare(url: str) -> None:
    pool = await open_pool(url)
    async with pool, pool.connection() as connection:
        await migrate(connection)
        await plant(connection)


@pytest.fixture
def workspace_url(postgres: Server, planted: str) -> Iterator[str]:
    """The URL of a planted database that only this test uses."""
    name = f"w_{uuid.uuid4().hex}"
    postgres.execute(f"create database {name} template {TEMPLATE}")
    yield in_database(planted, name)
    postgres.execute(f"drop database {name} with (force)")


@pytest.fixture
async def world(workspace_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A running workspace."""
    async with running(workspace_url, tmp_path) as world:
        yield world


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def still(postgres: Server, planted: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """A workspace that all tests share which change nothing; that they did not is checked at the end."""
    postgres.execute(f"create database still template {TEMPLATE}")
    url = in_database(planted, "still")
    before = fingerprint(url)
    async with running(url, tmp_path_factory.mktemp("still")) as world:
        yield world
    assert fingerprint(url) == before
    postgres.execute("drop database still with (force)")
