"""Databases for tests: one embedded server for a test process, a fresh migrated database for each test.

    postgres       the running server (`.url` of its maintenance database)
    database_url   a migrated database of this test's own, copied from a template in about 50 ms
    pool           `store.pool.open_pool(database_url)`, closed after the test

Under pytest-xdist each worker has its own server, so nothing is shared between workers.
What a test reads and writes by itself it does as the service; what it asks the product for runs as the product does.
"""

import shutil
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from store.embedded import EmbeddedPostgres
from store.migrate import upgrade
from store.person import SERVICE, act_for
from store.pool import Pool, open_pool
from tests.extras import EXTRAS

FAST = {"max_connections": "300", "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
TEMPLATE = "countersign_template"
sys.path.append(EXTRAS)


def pytest_configure(config: pytest.Config) -> None:
    """Act for the service in all tests; see `store.person`."""
    service = ExitStack()
    service.enter_context(act_for(SERVICE))
    config.add_cleanup(service.close)


@dataclass(frozen=True, slots=True)
class Server:
    """A running PostgreSQL."""

    url: str

    def database(self, name: str) -> str:
        """The URL of one of its databases."""
        host = conninfo_to_dict(self.url)["host"]
        return f"postgresql://postgres@/{name}?host={host}"

    def execute(self, statement: str) -> None:
        """Run one statement outside of a transaction in the maintenance database."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One embedded server for the whole test process, without fsync."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-tests-"))
    folder.chmod(0o755)  # root's server runs as another user, which must get in
    embedded = EmbeddedPostgres(folder, settings=FAST)
    try:
        yield Server(embedded.start())
    finally:
        embedded.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def template(postgres: Server) -> str:
    """The name of a migrated database to copy from. Nobody may be connected to it while it is copied."""
    postgres.execute(f"create database {TEMPLATE}")
    upgrade(postgres.database(TEMPLATE))
    return TEMPLATE


@pytest.fixture
def database_url(postgres: Server, template: str) -> Iterator[str]:
    """The URL of a migrated, empty database that only this test uses."""
    name = f"t_{uuid.uuid4().hex}"
    postgres.execute(f"create database {name} template {template}")
    yield postgres.database(name)
    postgres.execute(f"drop database {name} with (force)")


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    """A pool on this test's own database."""
    opened = await open_pool(database_url)
    yield opened
    await opened.close()
