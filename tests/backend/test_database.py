"""The workspace's role and schema: made once, apart from everything else."""

import asyncio

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from backend.database import RoleError, bootstrap, migrate, open_pool
from backend.seed import plant
from tests.backend.world import fingerprint, rows


async def prepare(url: str) -> None:
    pool = await open_pool(url)
    async with pool, pool.connection() as connection:
        await migrate(connection)
        await plant(connection)


@pytest.fixture
def role(database_url: str):
    """The URL of a fresh workspace role in a database of the chat; the role goes with the test."""
    url = bootstrap(database_url)
    yield url
    with psycopg.connect(database_url, autocommit=True) as connection:
        name = conninfo_to_dict(url)["user"]
        connection.execute(f"drop owned by {name} cascade".encode())
        connection.execute(f"drop role {name}".encode())


async def test_the_role_sees_nothing_of_the_chat(database_url: str, role: str) -> None:
    with psycopg.connect(database_url) as admin:
        tables = admin.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
    assert len(tables) > 10
    with psycopg.connect(role, autocommit=True) as connection:
        for (table,) in tables:
            for statement in (f"select * from public.{table} limit 1", f"delete from public.{table}"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())
        flags = connection.execute(
            "select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user"
        ).fetchone()
    assert flags == (False, False, False, False)


async def test_its_tables_are_its_own(role: str) -> None:
    await prepare(role)
    owners = rows(role, "select distinct schemaname, tableowner from pg_tables where tableowner = current_user")
    assert [owner["schemaname"] for owner in owners] == ["workspace"]


async def test_a_second_bootstrap_keeps_the_data_and_changes_the_password(database_url: str, role: str) -> None:
    await prepare(role)
    before = fingerprint(role)
    again = bootstrap(database_url, password="chosen")
    assert conninfo_to_dict(again)["password"] == "chosen"
    assert conninfo_to_dict(again)["user"] == conninfo_to_dict(role)["user"]
    await prepare(again)
    assert fingerprint(again) == before


async def test_many_starts_at_once_migrate_and_plant_once(role: str) -> None:
    await asyncio.gather(*(prepare(role) for _ in range(5)))
    (count,) = rows(role, "select count(*) as n, count(distinct name) as names from schema_versions")
    assert count["n"] == count["names"] == 2
    assert rows(role, "select count(*) as n from environments") == [{"n": 3}]


async def test_a_user_who_may_not_make_roles_is_told_what_to_do(role: str) -> None:
    with pytest.raises(RoleError, match="WORKSPACE_DATABASE_URL"):
        bootstrap(make_conninfo(role))
