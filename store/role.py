"""The role that queries for people run as: it owns nothing, so row-level security holds for it.

Made at every start where it is missing, and so are its rights: a dump that was restored elsewhere brings none.
"""

import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import LiteralString

import psycopg
from psycopg import sql

from store.person import PERSON_ROLE

log = logging.getLogger(__name__)
_CHANGE: LiteralString = "select, insert, update, delete"
_ADD: LiteralString = "select, insert, update"
# What is done for people; what the service alone does is not among it. A table that is not here is closed to them.
RIGHTS: dict[LiteralString, LiteralString] = {
    "conversations": _ADD,
    "turns": _ADD,
    "messages": _ADD,
    "approvals": _ADD,
    "questions": "select, update",
    "attachments": _CHANGE,
    "turn_credentials": _CHANGE,
    "sessions": "select (tenant, subject, name, expires_at)",
    "always_allowed": "select, insert, delete",
    "usage": "select",
    "feedback": _CHANGE,
    "audit": "select, insert",
    "audit_heads": _ADD,
    "rate_limits": _ADD,
}
_ROLE = sql.Identifier(PERSON_ROLE)


def prepare(connection: psycopg.Connection) -> bool:
    """Make the role and give it its rights; says whether the connection's user may take it.

    Where the user may not make roles, an administrator does once what the log asks for.
    """
    try:
        _make(connection)
        connection.execute(sql.SQL("; ").join(_grants(connection)))
        return True
    except psycopg.errors.InsufficientPrivilege as error:
        log.warning(
            "row-level security does not bind, a query that forgets its owner would be answered: %s. "
            "Let an administrator of the database run: create role %s; grant %s to %s",
            str(error).splitlines()[0], PERSON_ROLE, PERSON_ROLE, connection.info.user,
        )  # fmt: skip
        return False


def _make(connection: psycopg.Connection) -> None:
    if connection.execute("select from pg_roles where rolname = %s", (PERSON_ROLE,)).fetchone() is None:
        with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):  # by another of its databases
            connection.execute(sql.SQL("create role {}").format(_ROLE))
    if not may_take(connection):
        connection.execute(sql.SQL("grant {} to current_user").format(_ROLE))


def may_take(connection: psycopg.Connection) -> bool:
    """Whether the connection's user may take the role; a member of it may not always do so."""
    try:
        with connection.transaction():
            connection.execute(sql.SQL("set local role {}").format(_ROLE))
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


def _grants(connection: psycopg.Connection) -> Iterator[sql.Composed]:
    (schema,) = connection.execute("select current_schema()").fetchone() or ("public",)
    yield sql.SQL("grant usage on schema {} to {}").format(sql.Identifier(schema), _ROLE)
    for table, rights in RIGHTS.items():
        yield sql.SQL("grant {} on {} to {}").format(sql.SQL(rights), sql.Identifier(table), _ROLE)
