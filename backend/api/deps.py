"""What routes ask for: a connection, a person with a role, the frame of a changing call, page and search words."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Header, Path, Query, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import StringConstraints

from backend import ledger
from backend.database import Connection
from backend.effects import Call, Effects
from backend.models.common import ENVIRONMENT_IDS
from backend.people import Person, Role
from backend.words import Lang, preferred_language

SERVICE = HTTPBearer(scheme_name="service", bearerFormat="JWT", auto_error=False, description="The service's token.")
USER = APIKeyHeader(name="X-User-JWT", scheme_name="user", auto_error=False, description="The person's token.")


async def person(
    request: Request,
    service: Annotated[HTTPAuthorizationCredentials | None, Security(SERVICE)],
    user: Annotated[str | None, Security(USER)],
) -> Person:
    """Both identities, checked; raises `Problem` (401)."""
    authorization = f"Bearer {service.credentials}" if service else None
    return await request.app.state.identities.person(authorization, user)


def require(role: Role) -> Callable[..., Awaitable[Person]]:
    """A dependency: the person, when they hold at least this role; raises `Problem` (401, 403)."""

    async def allowed(person: Annotated[Person, Depends(person)]) -> Person:
        person.require(role)
        return person

    return allowed


async def connection(request: Request) -> AsyncIterator[Connection]:
    """A database connection for the length of the call."""
    async with request.app.state.pool.connection() as opened:
        yield opened


def language(accept_language: Annotated[str, Header(description="`ru` or `en`.", max_length=200)] = "en") -> Lang:
    """The language of words for people."""
    return preferred_language(accept_language)


Language = Annotated[Lang, Depends(language)]


def effect(role: Role) -> Callable[..., Awaitable[Effects]]:
    """A dependency: the frame in which a person with at least this role changes something."""

    async def frame(
        request: Request,
        person: Annotated[Person, Depends(require(role))],
        lang: Language,
        dry_run: Annotated[bool, Query(description="Answer a `Preview` and change nothing.")] = False,
        if_match: Annotated[str | None, Header(description="The etag that was seen.", max_length=400)] = None,
        idempotency_key: Annotated[
            str | None, Header(description="8 to 255 characters; the same call again replays the stored answer.")
        ] = None,
        x_approval_id: Annotated[str | None, Header(description="Kept in the audit event.", max_length=100)] = None,
    ) -> Effects:
        entry = await _entry(request, person, idempotency_key, if_match) if idempotency_key else None
        call = Call(_operation(request), person, lang, dry_run, if_match, entry, x_approval_id)
        return Effects(request.app.state.pool, request.app.state.failpoint, call)

    return frame


async def _entry(request: Request, person: Person, key: str, if_match: str | None) -> ledger.Entry:
    fingerprint = ledger.fingerprint(
        request.method, request.url.path, request.query_params.multi_items(), await request.body(), if_match or ""
    )
    return ledger.Entry(f"{person.issuer}|{person.id}|{person.service}", ledger.parse_key(key), fingerprint)


def _operation(request: Request) -> str:
    return request.scope["route"].operation_id


Db = Annotated[Connection, Depends(connection)]
Viewer = Annotated[Person, Depends(require(Role.VIEWER))]
AnalystEffect = Annotated[Effects, Depends(effect(Role.ANALYST))]
EditorEffect = Annotated[Effects, Depends(effect(Role.EDITOR))]
AdminEffect = Annotated[Effects, Depends(effect(Role.ADMIN))]

EnvironmentId = Annotated[ENVIRONMENT_IDS, Path(description="dev, stage or prod.", examples=["stage"])]
NumberId = Annotated[int, Path(ge=1, le=2_147_483_647, examples=[412])]
WordId = Annotated[str, Path(min_length=1, max_length=120, pattern=r"^[\w.@\-]+$")]
Limit = Annotated[int, Query(ge=1, le=100, description="Most items to answer.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="Items to skip.")]
Line = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
Words = Annotated[Line | None, Query(description="All these words must occur; case and ё/е do not matter.")]
InEnvironment = Annotated[ENVIRONMENT_IDS | None, Query(description="Only this environment.")]
