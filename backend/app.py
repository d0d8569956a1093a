"""The workspace as an ASGI application."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import httpx
from fastapi import FastAPI

from backend import ledger
from backend.api import (
    audit,
    auth,
    backups,
    changes,
    dashboards,
    datasets,
    documents,
    environments,
    health,
    migrations,
    tasks,
    users,
)
from backend.database import Pool, migrate, open_pool
from backend.effects import Failpoint, no_failpoint
from backend.identity.check import SERVICE_TYPES, USER_TYPES, IdentityCheck
from backend.identity.issuer import TokenIssuer
from backend.identity.keys import OwnKey, published_at, signing_key
from backend.identity.tokens import TokenRule
from backend.limits import BodyLimit
from backend.openapi import describe
from backend.problems import handle_problems
from backend.seed import plant
from backend.settings import WorkspaceSettings

ROUTERS = (
    environments,
    dashboards,
    datasets,
    migrations,
    backups,
    tasks,
    changes,
    users,
    documents,
    audit,
    auth,
    health,
)
SWEEP_SECONDS = 3600
SERVICE_LIFETIME, SERVICE_LEEWAY, USER_LIFETIME = 60, 10, 3600


def create_app(settings: WorkspaceSettings, *, failpoint: Failpoint = no_failpoint) -> FastAPI:
    """The application; its database is opened, migrated and, when empty, filled as it starts.

    `failpoint` is awaited with the name of each place where a test may want to interfere (see `backend.effects`).
    """
    app = FastAPI(
        title="Workspace", version="1.0.0", docs_url=None, redoc_url=None, lifespan=_lifespan(settings, failpoint)
    )
    for module in ROUTERS:
        app.include_router(module.router)
    app.add_middleware(BodyLimit, most=settings.max_body_bytes)
    handle_problems(app)
    describe(app)
    return app


def _lifespan(
    settings: WorkspaceSettings, failpoint: Failpoint
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool = await open_pool(settings.database_url.get_secret_value(), max_size=settings.pool_size)
        async with pool, httpx.AsyncClient(timeout=5.0, trust_env=False) as client:
            await _prepare(pool, settings)
            app.state.pool = pool
            app.state.failpoint = failpoint
            app.state.issuer, app.state.identities = _identities(settings, pool, client)
            sweeper = asyncio.create_task(_sweep(pool))
            yield
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper

    return lifespan


async def _prepare(pool: Pool, settings: WorkspaceSettings) -> None:
    async with pool.connection() as connection:
        await migrate(connection)
        if settings.seed_demo:
            await plant(connection)


def _identities(
    settings: WorkspaceSettings, pool: Pool, client: httpx.AsyncClient
) -> tuple[TokenIssuer, IdentityCheck]:
    key = signing_key(settings.key_dir)
    issuer = TokenIssuer(
        key,
        issuer=settings.issuer,
        audience=settings.audience,
        lifetime=settings.user_token_minutes * 60,
        passwords=settings.passwords,
    )
    service = TokenRule(
        types=SERVICE_TYPES,
        issuer=settings.service_issuer,
        audience=settings.audience,
        max_lifetime=SERVICE_LIFETIME,
        leeway=SERVICE_LEEWAY,
        required=("uth", "jti"),
        keys=published_at(settings.service_jwks, client),
    )
    user = TokenRule(
        types=USER_TYPES,
        issuer=settings.issuer,
        audience=settings.audience,
        max_lifetime=USER_LIFETIME,
        keys=OwnKey(key),
    )
    return issuer, IdentityCheck(service, user, pool)


async def _sweep(pool: Pool) -> None:
    """Forget expired ledger entries, an hourly batch at a time."""
    while True:
        async with pool.connection() as connection:
            await ledger.sweep(connection)
        await asyncio.sleep(SWEEP_SECONDS)
