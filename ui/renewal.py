"""People stay signed in where we can get tokens for them ourselves: those live for minutes, a visit lasts for hours."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta

from agent.identity import Principal, Unauthenticated
from agent.tokens import PersonTokens
from ui.options import Authority, AuthorityDown, DemoPerson, WrongPassword
from ui.sessions import Sessions
from ui.visitors import Verifier

EARLY = timedelta(minutes=5)
Fresh = Callable[[Principal], Awaitable[Principal | None]]


class Renewal:
    """Finds people as `Sessions` does, and gets a new token for them before the old one ends."""

    def __init__(
        self,
        sessions: Sessions,
        fresh: Fresh,
        mode: str,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ):
        self._sessions = sessions
        self._fresh = fresh
        self._mode = mode
        self._clock = clock

    async def find(self, handle: str) -> Principal | None:
        """The person behind a handle, with a token that still holds; None when there is none to be had."""
        person = await self._sessions.find(handle)
        if person is None or person.expires_at - self._clock() > EARLY:
            return person
        fresh = await self._fresh(person)
        if fresh is not None and (fresh.tenant, fresh.subject) == (person.tenant, person.subject):
            return fresh if await self._sessions.renew(handle, fresh, self._mode) else None
        return person if person.expires_at > self._clock() else None


def of_the_demo(authority: Authority, verifier: Verifier, people: Mapping[str, DemoPerson]) -> Fresh:
    """New tokens for the demo's people, whose passwords we know."""

    async def fresh(person: Principal) -> Principal | None:
        known = people.get(person.subject.rpartition("|")[2])
        if known is None:
            return None
        try:
            return await verifier.verify(await authority.token(known.username, known.password))
        except (AuthorityDown, WrongPassword, Unauthenticated):
            return None

    return fresh


def of_our_own(tokens: PersonTokens) -> Fresh:
    """New tokens where we make them."""

    async def fresh(person: Principal) -> Principal | None:
        return tokens.given(person)

    return fresh
