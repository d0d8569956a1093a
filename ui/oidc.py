"""Sign-in with an OpenID provider (Hugging Face): authorization code with PKCE (RFC 7636), then who the person is.

State and verifier travel in a sealed cookie, so any replica can finish what another began. The person is read from the
provider's userinfo endpoint with the token it just gave us; nothing that came through the browser is believed.
"""

import hashlib
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx

from agent.identity import Principal
from agent.keys import KeyRing, Unsealable
from agent.tokens import PersonTokens, nobodys
from tools.toolset import Role
from ui.roles import role_of

PURPOSE = "login-state"
MAX_ANSWER = 65_536


class LoginFailed(Exception):  # noqa: N818
    """The provider said no, or what came back is not what we asked for."""


class ProviderDown(Exception):  # noqa: N818
    """The provider did not answer as an OpenID provider does."""


@dataclass(frozen=True)
class Client:
    """How we are known to the provider. `provider` is its issuer, e.g. https://huggingface.co."""

    provider: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: str = "openid profile"
    roles: Mapping[str, Role] = field(default_factory=dict)
    tenant: str = "default"


@dataclass(frozen=True)
class Begun:
    """Where to send the browser, and what it must bring back in a cookie."""

    address: str
    sealed: str = field(repr=False)


class OpenIdProvider:
    """Begins and finishes a sign-in."""

    def __init__(self, client: Client, http: httpx.AsyncClient, keys: KeyRing, tokens: PersonTokens):
        self._client = client
        self._http = http
        self._keys = keys
        self._tokens = tokens
        self._found: dict[str, Any] = {}

    async def begin(self, callback: str, target: str) -> Begun:
        """Start a sign-in that comes back to `callback` and then to `target`; raises `ProviderDown`."""
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
        challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": callback,
            "scope": self._client.scopes,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        kept = json.dumps({"verifier": verifier, "state": state, "target": target, "callback": callback})
        address = f"{(await self._place('authorization_endpoint'))}?{urlencode(asked)}"
        return Begun(address, self._keys.seal(PURPOSE, kept, PURPOSE).hex())

    async def finish(self, sealed: str, state: str, code: str) -> tuple[Principal, str]:
        """The person and where they wanted to go; raises `LoginFailed`, `ProviderDown`, `NotListed`."""
        kept = self._kept(sealed)
        if not code or not secrets.compare_digest(kept["state"].encode(), state.encode()):
            raise LoginFailed("state")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": kept["callback"],
            "code_verifier": kept["verifier"],
            "client_id": self._client.client_id,
        }
        auth = (self._client.client_id, self._client.client_secret)
        place = await self._place("token_endpoint")
        token = (await self._asked("POST", place, data=form, auth=auth)).get("access_token")
        if not isinstance(token, str):
            raise LoginFailed("token")
        who = await self._asked(
            "GET", await self._place("userinfo_endpoint"), headers={"Authorization": f"Bearer {token}"}
        )
        return self._person(who), kept["target"]

    def _kept(self, sealed: str) -> dict[str, str]:
        try:
            return json.loads(self._keys.unseal(PURPOSE, bytes.fromhex(sealed), PURPOSE))
        except (ValueError, Unsealable):
            raise LoginFailed("cookie") from None

    def _person(self, who: dict[str, Any]) -> Principal:
        subject, name = who.get("sub"), who.get("preferred_username") or who.get("email")
        if not isinstance(subject, str) or not subject or len(subject) > 200:
            raise LoginFailed("subject")
        login = name if isinstance(name, str) and name else subject
        shown = who.get("name") if isinstance(who.get("name"), str) else login
        role = role_of(self._client.roles, login, _groups(who))
        person = nobodys(self._client.tenant, f"{self._client.provider}|{subject}", str(shown)[:200], role)
        return self._tokens.given(person)

    async def _place(self, name: str) -> str:
        """An endpoint of the provider, from its own description (OpenID Connect Discovery 1.0), read once."""
        if not self._found:
            address = f"{self._client.provider.rstrip('/')}/.well-known/openid-configuration"
            found = await self._asked("GET", address)
            if str(found.get("issuer", "")).rstrip("/") != self._client.provider.rstrip("/"):
                raise ProviderDown("issuer")
            self._found = found
        place = self._found.get(name)
        scheme = self._client.provider.partition("://")[0]
        if not isinstance(place, str) or not place.startswith(f"{scheme}://"):
            raise ProviderDown(name)
        return place

    async def _asked(self, method: str, url: str, **options: Any) -> dict[str, Any]:
        try:
            answer = await self._http.request(method, url, follow_redirects=False, **options)
        except httpx.HTTPError:
            raise ProviderDown(url) from None
        if answer.status_code in (400, 401, 403):
            raise LoginFailed("refused")
        try:
            told = answer.json() if answer.status_code == 200 and len(answer.content) < MAX_ANSWER else None
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise ProviderDown(url)
        return told


def _groups(who: dict[str, Any]) -> list[str]:
    """Organisations as Hugging Face names them, groups as most others do."""
    orgs = [org.get("preferred_username") for org in who.get("orgs") or [] if isinstance(org, dict)]
    groups = who.get("groups") or []
    return [group for group in [*orgs, *(groups if isinstance(groups, list) else [])] if isinstance(group, str)]
