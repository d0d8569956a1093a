"""What the tool tests share: a recording backend, a client for it, and one call's particulars."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_asyncio
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from backend.database import bootstrap, migrate, open_pool
from backend.seed import plant
from tests.conftest import Server
from tests.tools.calls import KEY, FakeTime
from tests.tools.recorder import Recorder, serving
from tests.tools.workspace import Workspace, running
from tools.client import BackendClient
from tools.identity import ServiceIdentity

TEMPLATE = "tools_workspace_template"


@pytest.fixture
def time() -> FakeTime:
    """A clock of this test's own."""
    return FakeTime()


@pytest.fixture
def service() -> ServiceIdentity:
    """The agent's identity."""
    return ServiceIdentity(KEY)


@pytest.fixture
def recorder() -> Recorder:
    """A recorder, not yet served."""
    return Recorder()


@pytest.fixture
async def address(recorder: Recorder) -> AsyncIterator[str]:
    """The base URL of the served recorder, with a path prefix as real backends have."""
    async with serving(recorder.app()) as url:
        yield f"{url}/api/v1"


@pytest.fixture
async def client(address: str, service: ServiceIdentity, time: FakeTime) -> AsyncIterator[BackendClient]:
    """A client of the recorder whose waits take no time."""
    opened = BackendClient(address, service, clock=time.clock, sleep=time.sleep)
    yield opened
    await opened.aclose()


@pytest.fixture(scope="session")
def planted(postgres: Server) -> str:
    """The URL (of the workspace's role) of a filled workspace database to copy from."""
    postgres.execute(f"create database {TEMPLATE}")
    url = bootstrap(postgres.database(TEMPLATE))
    asyncio.run(_plant(url))
    return url


async def _plant(url: str) -> None:
    pool = await open_pool(url)
    async with pool, pool.connection() as connection:
        await migrate(connection)
        await plant(connection)


@asynccontextmanager
async def _workspace(postgres: Server, planted: str, service: ServiceIdentity) -> AsyncIterator[Workspace]:
    """A running workspace with a copy of the planted database."""
    name = f"tw_{uuid.uuid4().hex}"
    postgres.execute(f"create database {name} template {TEMPLATE}")
    url = make_conninfo(**(conninfo_to_dict(planted) | {"dbname": name}))
    with TemporaryDirectory() as folder:
        async with running(url, Path(folder), service, []) as started:
            yield started
    postgres.execute(f"drop database {name} with (force)")


@pytest.fixture
async def workspace(postgres: Server, planted: str, service: ServiceIdentity) -> AsyncIterator[Workspace]:
    """A running workspace of this test's own."""
    async with _workspace(postgres, planted, service) as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def untouched(postgres: Server, planted: str) -> AsyncIterator[Workspace]:
    """A running workspace that the tests of a module share; none of them changes it."""
    async with _workspace(postgres, planted, ServiceIdentity(KEY)) as started:
        yield started
