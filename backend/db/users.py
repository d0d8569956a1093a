"""People and their roles."""

from typing import Any

from backend.database import Connection
from backend.db.search import Filter, fold, page
from backend.models.common import Page, Resource
from backend.models.users import User
from backend.people import Role, strongest
from backend.problems import Problem

Row = dict[str, Any]
HISTORY = (
    "select e.user_id, e.role, e.granted, person_ref(e.by_id) as by, e.at from role_events e"
    " where e.user_id = any(%s) order by e.id desc"
)
MAX_HISTORY = 10


async def search(connection: Connection, text: str | None, role: Role | None, limit: int, offset: int) -> Page[User]:
    """People by words, or by a role that they hold."""
    wanted = Filter().text(text).add("%(role)s = any(roles)", role=role.value if role else None)
    rows, total = await page(connection, "user_view", wanted, "name", limit, offset)
    return Page(items=await shape(connection, rows), total=total, limit=limit, offset=offset)


async def get(connection: Connection, user_id: str) -> Row:
    """One row of `user_view`; raises `Problem`."""
    found = await connection.execute("select * from user_view where id = %s", (user_id,))
    row = await found.fetchone()
    if row is None:
        raise Problem("user_not_found", id=user_id)
    return row


async def lock(connection: Connection, user_id: str) -> Row:
    """Lock everybody's roles (they are few) until the transaction ends, so that an admin remains; raises `Problem`."""
    await connection.execute("select from users order by id for no key update")
    return await get(connection, user_id)


async def find_owner(connection: Connection, who: str) -> Row:
    """The active person with this login, e-mail or full name; raises `Problem("unknown_owner")`."""
    found = await connection.execute(
        "select * from user_view where active and %s in (fold(id), fold(email), fold(name), fold(name_ru))",
        (fold(who),),
    )
    rows = await found.fetchall()
    if len(rows) != 1:
        raise Problem("unknown_owner", owner=who)
    return rows[0]


async def admins(connection: Connection) -> int:
    """How many active people are admins."""
    found = await connection.execute("select count(*) as n from user_view where active and 'admin' = any(roles)")
    row = await found.fetchone()
    return row["n"] if row else 0


async def change_role(connection: Connection, user_id: str, role: Role, granted: bool, by: str) -> Row:
    """Give or take a role and keep who did it."""
    if granted:
        statement = "insert into user_roles (user_id, role) values (%s, %s) on conflict do nothing"
    else:
        statement = "delete from user_roles where user_id = %s and role = %s"
    await connection.execute(statement, (user_id, role.value))
    await connection.execute(
        "insert into role_events (user_id, role, granted, by_id) values (%s, %s, %s, %s)",
        (user_id, role.value, granted, by),
    )
    await connection.execute("update users set version = version + 1 where id = %s", (user_id,))
    return await get(connection, user_id)


async def shape(connection: Connection, rows: list[Row]) -> list[User]:
    """Rows as they are answered, with the history of their roles."""
    found = await connection.execute(HISTORY, ([row["id"] for row in rows],))
    events = await found.fetchall()
    return [
        User(
            **row,
            role=strongest(row["roles"]),
            roles_history=[event for event in events if event["user_id"] == row["id"]][:MAX_HISTORY],  # type: ignore[misc]
        )
        for row in rows
    ]


def reference(row: Row) -> Resource:
    """The person as the resource of a call."""
    return Resource(type="user", id=row["id"], name=row["name"])
