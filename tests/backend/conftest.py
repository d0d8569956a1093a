"""A planted workspace for each test, in process.

world           a running workspace that is set back after the test
still           a running workspace for tests that change nothing; that they did not is checked at the end
workspace_url   a database of this test's own, for tests that start the workspace themselves (`running`)
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

import pytest
import pytest_asyncio

from backend.database import bootstrap, migrate, open_pool
from backend.seed import plant
from tests.backend.pristine import Pristine
from tests.backend.world import World, fingerprint, in_database, running
from tests.conftest import Server

TEMPLATE = "workspace_template"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All async tests here share one event loop with the workspaces that they share."""
    here = Path(__file__).parent
    shared_loop = pytest.mark.asyncio(loop_scope="session")
    for item in items:
        if here in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(shared_loop, append=False)


@pytest.fixture(scope="session")
def planted(postgres: Server) -> str:
    """The URL (of the workspace's role) of a migrated and planted database to copy from."""
    return _planted(postgres)


@cache
def _planted(postgres: Server) -> str:
    """Made once for a server, also where two folders use the fixture."""
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


@pytest.fixture(scope="session")
def pristine(postgres: Server, planted: str) -> Iterator[Pristine]:
    """The database of `world`, and the means to set it back."""
    postgres.execute(f"create database moving template {TEMPLATE}")
    pristine = Pristine(postgres.database("moving"))
    yield pristine
    pristine.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def moving(pristine: Pristine, planted: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """The workspace behind `world`."""
    async with running(in_database(planted, "moving"), tmp_path_factory.mktemp("moving")) as world:
        yield world


@pytest.fixture
def world(moving: World, pristine: Pristine) -> Iterator[World]:
    """A running workspace that is as planted before and after the test."""
    yield moving
    pristine.reset()


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
