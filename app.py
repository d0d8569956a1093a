"""Countersign: settings in, a running chat out. The one place that puts the parts together."""

import os

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # read when langgraph is imported
os.environ.setdefault("LANGSMITH_TRACING", "false")

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import httpx
import psycopg
import uvicorn
from joserfc.jwk import OKPKey

from agent.demo import DemoChatModel
from agent.guards import Limits
from agent.identity import JwksUrl, TokenVerifier
from agent.keys import BadSecrets, KeyRing
from agent.model import ModelClient
from agent.models.provider import Provider
from agent.models.usage import Usage
from agent.retention import keep_forgetting
from agent.routing import entries_of
from agent.settings import ConfigError, Settings, load_settings
from agent.turns import Turns
from backend.process import ISSUER, BackendDied, BackendProcess
from router.cache import VectorCache
from router.loading import Loader
from router.router import Router
from store.embedded import EmbeddedPostgres, EmbeddedPostgresError
from store.migrate import upgrade
from store.pool import Pool, open_pool
from tools.always import ALWAYS
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.credentials import Credentials, Person, Signed, Together
from tools.identity import ServiceIdentity
from tools.joined import JoinedToolset
from tools.native import NativeToolset
from tools.openapi.document import DocumentError, load_document
from tools.openapi.fetch import fetcher
from tools.openapi.policy import Policy, PolicyError
from tools.openapi.security import Basic, Bearer, PasswordGrant, StaticHeaders, api_key
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import Effect, Toolset
from ui.app import build_app
from ui.authority import TokenEndpoint
from ui.options import DemoPerson, Example, PageOptions, Services, WritableTool
from ui.pages.audit import StoredAudit
from ui.sessions import Sessions, StoredRows

PEOPLE = {
    "vera": ("viewer", "Vera Lindqvist", "Вера Линдквист"),
    "ilya": ("editor", "Ilya Sorokin", "Илья Сорокин"),
    "anna": ("admin", "Anna Petrova", "Анна Петрова"),
}
EXAMPLES = (
    Example({"en": "Which dashboards are in prod?", "ru": "Какие дашборды есть на проде?"}),
    Example({"en": "Is stage healthy?", "ru": "Всё ли в порядке на стейдже?"}),
    Example({"en": "Who changed something in prod this week?", "ru": "Кто что менял на проде на этой неделе?"}),
    Example({"en": "Delete dashboard 412", "ru": "Удали дашборд 412"}, sign=True),
)
GRACE = 3


@dataclass(frozen=True)
class House:
    """What stands before the event loop runs: a database, a backend, keys."""

    settings: Settings
    keys: KeyRing
    database_url: str
    backend_url: str
    passwords: dict[str, str] = field(repr=False)


def main() -> None:
    """Run until a signal comes; what cannot start says why in one line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        settings = load_settings()
        logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s %(message)s")
        logging.getLogger("httpx").setLevel("WARNING")
        with furnish(settings) as house:
            asyncio.run(serve(house))
    except (ConfigError, BadSecrets, PolicyError, DocumentError, EmbeddedPostgresError, BackendDied) as error:
        sys.exit(f"countersign: {error}")
    except psycopg.OperationalError as error:
        sys.exit(f"countersign: the database of DATABASE_URL does not answer: {str(error).splitlines()[0]}")


@contextmanager
def furnish(settings: Settings) -> Iterator[House]:
    """Start what was not given: the embedded database and the embedded workspace; end them afterwards."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    keys = key_ring(settings)
    with ExitStack() as ends:
        database_url = settings.database_url.get_secret_value() if settings.database_url else ""
        if not database_url:
            postgres = EmbeddedPostgres(settings.data_dir)
            ends.callback(postgres.stop)
            database_url = postgres.start()
        upgrade(database_url)
        passwords = {person: keys.sign("demo-password", person.encode())[1].hex() for person in PEOPLE}
        backend_url = settings.backend_url or ""
        if not backend_url:
            backend = workspace(settings, keys, database_url, passwords)
            ends.callback(backend.stop)
            backend_url = backend.start()
        yield House(settings, keys, database_url, backend_url, passwords)


def workspace(settings: Settings, keys: KeyRing, database_url: str, passwords: dict[str, str]) -> BackendProcess:
    """The embedded backend; what it keeps secret follows from our keys, so that replicas agree."""
    return BackendProcess(
        settings.data_dir / "workspace",
        database_url,
        passwords=passwords,
        role_password=keys.sign("workspace-role", b"")[1].hex(),
        token_seed=keys.sign("workspace-tokens", b"")[1],
        service_jwks=service(settings, keys).jwks(),
    )


def key_ring(settings: Settings) -> KeyRing:
    """The secrets of APP_SECRETS, else those kept in the data folder."""
    if settings.app_secrets:
        return KeyRing(settings.app_secrets.get_secret_value())
    return KeyRing.load_or_create(settings.data_dir / "app_secrets")


def service(settings: Settings, keys: KeyRing) -> ServiceIdentity:
    """What the agent proves itself with to the backend."""
    key = OKPKey.import_key(keys.service_private_key())
    return ServiceIdentity(key, issuer=settings.service_issuer, audience=settings.service_audience)


async def serve(house: House) -> None:
    """Open the parts, serve until a signal, then let running turns come to rest."""
    settings = house.settings
    async with opened(house) as (services, options):
        app = build_app(services, options)
        listener = listen(settings.host, settings.port)
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE, proxy_headers=True,
            server_header=False,
        )  # fmt: skip
        for stop in (signal.SIGTERM, signal.SIGINT):
            signal.signal(stop, lambda *_: None)  # uvicorn stops at them, then raises them again
        print(f"Countersign is at http://{settings.host}:{port}", flush=True)
        await uvicorn.Server(config).serve(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; asyncio sends without delay only on sockets that name TCP."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise ConfigError(f"PORT: cannot listen on {host}:{port} ({error.strerror}); choose another") from None
    listener.listen(512)
    return listener


@asynccontextmanager
async def opened(house: House) -> AsyncIterator[tuple[Services, PageOptions]]:
    """The services behind the page, working; closed in the reverse order."""
    settings = house.settings
    pool = await open_pool(house.database_url, max_size=settings.database_pool)
    client = backend_client(house)
    async with httpx.AsyncClient(timeout=10, trust_env=False) as http:
        toolset = await asyncio.to_thread(tools_of, settings, client)
        router = Router(entries_of(toolset.specs), cache=VectorCache(settings.data_dir / "vectors"))
        Loader(router, settings.embedding_model).start()
        turns = turns_of(house, pool, toolset, router)
        await turns.start()
        idle = timedelta(days=settings.retention_days) if settings.retention_days else None
        forgetting = asyncio.create_task(keep_forgetting(pool, idle))
        services = Services(
            turns=turns,
            sessions=Sessions(StoredRows(pool), house.keys),
            verifier=verifier(house, http),
            authority=authority(house, http),
            audit=StoredAudit(pool),
            selector=router,
            specs=toolset.specs,
            ready=lambda: ready(pool),
        )
        try:
            yield services, page_options(house, toolset)
        finally:
            forgetting.cancel()
            await turns.drain()
            await client.aclose()
            await pool.close()


def backend_client(house: House) -> BackendClient:
    """The way to the backend: as whom, and whether a change may be sent again."""
    settings = house.settings
    headers = {name: value.get_secret_value() for name, value in settings.backend_headers.items()}
    proofs = (
        StaticHeaders(headers),
        *agent_proof(settings, service(settings, house.keys)),
        Person(settings.user_jwt_header),
    )
    idempotent = settings.backend_url is None or settings.backend_idempotent
    return BackendClient(house.backend_url, credentials=Together(*proofs), idempotent=idempotent)


def agent_proof(settings: Settings, agent: ServiceIdentity) -> tuple[Credentials, ...]:
    """What proves the agent itself, by SERVICE_AUTH."""
    secret = settings.service_credentials.get_secret_value() if settings.service_credentials else ""
    user, _, password = secret.partition(":")
    match settings.service_auth:
        case "none":
            return ()
        case "bearer":
            return (Bearer(secret),)
        case "api_key":
            return (api_key(secret, settings.service_key_place),)
        case "basic":
            return (Basic(user, password),)
        case "oauth2_password":
            return (PasswordGrant(settings.service_token_url or "", user, password),)
    return (Signed(agent),)


def tools_of(settings: Settings, client: BackendClient) -> Toolset:
    """The workspace's own tools, or those of the backend's document; always beside the ones that need no backend."""
    if settings.openapi_url is None:
        return workspace_toolset(client)
    document = load_document(settings.openapi_url, fetcher(settings.backend_url))
    imported = OpenApiToolset.from_document(document, client, Policy.load(settings.policy_file))
    return JoinedToolset(imported, NativeToolset(ALWAYS, client))


def turns_of(house: House, pool: Pool, toolset: Toolset, router: Router) -> Turns:
    """The way of a turn, with every limit from the settings."""
    settings = house.settings
    limits = Limits(
        max_output_tokens=settings.max_output_tokens,
        retries=settings.model_retries,
        first_token=settings.first_token_timeout,
        between_tokens=settings.token_timeout,
        request=settings.request_timeout,
        run=settings.run_timeout,
        steps=settings.max_steps,
        context=settings.context_budget,
    )
    return Turns(
        pool=pool,
        url=house.database_url,
        keys=house.keys,
        toolset=toolset,
        router=router,
        model=model_of(settings, limits),
        run_limits=limits,
        price=lambda usage: price(settings, usage),
        approval_minutes=settings.approval_minutes,
        lease_seconds=settings.lease_seconds,
        max_message_bytes=settings.max_message_bytes,
        turns_per_minute=settings.turns_per_minute,
    )


def model_of(settings: Settings, limits: Limits) -> ModelClient:
    """The demo model, or the provider's."""
    if settings.demo_model:
        return ModelClient(DemoChatModel(tokens_per_second=settings.demo_tokens_per_second), "demo", limits)
    provider = Provider(
        model=settings.model or "",
        api=settings.openai_api,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
        max_output_tokens=settings.max_output_tokens,
    )
    return ModelClient(
        provider.chat(), provider.model, limits, window=settings.model_context, cache_hints=provider.is_openai
    )


def price(settings: Settings, usage: Usage) -> float | None:
    """What the tokens cost, when the prices are set."""
    if settings.price_input is None or settings.price_output is None:
        return None
    cached = settings.price_input if settings.price_cached is None else settings.price_cached
    fresh = usage.input - usage.cached
    return (fresh * settings.price_input + usage.cached * cached + usage.output * settings.price_output) / 1e6


def verifier(house: House, http: httpx.AsyncClient) -> TokenVerifier:
    """Who believes people's tokens: their issuer's public keys."""
    settings = house.settings
    return TokenVerifier(
        keys=JwksUrl(settings.user_jwks_url or f"{house.backend_url}/.well-known/jwks.json", http),
        issuer=settings.user_issuer or ISSUER,
        audience=settings.user_audience,
        default_tenant=settings.default_tenant,
    )


def authority(house: House, http: httpx.AsyncClient) -> TokenEndpoint | None:
    """Who gives out tokens for passwords, in the modes that have one."""
    if house.settings.sign_in not in {"demo", "password"}:
        return None
    return TokenEndpoint(house.settings.token_url or f"{house.backend_url}/auth/token", http)


async def ready(pool: Pool) -> dict[str, bool]:
    """Whether the database answers within two seconds."""
    try:
        async with asyncio.timeout(2), pool.connection(timeout=2) as connection:
            await connection.execute("select 1")
    except (TimeoutError, psycopg.Error):
        return {"database": False}
    return {"database": True}


def page_options(house: House, toolset: Toolset) -> PageOptions:
    """How the page presents itself."""
    settings = house.settings
    demo = settings.sign_in == "demo"
    return PageOptions(
        sign_in=settings.sign_in or "demo",
        model=settings.model or "demo",
        demo_model=settings.demo_model,
        embedded_database=settings.database_url is None,
        demo_people=[
            DemoPerson(name, house.passwords[name], {"en": english, "ru": russian}, role)
            for name, (role, english, russian) in PEOPLE.items() if demo
        ],
        examples=EXAMPLES if settings.openapi_url is None else (),
        writable_tools=[
            WritableTool(spec.name, {"en": spec.titles["en"], "ru": spec.titles["ru"]})
            for spec in toolset.specs.values() if spec.effect is Effect.WRITE
        ],
        pages=("approvals", "audit", "router"),
        public_url=settings.public_url,
        allowed_hosts=settings.allowed_hosts,
        allowed_origins=settings.allowed_origins,
        frame_ancestors=settings.frame_ancestors,
        user_jwt_header=settings.user_jwt_header,
    )  # fmt: skip


if __name__ == "__main__":
    main()
