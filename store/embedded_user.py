"""Which user the embedded server runs as: ourselves, or for root an unprivileged one."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CANDIDATES = ("nobody", "postgres", "daemon")


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

    def reachable(self, pgdata: Path, install: Path) -> tuple[Path, Path]:
        return pgdata, install


def server_user() -> ServerUser:
    """The user for the server. Raises `EmbeddedPostgresError` when PostgreSQL could not run here at all."""
    uid = os.geteuid()
    if uid == 0:
        return _unprivileged()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise EmbeddedPostgresError(
            f"user id {uid} has no name in /etc/passwd and PostgreSQL needs one: add the user, "
            f"run as another one, or set DATABASE_URL"
        ) from None
    return ServerUser(entry.pw_name, uid, os.getegid(), switched=False)


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
