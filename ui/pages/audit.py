"""The audit log for people: their own rows, all rows of the tenant for an admin, and the same as a file."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Protocol
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from agent.identity import Principal
from store import audit as log
from store.audit import Decision, Filter, Link, Owner
from store.person import person
from store.pool import Pool, lent
from tools.toolset import Role
from ui.answers import request_language, signed_in
from ui.pages.files import attached, csv_lines, json_lines
from ui.steps import Titles

Person = Annotated[Principal, Depends(signed_in)]
Days = Annotated[int, Query(ge=1, le=3650)]
Text = Annotated[str, Query(max_length=500, pattern=r"^[^\x00]+$")]
Before = Annotated[int, Query(ge=1, lt=2**63)]
PAGE = 500
COLUMNS = (
    "seq",
    "at",
    "kind",
    "actor",
    "actor_name",
    "owner",
    "conversation",
    "turn",
    "approval",
    "tool",
    "data",
    "hash",
)


class AuditLog(Protocol):
    """Where the entries are."""

    async def page(self, tenant: str, where: Filter, before: int | None, limit: int) -> list[Link]:
        """The newest entries that fit, or those before a `seq`; newest first."""
        ...

    async def choices(self, tenant: str, owner: str | None) -> tuple[list[Owner], list[str]]:
        """The people and the tools that there are entries of, or those of one owner."""
        ...


class StoredAudit:
    """The log in the database."""

    def __init__(self, pool: Pool):
        self._pool = pool

    async def page(self, tenant: str, where: Filter, before: int | None, limit: int) -> list[Link]:
        """The newest entries that fit, or those before a `seq`; newest first."""
        async with lent(self._pool, person(tenant, where.owner)) as connection:
            return await log.page(connection, tenant, where, before=before, limit=limit)

    async def choices(self, tenant: str, owner: str | None) -> tuple[list[Owner], list[str]]:
        """The people and the tools that there are entries of, or those of one owner."""
        async with lent(self._pool, person(tenant, owner)) as connection:
            return await log.people(connection, tenant, owner), await log.tools(connection, tenant, owner)


def wanted(
    person: Person,
    days: Days = 30,
    who: Text | None = None,
    decision: Decision | None = None,
    tool: Text | None = None,
    conversation: UUID | None = None,
) -> Filter:
    """What is asked for, of what may be seen: an admin sees the tenant, everybody else what is theirs."""
    return Filter(
        owner=None if person.role is Role.ADMIN else person.subject,
        person=who,
        decision=decision,
        tool=tool,
        conversation_id=conversation,
        since=datetime.now(UTC) - timedelta(days=days),
    )


Wanted = Annotated[Filter, Depends(wanted)]


def audit_routes(entries: AuditLog, titles: Titles) -> APIRouter:
    """`GET /ui/audit`, `/ui/audit.csv` and `/ui/audit.json`, which take the same filters.

    `titles` are what tools are called, by name and language.
    """
    router = APIRouter(prefix="/ui")

    @router.get("/audit")
    async def audit(request: Request, person: Person, where: Wanted, before: Before | None = None) -> dict[str, Any]:
        lang = request_language(request)
        found = await entries.page(person.tenant, where, before, PAGE)
        earlier = found[-1].seq if len(found) == PAGE else None
        people, tools = await entries.choices(person.tenant, where.owner)
        choices: dict[str, Any] = {"people": [{"id": one.id, "name": one.name} for one in people], "tools": tools}
        choices["titles"] = {name: titles[name][lang] for name in tools if lang in titles.get(name, {})}
        return {"entries": [row(link) for link in found], "earlier": earlier, "all": where.owner is None, **choices}

    @router.get("/audit.csv")
    async def as_csv(person: Person, where: Wanted) -> StreamingResponse:
        lines = csv_lines(COLUMNS, everything(entries, person.tenant, where))
        return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=attached("audit.csv"))

    @router.get("/audit.json")
    async def as_json(person: Person, where: Wanted) -> StreamingResponse:
        lines = json_lines(everything(entries, person.tenant, where))
        return StreamingResponse(lines, media_type="application/json", headers=attached("audit.json"))

    return router


def row(link: Link) -> dict[str, Any]:
    """An entry as plain values."""
    ids = (link.conversation_id, link.turn_id, link.approval_id)
    texts = [str(value) if value else None for value in ids]
    values = (
        link.seq, link.at.isoformat(), link.kind, link.actor, link.actor_name, link.owner, *texts, link.tool, link.data,
        link.hash.hex(),
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


async def everything(entries: AuditLog, tenant: str, where: Filter) -> AsyncIterator[dict[str, Any]]:
    """All entries that fit, newest first, read page by page."""
    before = None
    while found := await entries.page(tenant, where, before, PAGE):
        for link in found:
            yield row(link)
        before = found[-1].seq
