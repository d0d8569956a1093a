"""Countersign: settings in, a running chat out. The one place that puts the parts together."""

import os

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # read when langgraph is imported
os.environ.setdefault("LANGSMITH_TRACING", "false")

from agent import scratch

os.environ["TMPDIR"] = scratch.folder(os.environ.get("DATA_DIR"))  # Gradio looks for it when it is imported

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import httpx
import psycopg
import uvicorn
from joserfc.jwk import KeySet, OKPKey

from agent import logs
from agent.backends import open_backends
from agent.files import Files
from agent.identity import JwksUrl, KeySource, StaticKeys, TokenVerifier
from agent.keys import BadSecrets, KeyRing
from agent.parts import backend_client, price, shared_secret_verifier, tools_of, traces_of, turns_of
from agent.retention import keep_forgetting
from agent.routing import entries_of
from agent.settings import ConfigError, Settings, load_settings, revealed
from agent.tokens import Exchanged, PersonTokens
from backend.process import ISSUER, BackendDied, BackendProcess
from router.cache import VectorCache
from router.loading import Loader
from router.router import Router
from store.embedded import EmbeddedPostgres, EmbeddedPostgresError
from store.gauges import active_turns, pending_approvals
from store.migrate import UnsupportedDatabase, upgrade
from store.person import SERVICE
from store.pool import Pool, lent, open_pool
from tools.identity import ServiceIdentity
from tools.openapi.document import DocumentError
from tools.openapi.policy import PolicyError
from tools.toolset import Effect, Role, Toolset
from ui.app import build_app
from ui.authority import DemoTokens, TokenEndpoint
from ui.modes import house_tokens, open_id_provider, proxy_people, workspace_tokens
from ui.options import Authority, DemoPerson, Example, PageOptions, Services, WritableTool
from ui.pages.audit import StoredAudit
from ui.pages.feedback import StoredFeedback
from ui.pages.usage import StoredUsage
from ui.renewal import Fresh, of_our_own, of_the_demo
from ui.sessions import Sessions, StoredRows
from ui.tries import StoredTries
from ui.visitors import Verifier

PEOPLE = {
    "vera": ("viewer", "Vera Lindqvist", "Вера Линдквист"),
    "ilya": ("editor", "Ilya Sorokin", "Илья Сорокин"),
    "anna": ("admin", "Anna Petrova", "Анна Петрова"),
}
EXAMPLES = (
    Example({"en": "Which dashboards are in prod?", "ru": "Какие дашборды есть на проде?"}),
    Example({"en": "Is stage healthy?", "ru": "Всё ли в порядке на стейдже?"}),
    Example({"en": "Who changed something in prod this week?", "ru": "Кто что менял на проде на этой неделе?"}),
    Example({"en": "Delete dashboard 94", "ru": "Удали дашборд 94"}, sign=True, role=Role.EDITOR),
    Example({"en": "Open dashboard 412", "ru": "Открой дашборд 412"}),
)
GRACE = 2  # seconds until open streams are cut
STOPS = (signal.SIGTERM, signal.SIGINT)
UNFIT = (ConfigError, BadSecrets, PolicyError, DocumentError, EmbeddedPostgresError, UnsupportedDatabase, BackendDied)


@dataclass(frozen=True)
class House:
    """What stands before the event loop runs: a database, a backend, keys."""

    settings: Settings
    keys: KeyRing
    database_url: str
    backend_url: str
    passwords: dict[str, str] = field(repr=False)
    backend_started: Callable[[], None]


def main() -> None:
    """Run until a signal comes; what cannot start says why in one line."""
    for stop in STOPS:
        signal.signal(stop, leave)
    complaint = None
    try:
        settings = load_settings()
        logs.configure(settings.log_level, settings.log_format or "console", words=settings.log_words)
        with bound(settings.host, settings.port) as listener, furnish(settings) as house:
            asyncio.run(serve(house, listener))
    except SystemExit:
        pass  # a signal during the start
    except UNFIT as error:
        complaint = str(error)
    except psycopg.Error as error:
        complaint = f"the database of DATABASE_URL does not answer: {str(error).splitlines()[0]}"
    if complaint:
        print(f"countersign: {complaint}", file=sys.stderr)
    logging.shutdown()
    sys.stdout.flush()
    os._exit(1 if complaint else 0)  # all is closed; taking the interpreter's modules apart would take seconds more


def leave(*_: object) -> None:
    """Break the start off in order; a second signal does not break off the clearing up."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)
    raise SystemExit


@contextmanager
def furnish(settings: Settings) -> Iterator[House]:
    """Start what was not given: the embedded database and the embedded workspace; end them afterwards."""
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        keys = key_ring(settings)
    except OSError as error:
        raise ConfigError(f"DATA_DIR: cannot write in {settings.data_dir} ({error.strerror}); choose another") from None
    with ExitStack() as ends:
        database_url = revealed(settings.database_url)
        if not database_url:
            postgres = EmbeddedPostgres(settings.data_dir)
            ends.callback(postgres.stop)
            database_url = postgres.start()
        upgrade(database_url)
        passwords = {person: keys.sign("demo-password", person.encode())[1].hex() for person in PEOPLE}
        backend_url, started = settings.backend_url or "", lambda: None
        if not backend_url:
            backend = workspace(settings, keys, database_url, passwords)
            ends.callback(backend.stop)
            backend_url = backend.start()
            started = backend.wait
        yield House(settings, keys, database_url, backend_url, passwords, started)


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


async def serve(house: House, listener: socket.socket) -> None:
    """Open the parts, serve until a signal, then let running turns come to rest."""
    settings = house.settings
    async with opened(house) as (services, options):
        app = build_app(services, options)
        await asyncio.to_thread(house.backend_started)
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE, proxy_headers=True,
            server_header=False,
        )  # fmt: skip
        for stop in STOPS:
            signal.signal(stop, lambda *_: None)  # uvicorn stops at them, then raises them again
        print(f"Countersign is at http://{settings.host}:{port}", flush=True)
        await uvicorn.Server(config).serve(sockets=[listener])


def bound(host: str, port: int) -> socket.socket:
    """A socket at the address, so that one that is taken is known before anything starts.

    It names TCP: asyncio sends without delay only on sockets that do.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(f"HOST, PORT: cannot listen on {host}:{port} ({error.strerror}); choose another") from None
    return listener


@asynccontextmanager
async def opened(house: House) -> AsyncIterator[tuple[Services, PageOptions]]:
    """The services behind the page, working; closed in the reverse order."""
    settings = house.settings
    pool = await open_pool(house.database_url, max_size=settings.database_pool)
    agent = service(settings, house.keys)
    client = backend_client(settings, agent, house.backend_url)
    others = await asyncio.to_thread(open_backends, settings.backends, agent) if settings.backends else []
    async with httpx.AsyncClient(timeout=10, trust_env=False) as http:
        toolset = await asyncio.to_thread(tools_of, settings, client, [other.toolset for other in others])
        router = Router(entries_of(toolset.specs), cache=VectorCache(settings.data_dir / "vectors"))
        Loader(router, settings.embedding_model).start()
        traces = traces_of(settings)
        turns = turns_of(settings, pool, house.database_url, house.keys, toolset, router, traces)
        await turns.start()
        idle = timedelta(days=settings.retention_days) if settings.retention_days else None
        forgetting = asyncio.create_task(keep_forgetting(pool, idle))
        tokens = tokens_of(house)
        known = verifier(house, tokens, http)
        token_place = authority(house, tokens, http)
        services = Services(
            turns=turns,
            sessions=Sessions(StoredRows(pool), house.keys),
            verifier=known,
            authority=token_place,
            audit=StoredAudit(pool),
            feedback=StoredFeedback(pool),
            files=Files(pool),
            usage=StoredUsage(pool, lambda used: price(settings, used)),
            selector=router,
            specs=toolset.specs,
            ready=lambda: ready(pool),
            gauges=lambda: gauges(pool),
            tries=StoredTries(pool, settings.sign_ins_per_minute),
            fresh=fresh_tokens(house, token_place, known, tokens),
            proxy=proxy_people(settings, known, tokens),
            provider=open_id_provider(settings, http, house.keys, tokens),
            jwks=tokens.jwks if settings.makes_tokens and settings.backend_url else None,
        )
        try:
            yield services, page_options(house, toolset)
        finally:
            forgetting.cancel()
            await turns.drain(settings.drain_seconds)
            await asyncio.to_thread(traces.close)
            for used in (client, *(other.client for other in others if other.client)):
                await used.aclose()
            await pool.close()


def verifier(house: House, tokens: PersonTokens, http: httpx.AsyncClient) -> Verifier:
    """Who believes people's tokens: their issuer's public keys, or our own where we make them."""
    settings = house.settings
    if settings.user_jwt_secret:
        return shared_secret_verifier(settings, settings.user_jwt_secret.get_secret_value(), http)
    if settings.makes_tokens and settings.backend_url:
        own = KeySet([tokens.key])
        return token_verifier(settings, StaticKeys(own), settings.own_issuer)
    place = settings.user_jwks_url or f"{house.backend_url}/.well-known/jwks.json"
    known = token_verifier(settings, JwksUrl(place, http), ISSUER)
    foreign = settings.user_jwks_url is not None and settings.backend_url is None
    return Exchanged(known, tokens) if foreign else known


def token_verifier(settings: Settings, keys: KeySource, issuer: str) -> TokenVerifier:
    """A verifier for one issuer's tokens."""
    return TokenVerifier(
        keys=keys,
        issuer=settings.user_issuer or issuer,
        audience=settings.user_audience,
        default_tenant=settings.default_tenant,
    )


def tokens_of(house: House) -> PersonTokens:
    """What makes tokens for the backend in the modes whose sign-in gives none."""
    if house.settings.backend_url is None:
        return workspace_tokens(house.keys, ISSUER, "workspace")
    return house_tokens(house.settings, house.keys)


def fresh_tokens(house: House, token_place: Authority | None, known: Verifier, tokens: PersonTokens) -> Fresh | None:
    """How people stay signed in beyond one token."""
    if house.settings.makes_tokens:
        return of_our_own(tokens)
    if house.settings.sign_in == "demo" and token_place is not None:
        return of_the_demo(token_place, known, {person.username: person for person in demo_people(house)})
    return None


def authority(house: House, tokens: PersonTokens, http: httpx.AsyncClient) -> Authority | None:
    """Who gives out tokens for passwords, in the modes that have one."""
    if house.settings.sign_in not in {"demo", "password"}:
        return None
    if house.settings.makes_tokens:
        return DemoTokens(demo_people(house), tokens, house.settings.default_tenant)
    return TokenEndpoint(house.settings.token_url or f"{house.backend_url}/auth/token", http)


async def gauges(pool: Pool) -> dict[str, dict[str, int]]:
    """What the database knows about right now; raises `psycopg.Error`."""
    async with lent(pool, SERVICE, seconds=2) as connection:
        pending = await pending_approvals(connection)
        return {"turns_active": await active_turns(connection), "approvals": {"pending": pending}}


async def ready(pool: Pool) -> dict[str, bool]:
    """Whether the database answers within two seconds."""
    try:
        async with asyncio.timeout(2), pool.connection(timeout=2) as connection:
            await connection.execute("select 1")
    except (TimeoutError, psycopg.Error):
        return {"database": False}
    return {"database": True}


def demo_people(house: House) -> list[DemoPerson]:
    """The people of the demo, with their passwords in the embedded workspace."""
    return [
        DemoPerson(name, house.passwords[name], {"en": english, "ru": russian}, role)
        for name, (role, english, russian) in PEOPLE.items()
    ]


def page_options(house: House, toolset: Toolset) -> PageOptions:
    """How the page presents itself."""
    settings = house.settings
    return PageOptions(
        sign_in=settings.sign_in or "demo",
        model=settings.model or "demo",
        demo_model=settings.demo_model,
        embedded_database=settings.database_url is None,
        demo_people=demo_people(house) if settings.sign_in == "demo" else (),
        examples=EXAMPLES if settings.openapi_url is None else (),
        writable_tools=[
            WritableTool(spec.name, {"en": spec.titles["en"], "ru": spec.titles["ru"]})
            for spec in toolset.specs.values() if spec.effect is Effect.WRITE
        ],
        pages=("approvals", "audit", "usage", "router"),
        public_url=settings.public_url,
        allowed_hosts=settings.hosts,
        allowed_origins=settings.allowed_origins,
        frame_ancestors=settings.frame_ancestors,
        user_jwt_header=settings.user_jwt_header,
        metrics_token=revealed(settings.metrics_token),
    )  # fmt: skip


if __name__ == "__main__":
    main()
