"""Migrations: many processes at once, again, on a database of one's own, never on one that is too old."""

import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from store.migrate import UnsupportedDatabase, check_version, current, newest, upgrade
from tests.conftest import Server

ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty_url(postgres: Server) -> Iterator[str]:
    """The URL of an empty database that only this test uses."""
    name = f"e_{uuid.uuid4().hex}"
    postgres.execute(f"create database {name}")
    yield postgres.database(name)
    postgres.execute(f"drop database {name} with (force)")


def test_four_upgrades_at_once_all_succeed(empty_url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(upgrade, [empty_url] * 4))
    assert {"turns", "audit", "alembic_version", "checkpoints", "checkpoint_writes"} <= _tables(empty_url)


def test_an_upgrade_of_an_up_to_date_database_keeps_what_is_in_it(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("insert into always_allowed (tenant, owner, tool) values ('t', 'o', 'x')")
        before = connection.execute("select version_num from alembic_version").fetchall()
        upgrade(database_url)
        assert connection.execute("select tool from always_allowed").fetchall() == [("x",)]
        assert connection.execute("select version_num from alembic_version").fetchall() == before


def test_an_upgrade_leads_to_the_newest_version(empty_url: str) -> None:
    assert current(empty_url) is None
    upgrade(empty_url)
    assert current(empty_url) == newest()


def test_the_schema_of_a_newer_version_is_left_alone(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(UnsupportedDatabase, match="schema 9999 of a newer version"):
        upgrade(database_url)
    assert current(database_url) == "9999"


def test_a_start_with_nothing_to_migrate_loads_no_migration_library(database_url: str) -> None:
    program = f"import sys, store.migrate; store.migrate.upgrade({database_url!r}); sys.exit('alembic' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_a_failed_upgrade_leaves_nothing_and_can_be_repeated(empty_url: str) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute("create table usage (mine int)")
    with pytest.raises(psycopg.errors.DuplicateTable):
        upgrade(empty_url)
    assert _tables(empty_url) == {"usage"}
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute("drop table usage")
    upgrade(empty_url)
    assert "turns" in _tables(empty_url)


def test_a_url_with_percent_signs_and_options_works(empty_url: str) -> None:
    url = make_conninfo(empty_url, application_name="50%25", options="-c statement_timeout=60000")
    upgrade(url)
    assert "turns" in _tables(empty_url)


def test_dead_rows_of_checkpoints_are_cleaned_up_early(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "select relname from pg_class where 'autovacuum_vacuum_scale_factor=0.02' = any(reloptions)"
        ).fetchall()
    assert {name for (name,) in rows} >= {"checkpoints", "checkpoint_blobs", "checkpoint_writes"}


@pytest.mark.parametrize(("version", "fits"), [(130015, False), (140000, True), (180006, True)])
def test_servers_older_than_fourteen_are_refused(version: int, fits: bool) -> None:
    connection = cast(Any, SimpleNamespace(info=SimpleNamespace(server_version=version)))
    if fits:
        check_version(connection)
        return
    with pytest.raises(UnsupportedDatabase, match="is PostgreSQL 13: 14 or newer is needed"):
        check_version(connection)


def _tables(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
    return {name for (name,) in rows}
