"""Sign-in with an OpenID provider (Hugging Face): authorization code with PKCE (RFC 7636), then who the person is.

State, nonce and verifier travel in a sealed cookie, so any replica can finish what another began. The id_token must
prove who the person is. Their name and groups are read from the provider's userinfo endpoint with the token that it
just gave us, and must be of the same person. Nothing that came through the browser is believed.
"""

import hashlib
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx

from agent.identity import JwksUrl, Principal
from agent.keys import KeyRing, Unsealable
from agent.tokens import PersonTokens, nobodys
from tools.toolset import Role
from ui.id_token import IdTokens, KeysUnknown, NotProven
from ui.roles import role_of

PURPOSE = "login-state"
MAX_ANSWER = 65_536


class LoginFailed(Exception):  # noqa: N818
    """The provider said no, or what came back is not what we asked for; the text says which, for the log."""


class Unproven(LoginFailed):
    """The provider's answer does not prove who the person is."""


class ProviderDown(Exception):  # noqa: N818
    """The provider did not answer as an OpenID provider does; the text says where."""


@dataclass(frozen=True)
class Client:
    """How we are known to the provider. `provider` is its issuer, e.g. https://huggingface.co."""

    provider: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: str = "openid profile"
    algorithms: Sequence[str] = ("RS256",)
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
        self._id_tokens: IdTokens | None = None

    async def begin(self, callback: str, target: str) -> Begun:
        """Start a sign-in that comes back to `callback` and then to `target`; raises `ProviderDown`."""
        verifier, state, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": callback,
            "scope": self._client.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        kept = {"verifier": verifier, "state": state, "nonce": nonce, "target": target, "callback": callback}
        address = f"{(await self._place('authorization_endpoint'))}?{urlencode(asked)}"
        return Begun(address, self._keys.seal(PURPOSE, json.dumps(kept), PURPOSE).hex())

    async def finish(self, sealed: str, state: str, code: str) -> tuple[Principal, str]:
        """The person and where they wanted to go; raises `LoginFailed`, `ProviderDown`, `NotListed`."""
        kept = self._kept(sealed)
        if not code or not secrets.compare_digest(kept["state"].encode(), state.encode()):
            raise LoginFailed("the browser came back with another state, or without a code")
        answer = await self._redeemed(code, kept)
        token = answer.get("access_token")
        if not isinstance(token, str):
            raise LoginFailed("the provider gave no access_token")
        subject = await self._proven(answer.get("id_token"), kept["nonce"], token)
        who = await self._asked(
            "GET", await self._place("userinfo_endpoint"), headers={"Authorization": f"Bearer {token}"}
        )
        if subject is not None and who.get("sub") != subject:
            raise Unproven("the id_token and the userinfo endpoint name different people (sub)")
        return self._person(who), kept["target"]

    async def _redeemed(self, code: str, kept: Mapping[str, str]) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": kept["callback"],
            "code_verifier": kept["verifier"],
            "client_id": self._client.client_id,
        }
        auth = (self._client.client_id, self._client.client_secret)
        return await self._asked("POST", await self._place("token_endpoint"), data=form, auth=auth)

    async def _proven(self, id_token: object, nonce: str, access_token: str) -> str | None:
        """Who the id_token names; None from a provider that has none to give."""
        if id_token is None and not ("openid" in self._client.scopes.split() and "jwks_uri" in self._found):
            return None
        if not isinstance(id_token, str):
            raise Unproven("the provider gave no id_token")
        try:
            return await (await self._checker()).subject(id_token, nonce, access_token)
        except NotProven as error:
            raise Unproven(f"the id_token {error}") from None
        except KeysUnknown:
            raise ProviderDown("jwks_uri") from None

    async def _checker(self) -> IdTokens:
        """What checks id_tokens; made once, for it keeps the provider's keys."""
        if self._id_tokens is None:
            self._id_tokens = IdTokens(
                JwksUrl(await self._place("jwks_uri"), self._http),
                issuer=self._found["issuer"],
                client_id=self._client.client_id,
                algorithms=self._client.algorithms,
                secret=self._client.client_secret,
            )
        return self._id_tokens

    def _kept(self, sealed: str) -> dict[str, str]:
        try:
            kept = json.loads(self._keys.unseal(PURPOSE, bytes.fromhex(sealed), PURPOSE))
        except (ValueError, Unsealable):
            raise LoginFailed("the browser did not bring back the cookie of the sign-in that it began") from None
        return {"nonce": ""} | kept

    def _person(self, who: dict[str, Any]) -> Principal:
        subject, name = who.get("sub"), who.get("preferred_username") or who.get("email")
        if not isinstance(subject, str) or not subject or len(subject) > 200:
            raise LoginFailed("the userinfo endpoint names nobody (sub)")
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
            raise LoginFailed("the provider refused the code or its own token")
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
