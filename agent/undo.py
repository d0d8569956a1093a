"""Take back what an approved call did: the backend's own undo, once, as the person who approved it."""

from dataclasses import replace

from agent.approvals import entry
from agent.identity import Principal
from agent.refused import Refused
from store import audit, undone
from store.approvals import Approval
from store.pool import Pool
from tools.toolset import ArgumentError, Call, ToolResult, Toolset


async def undo(pool: Pool, toolset: Toolset, principal: Principal, row: Approval, call: Call) -> Approval:
    """The approval, marked as undone. The person asked for it by a press of a button, so no card is shown.

    Repeating it is harmless. Raises `Refused` when there is nothing to undo, or the backend refuses because
    something newer touched the thing.
    """
    result = row.result or {}
    if result.get("undone"):
        return row
    way = result.get("undo")
    if not way or way.get("tool") not in toolset.specs:
        raise Refused("nothing_to_undo", call.lang)
    async with pool.connection() as connection:
        await audit.append(connection, entry("undo_sent", row, principal, {"tool": way["tool"], "args": way["args"]}))
    done = await _called(toolset, way, call)
    async with pool.connection() as connection:
        data = {"ok": done.ok, "status": done.status, "summary": done.summary}
        await audit.append(connection, entry("undo_came_back", row, principal, data))
        if not done.ok:
            raise Refused("undo_failed", call.lang, detail=done.summary or done.text)
        return await undone.mark(connection, row.id, principal.name)


async def _called(toolset: Toolset, way: dict, call: Call) -> ToolResult:
    try:
        bound = replace(call, if_match=way.get("if_match"))
        return await toolset.call(way["tool"], toolset.validate(way["tool"], way["args"]), bound)
    except (ArgumentError, KeyError):
        raise Refused("nothing_to_undo", call.lang) from None
