"""What was taken back: the result of the call that did it says by whom and when."""

from typing import Any
from uuid import UUID

from store import approvals
from store.approvals import Approval
from store.errors import NotFound
from store.pool import Connection
from store.rows import jsonb, many, one, storable


async def mark(connection: Connection, approval_id: UUID, by: str) -> Approval:
    """Note in the result of a consumed approval who undid it and when; the caller checked whose it is."""
    row = await one(
        connection,
        Approval,
        f"""
        update approvals a set result = a.result ||
            jsonb_build_object('undone', jsonb_build_object('n', %s::text, 't', clock_timestamp()))
        where a.id = %s and a.result is not null returning {approvals.COLUMNS}
        """,
        (storable(by), approval_id),
    )
    if row is None:
        raise NotFound("no such approval")
    return row


async def mark_by_call(
    connection: Connection, tenant: str, owner: str, conversation_id: UUID, tool: str, args: dict[str, Any]
) -> list[Approval]:
    """Mark what this call took back: this person's calls in the conversation whose way back it is."""
    return await many(
        connection,
        Approval,
        f"""
        update approvals a set result = a.result || jsonb_build_object('undone',
            jsonb_build_object('n', coalesce(a.decided_by_name, ''), 't', clock_timestamp()))
        where a.conversation_id = %(conversation)s and a.tenant = %(tenant)s and a.owner = %(owner)s
            and a.state = 'consumed' and a.result @> %(way)s
            and a.result -> 'undo' -> 'args' = %(args)s and not a.result ? 'undone'
        returning {approvals.COLUMNS}
        """,
        {
            "conversation": conversation_id,
            "tenant": tenant,
            "owner": owner,
            "way": jsonb({"undo": {"tool": tool}}),
            "args": jsonb(args),
        },
    )
