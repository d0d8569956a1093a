"""The role that queries for people run as: who can make it, what is said where nobody did, databases from before."""

import logging
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from store.embedded import EmbeddedPostgres
from store.migrate import current, newest, upgrade
from store.person import NOBODY, PERSON_ROLE, SERVICE, person
from store.pool import Pool, lent, open_pool
from tests.conftest import FAST
from tests.store.scenes import OTHER, OWNER, TENANT
from tests.store.test_row_security import count, seed

ROOT = Path(__file__).parents[2]
VERSIONS = ROOT / "store/migrations/versions"
ADMIN = "administrator of the database run: "


@pytest.fixture(scope="module")
def bare() -> Iterator[str]:
    """The URL of a server of this file's own, which has no role of ours yet."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-tests-"))
    folder.chmod(0o755)
    server = EmbeddedPostgres(folder, settings=FAST)
    yield server.start()
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def clean(bare: str) -> Iterator[str]:
    """The same, without a trace of what the test before did."""
    yield bare
    with psycopg.connect(bare, autocommit=True) as admin:
        for (name,) in admin.execute("select datname from pg_database where datname like 'r\\_%'").fetchall():
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
        for role in (PERSON_ROLE, "app"):
            admin.execute(sql.SQL("drop role if exists {}").format(sql.Identifier(role)))


def database(server: str, user: str = "postgres", rights: str = "") -> str:
    """The URL of a new database for a user that owns it."""
    name = f"r_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        if user != "postgres":
            admin.execute(f"create role {user} login {rights}".encode())
        admin.execute(sql.SQL("create database {} owner {}").format(sql.Identifier(name), sql.Identifier(user)))
    return make_conninfo(host=str(conninfo_to_dict(server)["host"]), user=user, dbname=name)


def filled(url: str) -> None:
    """Rows of Ann and of Bob, made by the user of the database."""
    with psycopg.connect(url, autocommit=True) as connection:
        seed(connection, OWNER)
        seed(connection, OTHER)


async def seen(pool: Pool) -> list[int]:
    """How many turns a query without a condition finds for Ann, for nobody and for the service."""
    actors = (person(TENANT, OWNER), NOBODY, SERVICE)
    return [await count(pool, actor, "turns") for actor in actors]


@pytest.mark.parametrize(("user", "rights"), [("postgres", ""), ("app", "createrole"), ("app", "createrole bypassrls")])
async def test_whoever_may_make_roles_is_bound(clean: str, user: str, rights: str) -> None:
    url = database(clean, user, rights)
    upgrade(url)
    filled(url)
    pool = await open_pool(url)
    assert await seen(pool) == [1, 0, 2]
    await pool.close()


async def test_a_user_that_may_make_no_roles_is_told_what_an_administrator_does_and_then_bound(
    clean: str, caplog: pytest.LogCaptureFixture
) -> None:
    url = database(clean, "app")
    with caplog.at_level(logging.WARNING, "store.role"):
        upgrade(url)
    told = caplog.messages[0]
    filled(url)
    pool = await open_pool(url)
    assert await seen(pool) == [2, 2, 2]
    await pool.close()

    assert told.startswith("row-level security does not bind")
    with psycopg.connect(clean, autocommit=True) as admin:
        admin.execute(told.partition(ADMIN)[2].encode())
    caplog.clear()
    upgrade(url)
    pool = await open_pool(url)
    assert await seen(pool) == [1, 0, 2]
    await pool.close()
    assert caplog.messages == []


def test_a_second_user_of_a_server_needs_an_administrator_too(clean: str, caplog: pytest.LogCaptureFixture) -> None:
    upgrade(database(clean))
    with caplog.at_level(logging.WARNING, "store.role"):
        upgrade(database(clean, "app", "createrole"))
    assert ADMIN in caplog.messages[0]


def test_two_databases_of_one_server_may_start_at_once(clean: str) -> None:
    urls = [database(clean) for _ in range(2)]
    starts = [
        subprocess.Popen([sys.executable, "-c", f"import store.migrate; store.migrate.upgrade({url!r})"], cwd=ROOT)
        for url in urls * 2
    ]
    assert [start.wait(60) for start in starts] == [0, 0, 0, 0]
    assert {current(url) for url in urls} == {newest()}


async def test_a_database_from_before_keeps_its_rows_and_is_bound(clean: str) -> None:
    url = database(clean)
    with psycopg.connect(url, autocommit=True) as connection:
        for script in sorted(VERSIONS.glob("000[1-5]_*.sql")):
            connection.execute(script.read_bytes())
        connection.execute("create table alembic_version (version_num varchar(32) primary key)")
        connection.execute("insert into alembic_version values ('0005')")
    filled(url)
    upgrade(url)
    assert current(url) == newest()
    pool = await open_pool(url)
    assert await seen(pool) == [1, 0, 2]
    await pool.close()


async def test_rights_that_a_restored_dump_lacks_come_back_with_the_next_start(clean: str) -> None:
    url = database(clean)
    upgrade(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop owned by {PERSON_ROLE}".encode())
        connection.execute(f"drop role {PERSON_ROLE}".encode())
    upgrade(url)
    filled(url)
    pool = await open_pool(url)
    assert await seen(pool) == [1, 0, 2]
    await pool.close()


async def test_tables_in_a_schema_named_after_the_user_are_found(clean: str) -> None:
    url = database(clean, "app", "createrole")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create schema app")
    upgrade(url)
    filled(url)
    pool = await open_pool(url)
    assert await seen(pool) == [1, 0, 2]
    async with lent(pool, person(TENANT, OWNER)) as connection:
        row = await (await connection.execute("select current_schema() as name, current_user as who")).fetchone()
    await pool.close()
    assert row == {"name": "app", "who": PERSON_ROLE}
