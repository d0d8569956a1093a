"""Who gives out tokens for user names and passwords: an OAuth2 password endpoint (RFC 6749, 4.3)."""

import httpx

from ui.options import AuthorityDown, WrongPassword


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
