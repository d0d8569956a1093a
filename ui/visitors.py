"""Who is asking: a browser by its session cookie, a program by its token."""

from collections.abc import Mapping

from agent.identity import Principal, Unauthenticated
from ui.options import Services

COOKIE = "countersign"


class Visitors:
    """Finds the person behind a request. Every handler asks, none trusts an earlier answer."""

    def __init__(self, services: Services, *, secure: bool, jwt_header: str = "X-User-JWT"):
        self._services = services
        self._header = jwt_header.lower()
        self.cookie = f"__Host-{COOKIE}" if secure else COOKIE

    async def browser(self, cookies: Mapping[str, str]) -> Principal | None:
        """The person whose session cookie this is."""
        handle = cookies.get(self.cookie)
        return await self._services.sessions.find(handle) if handle else None

    async def program(self, headers: Mapping[str, str], user_jwt: str = "") -> Principal | None:
        """The person whose token came with the call, in the input or in the header; None without one.

        Raises `Unauthenticated` for a token that does not hold.
        """
        token = user_jwt or headers.get(self._header, "")
        return await self._services.verifier.verify(token) if token else None

    def is_browser(self, cookies: Mapping[str, str], headers: Mapping[str, str], user_jwt: str = "") -> bool:
        """Whether a call comes from the page: it has the cookie and no token of its own."""
        return self.cookie in cookies and not user_jwt and not headers.get(self._header)

    async def anyone(self, cookies: Mapping[str, str], headers: Mapping[str, str], user_jwt: str = "") -> Principal:
        """The person, by token first; raises `Unauthenticated` for nobody."""
        person = await self.program(headers, user_jwt) or await self.browser(cookies)
        if person is None:
            raise Unauthenticated("nobody")
        return person
