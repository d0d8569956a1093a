"""What the model cost: tokens and turns a day, by model, and for an admin by person; the same as a file."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from agent.identity import Principal
from agent.steps import Usage
from store import usage as rows
from store.person import person
from store.pool import Pool, lent
from store.usage import By, Spent
from tools.toolset import Role
from ui.answers import signed_in
from ui.pages.files import attached, csv_lines

Person = Annotated[Principal, Depends(signed_in)]
Days = Annotated[int, Query(ge=1, le=3650)]
COLUMNS = ("day", "person", "name", "model", "turns", "requests", "input", "cached", "reasoning", "output", "cost")
MONTH = timedelta(days=31)


class UsageLog(Protocol):
    """Where the tokens are counted."""

    async def grouped(self, tenant: str, by: By, since: date, until: date, owner: str | None) -> list[Spent]:
        """Sums of these days, see `store.usage.grouped`."""
        ...

    def cost(self, spent: Spent) -> float | None:
        """What these tokens cost; None without prices."""
        ...


class StoredUsage:
    """The counts in the database; `price` gives the cost of tokens, if prices are set."""

    def __init__(self, pool: Pool, price: Callable[[Usage], float | None]):
        self._pool = pool
        self._price = price

    async def grouped(self, tenant: str, by: By, since: date, until: date, owner: str | None) -> list[Spent]:
        """Sums of these days, see `store.usage.grouped`."""
        async with lent(self._pool, person(tenant, owner)) as connection:
            return await rows.grouped(connection, tenant, by, since, until, owner)

    def cost(self, spent: Spent) -> float | None:
        """What these tokens cost; None without prices."""
        used = Usage(spent.input_tokens, spent.cached_tokens, spent.reasoning_tokens, spent.output_tokens)
        return self._price(used)


def usage_routes(log: UsageLog) -> APIRouter:
    """`GET /ui/usage` and `/ui/usage.csv`: of the tenant for an admin, of themselves for everybody else."""
    router = APIRouter(prefix="/ui")

    @router.get("/usage")
    async def usage(person: Person, days: Days = 30) -> dict[str, Any]:
        owner, (since, until) = visible_to(person), period(days)
        found = await log.grouped(person.tenant, "day", since, until, owner)
        people = [] if owner else await log.grouped(person.tenant, "person", since, until, None)
        return {
            "since": since.isoformat(),
            "until": (until - timedelta(days=1)).isoformat(),
            "days": [row(log, spent) for spent in found],
            "people": [row(log, spent) for spent in people],
            "all": owner is None,
        }

    @router.get("/usage.csv")
    async def as_csv(person: Person, days: Days = 30) -> StreamingResponse:
        lines = csv_lines(COLUMNS, everything(log, person, days))
        return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=attached("usage.csv"))

    return router


def visible_to(person: Principal) -> str | None:
    """Whose rows a person may see: None is everybody's in the tenant."""
    return None if person.role is Role.ADMIN else person.subject


def period(days: int) -> tuple[date, date]:
    """The last days in UTC, today among them: from the first to before the second."""
    until = datetime.now(UTC).date() + timedelta(days=1)
    return until - timedelta(days=days), until


def row(log: UsageLog, spent: Spent) -> dict[str, Any]:
    """Sums as plain values."""
    return {
        "day": spent.day.isoformat() if spent.day else None,
        "person": spent.owner,
        "name": spent.name or (spent.owner or "").rpartition("|")[2] or None,
        "model": spent.model,
        "turns": spent.turns,
        "requests": spent.requests,
        "input": spent.input_tokens,
        "cached": spent.cached_tokens,
        "reasoning": spent.reasoning_tokens,
        "output": spent.output_tokens,
        "cost": log.cost(spent),
    }


async def everything(log: UsageLog, person: Principal, days: int) -> AsyncIterator[dict[str, Any]]:
    """All rows of these days that the person may see, oldest first, read a month at a time."""
    since, until = period(days)
    while since < until:
        end = min(since + MONTH, until)
        for spent in await log.grouped(person.tenant, "row", since, end, visible_to(person)):
            yield row(log, spent)
        since = end
