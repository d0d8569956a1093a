"""The hash chain: whatever is done to the log behind its back is found."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from store import audit
from store.audit import Entry, Filter, Link
from store.pool import Connection, Pool, open_pool
from store.verify import Report, verify
from tests.store.scenes import OTHER, OWNER, TENANT

BEHIND_ITS_BACK = "set session_replication_role = replica"  # triggers do not fire


async def test_an_untouched_chain_is_intact(connection: Connection) -> None:
    await _write(connection, 5)
    report = await _report(connection)
    assert (report.entries, report.seq, report.problems) == (5, 5, [])


async def test_the_log_refuses_changes(connection: Connection) -> None:
    await _write(connection, 1)
    for statement in ("update audit set actor = 'x'", "delete from audit", "truncate audit"):
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            await connection.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        "update audit set actor = 'mallory' where seq = 3",
        "update audit set actor_name = 'Mallory' where seq = 3",
        "update audit set owner = 'mallory' where seq = 3",
        "update audit set kind = 'denied' where seq = 3",
        "update audit set tool = null where seq = 3",
        "update audit set at = at + interval '1 microsecond' where seq = 3",
        """update audit set data = data || '{"n": 4}' where seq = 3""",
        "update audit set approval_id = gen_random_uuid() where seq = 3",
        "update audit set turn_id = null where seq = 3",
        "update audit set conversation_id = null where seq = 3",
        "update audit set hash = sha256(hash) where seq = 3",
        "update audit set prev_hash = sha256(prev_hash) where seq = 3",
    ],
)
async def test_a_changed_column_is_found(connection: Connection, change: str) -> None:
    await _write(connection, 5)
    await _tamper(connection, change)
    assert any("entry 3" in problem or "entry 4" in problem for problem in (await _report(connection)).problems)


async def test_a_removed_entry_is_found(connection: Connection) -> None:
    await _write(connection, 5)
    await _tamper(connection, "delete from audit where seq = 3")
    assert "entries 3 to 3 are missing" in (await _report(connection)).problems


async def test_a_removed_entry_is_found_when_the_rest_is_renumbered(connection: Connection) -> None:
    await _write(connection, 5)
    await _tamper(connection, "delete from audit where seq = 3", "update audit set seq = seq - 1 where seq > 3")
    assert "entry 3 does not follow the entry before it" in (await _report(connection)).problems


async def test_reordered_entries_are_found(connection: Connection) -> None:
    await _write(connection, 5)
    await _tamper(
        connection,
        "update audit set seq = 99 where seq = 2",
        "update audit set seq = 2 where seq = 3",
        "update audit set seq = 3 where seq = 99",
    )
    problems = (await _report(connection)).problems
    assert "entry 2 does not follow the entry before it" in problems
    assert "entry 2 was changed" in problems


async def test_removed_newest_entries_are_found(connection: Connection) -> None:
    await _write(connection, 5)
    await _tamper(connection, "delete from audit where seq > 3")
    assert "the chain ends at entry 3, but entry 5 was recorded as the newest" in (await _report(connection)).problems


async def test_a_removed_head_is_found(connection: Connection) -> None:
    await _write(connection, 3)
    await _tamper(connection, "delete from audit_heads")
    assert "the record of the newest entry is missing" in (await _report(connection)).problems


async def test_an_anchor_finds_a_chain_that_was_cut_together_with_its_head(connection: Connection) -> None:
    links = await _write(connection, 5)
    await _tamper(
        connection,
        "delete from audit where seq > 3",
        "update audit_heads set seq = 3, hash = (select hash from audit where seq = 3)",
    )
    assert (await _report(connection)).problems == []
    anchored = await verify(connection, {TENANT: (5, links[-1].hash)})
    assert anchored[0].problems == ["entry 5 is not the one that was noted as the anchor"]


async def test_an_anchor_finds_a_tenant_that_vanished(connection: Connection) -> None:
    links = await _write(connection, 2)
    await _tamper(connection, "delete from audit", "delete from audit_heads")
    assert await verify(connection) == []
    assert (await verify(connection, {TENANT: (2, links[-1].hash)}))[0].problems


async def test_entries_written_at_once_form_one_chain(database_url: str) -> None:
    pool = await open_pool(database_url, max_size=10)
    await asyncio.gather(*(_append(pool, number) for number in range(60)))
    async with pool.connection() as connection:
        report = await _report(connection)
    await pool.close()
    assert (report.entries, report.problems) == (60, [])


async def test_an_entry_is_undone_with_its_transaction(connection: Connection) -> None:
    await _write(connection, 1)
    async with connection.transaction(force_rollback=True):
        await _write(connection, 1)
    await _write(connection, 1)
    assert (await _report(connection)).entries == 2


async def test_values_that_json_writes_in_many_ways_verify(connection: Connection) -> None:
    data = {"a": 1.0, "b": 1e22, "c": "Ж\u202e\0\ud800", "z": [None, True, -0.0], "d": 10**30, "e": 0.1}
    await audit.append(connection, Entry(TENANT, "asked", OWNER, OWNER, data=data))
    assert (await _report(connection)).problems == []


async def test_long_chains_are_read_in_batches(connection: Connection) -> None:
    async with connection.transaction():
        await _write(connection, audit.BATCH + 5)
    assert (await _report(connection)).entries == audit.BATCH + 5


async def test_pages_are_filtered_and_newest_first(connection: Connection) -> None:
    await _write(connection, 3)
    await audit.append(connection, Entry(TENANT, "decided", OTHER, OTHER, tool="delete_dashboard"))
    await audit.append(connection, Entry("other", "asked", OWNER, OWNER))
    everything = await audit.page(connection, TENANT, Filter())
    assert [link.seq for link in everything] == [4, 3, 2, 1]
    assert [link.seq for link in await audit.page(connection, TENANT, Filter(owner=OWNER), limit=2)] == [3, 2]
    assert [link.seq for link in await audit.page(connection, TENANT, Filter(owner=OWNER), before=2)] == [1]
    assert [link.seq for link in await audit.page(connection, TENANT, Filter(kind="decided"))] == [4]
    assert await audit.page(connection, TENANT, Filter(until=datetime(2000, 1, 1, tzinfo=UTC))) == []
    assert len(await audit.page(connection, TENANT, Filter(since=everything[1].at))) == 2


async def test_the_command_finds_what_was_changed(connection: Connection, database_url: str) -> None:
    links = await _write(connection, 3)
    anchor = f"{TENANT}:3:{links[-1].hash.hex()}"
    intact = _command("--url", database_url, "--anchor", anchor)
    assert intact.returncode == 0
    assert f"{TENANT}: 3 entries, intact, newest {anchor}" in intact.stdout
    await _tamper(connection, "update audit set actor = 'mallory' where seq = 2")
    broken = _command("--url", database_url)
    assert broken.returncode == 1
    assert "entry 2 was changed" in broken.stdout


def test_the_command_says_what_is_missing() -> None:
    assert "set DATABASE_URL" in _command().stderr
    unreachable = _command("--url", "postgresql://postgres@/none?host=/nonexistent")
    assert unreachable.returncode == 2
    assert "cannot read the audit log" in unreachable.stderr
    assert "Traceback" not in unreachable.stderr


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment["DATA_DIR"] = "/nonexistent"
    command = [sys.executable, "-m", "store", "verify-audit", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=60)


async def _write(connection: Connection, count: int) -> list[Link]:
    return [await audit.append(connection, entry) for entry in _entries(count)]


def _entries(count: int) -> Iterator[Entry]:
    for number in range(count):
        ids = {"conversation_id": uuid4(), "turn_id": uuid4(), "approval_id": uuid4()}
        yield Entry(TENANT, "asked", OWNER, OWNER, "Ann", **ids, tool="grant_role", data={"n": number, "b": [1, "ж"]})


async def _append(pool: Pool, number: int) -> None:
    async with pool.connection() as connection:
        await audit.append(connection, Entry(TENANT, "asked", OWNER, OWNER, data={"n": number}))


async def _tamper(connection: Connection, *statements: str) -> None:
    async with connection.transaction():
        await connection.execute(BEHIND_ITS_BACK)
        for statement in statements:
            await connection.execute(statement)
        await connection.execute("set session_replication_role = origin")


async def _report(connection: Connection) -> Report:
    reports = await verify(connection)
    return next(report for report in reports if report.tenant == TENANT)
