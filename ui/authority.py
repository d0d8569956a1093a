"""Who gives out tokens for user names and passwords: an OAuth2 password endpoint (RFC 6749, 4.3), or we."""

import hmac
from collections.abc import Iterable

import httpx

from agent.tokens import PersonTokens, nobodys
from tools.toolset import Role
from ui.options import AuthorityDown, DemoPerson, WrongPassword


class TokenEndpoint:
    """Asks the endpoint for an access token; a password is sent there and kept nowhere."""

    def __init__(self, url: str, client: httpx.AsyncClient):
        self._url = url
        self._client = client

    async def token(self, username: str, password: str) -> str:
        """The person's JWT; raises `WrongPassword` or `AuthorityDown`."""
        form = {"grant_type": "password", "username": username, "password": password}
        try:
            answer = await self._client.post(self._url, data=form)
        except httpx.HTTPError:
            raise AuthorityDown from None
        if answer.status_code in {400, 401, 403, 422}:
            raise WrongPassword
        if answer.status_code != 200 or not isinstance(token := answer.json().get("access_token"), str):
            raise AuthorityDown
        return token


class DemoTokens:
    """Gives the demo's people tokens of ours, for trying a backend of one's own that knows none of them."""

    def __init__(self, people: Iterable[DemoPerson], tokens: PersonTokens, tenant: str):
        self._people = {person.username: person for person in people}
        self._tokens = tokens
        self._tenant = tenant

    async def token(self, username: str, password: str) -> str:
        """The person's JWT; raises `WrongPassword`."""
        person = self._people.get(username)
        if person is None or not hmac.compare_digest(person.password.encode(), password.encode()):
            raise WrongPassword
        known = nobodys(self._tenant, f"demo|{username}", person.name["en"], Role(person.role))
        return self._tokens.given(known).user_jwt
