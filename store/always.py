"""Tools that a person allowed for good. Only `write` tools may be; the caller knows the tool's effect."""

from store.pool import Connection
from store.rows import value


async def allow(connection: Connection, tenant: str, owner: str, tool: str) -> None:
    """From now on this tool does not ask this person."""
    query = "insert into always_allowed (tenant, owner, tool) values (%s, %s, %s) on conflict do nothing"
    await connection.execute(query, (tenant, owner, tool))


async def revoke(connection: Connection, tenant: str, owner: str, tool: str) -> bool:
    """From now on this tool asks again; says whether it was allowed."""
    query = "delete from always_allowed where tenant = %s and owner = %s and tool = %s"
    return (await connection.execute(query, (tenant, owner, tool))).rowcount == 1


async def allowed(connection: Connection, tenant: str, owner: str, tool: str) -> bool:
    """Whether this person allowed this tool."""
    query = "select exists (select 1 from always_allowed where tenant = %s and owner = %s and tool = %s)"
    return await value(connection, query, (tenant, owner, tool))


async def page(connection: Connection, tenant: str, owner: str) -> list[str]:
    """The names of all tools that this person allowed, sorted."""
    query = "select tool from always_allowed where tenant = %s and owner = %s order by tool"
    rows = await connection.execute(query, (tenant, owner))
    return [row["tool"] for row in await rows.fetchall()]
