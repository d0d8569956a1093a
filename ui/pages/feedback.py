"""People's thumbs on answers as a file: their own, those of the tenant for an admin."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from agent.identity import Principal
from store import feedback
from store.feedback import Rating
from store.person import person
from store.pool import Pool, lent
from ui.answers import signed_in
from ui.pages.files import attached, csv_lines, json_lines
from ui.pages.usage import MONTH, period, visible_to

Person = Annotated[Principal, Depends(signed_in)]
Days = Annotated[int, Query(ge=1, le=3650)]
COLUMNS = ("at", "person", "conversation", "turn", "value", "reason")


class FeedbackLog(Protocol):
    """Where the ratings are."""

    async def between(self, tenant: str, since: date, until: date, owner: str | None) -> list[Rating]:
        """The ratings of these days, oldest first."""
        ...


class StoredFeedback:
    """The ratings in the database."""

    def __init__(self, pool: Pool):
        self._pool = pool

    async def between(self, tenant: str, since: date, until: date, owner: str | None) -> list[Rating]:
        """The ratings of these days, oldest first."""
        async with lent(self._pool, person(tenant, owner)) as connection:
            return await feedback.between(connection, tenant, since, until, owner)


def feedback_routes(log: FeedbackLog) -> APIRouter:
    """`GET /ui/feedback.csv` and `/ui/feedback.json`."""
    router = APIRouter(prefix="/ui")

    @router.get("/feedback.csv")
    async def as_csv(person: Person, days: Days = 365) -> StreamingResponse:
        lines = csv_lines(COLUMNS, everything(log, person, days))
        return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=attached("feedback.csv"))

    @router.get("/feedback.json")
    async def as_json(person: Person, days: Days = 365) -> StreamingResponse:
        lines = json_lines(everything(log, person, days))
        return StreamingResponse(lines, media_type="application/json", headers=attached("feedback.json"))

    return router


async def everything(log: FeedbackLog, person: Principal, days: int) -> AsyncIterator[dict[str, Any]]:
    """All ratings of these days that the person may see, oldest first, read a month at a time."""
    since, until = period(days)
    while since < until:
        end = min(since + MONTH, until)
        for rating in await log.between(person.tenant, since, end, visible_to(person)):
            yield _row(rating)
        since = end


def _row(rating: Rating) -> dict[str, Any]:
    place = str(rating.conversation_id)
    values = (rating.at.isoformat(), rating.owner, place, rating.turn_id, rating.value, rating.reason)
    return dict(zip(COLUMNS, values, strict=True))
