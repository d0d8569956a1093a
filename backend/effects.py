"""How a changing call runs: who, ledger, If-Match, validation, effect, audit, answer; one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec

from psycopg import Rollback
from psycopg.types.json import Jsonb
from starlette.responses import JSONResponse, Response

from backend import ledger
from backend.database import Connection, Pool
from backend.models.common import Outcome, Preview, Resource
from backend.people import Person
from backend.problems import Problem
from backend.words import Lang, say

P = ParamSpec("P")
Failpoint = Callable[[str], Awaitable[None]]
PATIENCE = "set local lock_timeout = '1500ms'"  # then 409 with Retry-After, rather than a caller that hangs


async def no_failpoint(name: str) -> None:
    """The product's failpoint: nothing happens. Tests inject one that kills, waits or raises at `name`."""


@dataclass(frozen=True, slots=True)
class Act:
    """One changing call inside its transaction."""

    connection: Connection
    operation: str
    person: Person
    lang: Lang
    if_match: str | None

    def match(self, etag: str, resource: Resource) -> None:
        """Raises `Problem("revision_changed")` when the caller saw another revision (RFC 9110, 13.1.1)."""
        seen = [tag.strip() for tag in (self.if_match or "*").split(",")]
        if "*" not in seen and etag not in seen:
            raise Problem("revision_changed", current_etag=etag, resource=resource.model_dump())

    def match_nothing(self) -> None:
        """For a call that makes something new: an If-Match can then never hold."""
        if self.if_match is not None:
            raise Problem("revision_changed", current_etag=None, resource=None)

    def say(self, key: str, /, **values: Any) -> str:
        """A sentence in the caller's language."""
        return say(self.lang, key, **values)


@dataclass(frozen=True, slots=True)
class Done:
    """What an effect left behind; `details` go to the audit event."""

    result: Any
    resource: Resource
    message: str
    etag: str | None = None
    change_id: int | None = None
    changed: list[str] = field(default_factory=list)
    environment: str | None = None
    status: int = 200
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked call: what it would do, and the doing."""

    preview: Preview
    apply: Callable[[], Awaitable[Done]]


@dataclass(frozen=True, slots=True)
class Call:
    """What the HTTP request said about a changing call, apart from its own arguments."""

    operation: str
    person: Person
    lang: Lang
    dry_run: bool
    if_match: str | None
    entry: ledger.Entry | None
    approval_id: str | None


@dataclass(frozen=True, slots=True)
class Effects:
    """Runs changing calls of one request: once for a key, whole or not at all."""

    pool: Pool
    failpoint: Failpoint
    call: Call

    async def run(
        self, make_plan: Callable[Concatenate[Act, P], Awaitable[Plan]], *args: P.args, **kwargs: P.kwargs
    ) -> Response:
        """Plan the call and, unless it is a dry run, carry it out; raises `Problem` with nothing changed."""
        async with self.pool.connection() as connection:
            if self.call.dry_run:
                return await self._preview(connection, make_plan, *args, **kwargs)
            async with connection.transaction():
                answer = await self._effect(connection, make_plan, *args, **kwargs)
        await self.failpoint("after_commit_before_response")
        return answer

    async def _preview(self, connection: Connection, make_plan: Any, *args: Any, **kwargs: Any) -> Response:
        async with connection.transaction() as transaction:
            await connection.execute(PATIENCE)
            plan = await make_plan(self._act(connection), *args, **kwargs)
            raise Rollback(transaction)
        return JSONResponse(plan.preview.model_dump(mode="json"), headers=_etag(plan.preview.etag))

    async def _effect(self, connection: Connection, make_plan: Any, *args: Any, **kwargs: Any) -> Response:
        await connection.execute(PATIENCE)
        await self.failpoint("before_ledger")
        if self.call.entry and (stored := await ledger.claim(connection, self.call.entry)):
            return stored
        await self.failpoint("after_ledger")
        plan = await make_plan(self._act(connection), *args, **kwargs)
        done = await plan.apply()
        await self.failpoint("after_effect")
        await self._audit(connection, done)
        answer = self._answer(done)
        if self.call.entry:
            await ledger.remember(connection, self.call.entry, answer)
        return answer

    def _act(self, connection: Connection) -> Act:
        return Act(connection, self.call.operation, self.call.person, self.call.lang, self.call.if_match)

    def _answer(self, done: Done) -> Response:
        outcome = Outcome(
            operation=self.call.operation,
            resource=done.resource,
            etag=done.etag,
            change_id=done.change_id,
            changed=done.changed,
            message=done.message,
            result=done.result,
        )
        return JSONResponse(outcome.model_dump(mode="json", by_alias=True), done.status, _etag(done.etag))

    async def _audit(self, connection: Connection, done: Done) -> None:
        call, resource = self.call, done.resource
        await connection.execute(
            "insert into audit_events (sub, service, approval_id, action, resource_type, resource_id, resource_name,"
            " environment, summary, details) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                call.person.id,
                call.person.service,
                call.approval_id,
                call.operation,
                resource.type,
                resource.id,
                resource.name,
                done.environment,
                done.message,
                Jsonb({"change_id": done.change_id, "changed": done.changed, **done.details}),
            ),
        )


def _etag(etag: str | None) -> dict[str, str]:
    return {"ETag": etag} if etag else {}
