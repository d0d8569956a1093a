"""From settings to parts: the backend client, the toolset, the model, the turns."""

from collections.abc import Sequence
from importlib import import_module

import httpx

from agent.filetool import FileToolset
from agent.guards import Limits
from agent.journal import NoTraces, Traces
from agent.keys import KeyRing
from agent.model import ModelClient
from agent.models.provider import Provider
from agent.models.usage import Usage
from agent.settings import ConfigError, Settings, revealed
from agent.shared_secret import SharedSecretVerifier, Userinfo
from agent.turns import Turns
from router.router import Router
from store.pool import Pool
from tools.always import ALWAYS
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.credentials import Credentials, Person, Together
from tools.identity import ServiceIdentity
from tools.joined import JoinedToolset, NameClashError
from tools.native import NativeToolset
from tools.openapi.document import load_document
from tools.openapi.fetch import fetcher
from tools.openapi.policy import Policy
from tools.openapi.proof import proof_of
from tools.openapi.security import StaticHeaders
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import Toolset


def backend_client(settings: Settings, agent: ServiceIdentity, url: str) -> BackendClient:
    """The way to the backend: as whom, and whether a change may be sent again."""
    headers = {name: value.get_secret_value() for name, value in settings.backend_headers.items()}
    proofs = (StaticHeaders(headers), *agent_proof(settings, agent), Person(settings.user_jwt_header))
    idempotent = settings.backend_url is None or settings.backend_idempotent
    return BackendClient(url, credentials=Together(*proofs), idempotent=idempotent)


def agent_proof(settings: Settings, agent: ServiceIdentity) -> tuple[Credentials, ...]:
    """What proves the agent itself, by SERVICE_AUTH."""
    secret = revealed(settings.service_credentials)
    place, address = settings.service_key_place, settings.service_token_url
    return proof_of(settings.service_auth or "signed", agent, secret, key_place=place, token_url=address)


def tools_of(settings: Settings, client: BackendClient, others: Sequence[Toolset] = ()) -> Toolset:
    """The workspace's own tools, or those of the backend's document; always beside the ones that need no backend."""
    if settings.openapi_url is None:
        return JoinedToolset(workspace_toolset(client), *others) if others else workspace_toolset(client)
    document = load_document(settings.openapi_url, fetcher(settings.backend_url))
    imported = OpenApiToolset.from_document(document, client, Policy.load(settings.policy_file))
    try:
        return JoinedToolset(imported, NativeToolset(ALWAYS, client), *others)
    except NameClashError as error:
        raise ConfigError(f"OPENAPI_URL: {error}") from None


def shared_secret_verifier(settings: Settings, secret: str, http: httpx.AsyncClient) -> SharedSecretVerifier:
    """Who believes the tokens of a service that signs with USER_JWT_SECRET."""
    return SharedSecretVerifier(
        secret,
        issuer=settings.user_issuer,
        audience=settings.user_audience,
        home=settings.backend_url or "",
        default_tenant=settings.default_tenant,
        userinfo=Userinfo(settings.userinfo_url, http) if settings.userinfo_url else None,
    )


def traces_of(settings: Settings) -> Traces:
    """Traces for the endpoint of the settings, if there is one; raises `ConfigError` without the extra that sends them.

    What sends traces is imported here and nowhere else, so that who does not use it neither needs nor waits for it.
    """
    if not settings.otel_exporter_otlp_endpoint:
        return NoTraces()
    try:
        traces = import_module("agent.traces")
    except ImportError:
        raise ConfigError("OTEL_EXPORTER_OTLP_ENDPOINT needs an extra: pip install 'countersign[otel]'") from None
    return traces.Traces.exported(settings.otel_exporter_otlp_endpoint)


def turns_of(
    settings: Settings, pool: Pool, url: str, keys: KeyRing, toolset: Toolset, router: Router, traces: Traces
) -> Turns:
    """The way of a turn, with every limit from the settings, for these tools and the files of conversations."""
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
        url=url,
        keys=keys,
        toolset=JoinedToolset(toolset, FileToolset(pool)),
        router=router,
        model=model_of(settings, limits),
        run_limits=limits,
        price=lambda usage: price(settings, usage),
        trace=traces.of,
        approval_minutes=settings.approval_minutes,
        lease_seconds=settings.lease_seconds,
        max_message_bytes=settings.max_message_bytes,
        turns_per_minute=settings.turns_per_minute,
    )


def model_of(settings: Settings, limits: Limits) -> ModelClient:
    """The demo model, or the provider's; the demo's words are held in memory only where it speaks."""
    if settings.demo_model:
        from agent.demo import DemoChatModel

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
