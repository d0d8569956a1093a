"""From settings to the parts by which people sign in, for the modes that need any."""

from collections.abc import Callable

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc.jwk import OKPKey

from agent.identity import Principal
from agent.keys import KeyRing
from agent.settings import Settings, revealed
from agent.tokens import PersonTokens
from tools.toolset import Role
from ui.oidc import Client, OpenIdProvider
from ui.proxy import ProxyHeaders, ProxyPeople
from ui.visitors import Verifier

# Accounts of the embedded workspace by role; between two, the one with fewer rights.
ACCOUNTS = {Role.VIEWER: "vera", Role.ANALYST: "vera", Role.EDITOR: "ilya", Role.PUBLISHER: "ilya", Role.ADMIN: "anna"}


def workspace_tokens(keys: KeyRing, issuer: str, audience: str) -> PersonTokens:
    """Tokens that the embedded workspace takes: signed with its key, for its account of the person's role."""
    account: Callable[[Principal], str] = lambda person: ACCOUNTS[person.role]  # noqa: E731
    return PersonTokens(_key(keys, "workspace-tokens"), issuer=issuer, audience=audience, account=account)


def house_tokens(settings: Settings, keys: KeyRing) -> PersonTokens:
    """Tokens for a backend of your own, which finds our public key at `/.well-known/jwks.json`."""
    return PersonTokens(_key(keys, "user-tokens"), issuer=settings.own_issuer, audience=settings.user_audience)


def _key(keys: KeyRing, purpose: str) -> OKPKey:
    private = Ed25519PrivateKey.from_private_bytes(keys.sign(purpose, b"")[1])
    return OKPKey.import_key(private, {"use": "sig", "alg": "Ed25519"})


def proxy_people(settings: Settings, verifier: Verifier, tokens: PersonTokens) -> ProxyPeople | None:
    """Who a trusted proxy says it is; None in other modes."""
    if settings.sign_in != "header":
        return None
    names = ProxyHeaders(
        user=settings.proxy_user_header,
        name=settings.proxy_name_header,
        groups=settings.proxy_groups_header,
        token=settings.proxy_token_header or "",
        secret=revealed(settings.proxy_secret),
        roles=settings.person_roles,
        tenant=settings.default_tenant,
    )
    return ProxyPeople(names, verifier, tokens)


def open_id_provider(
    settings: Settings, http: httpx.AsyncClient, keys: KeyRing, tokens: PersonTokens
) -> OpenIdProvider | None:
    """Hugging Face, or the provider of OPENID_PROVIDER_URL; None in other modes."""
    if settings.sign_in != "hf":
        return None
    client = Client(
        provider=settings.openid_provider_url,
        client_id=settings.oauth_client_id or "",
        client_secret=revealed(settings.oauth_client_secret),
        scopes=settings.oauth_scopes,
        algorithms=settings.openid_algorithms,
        roles=settings.person_roles,
        tenant=settings.default_tenant,
    )
    return OpenIdProvider(client, http, keys, tokens)
