"""The demo's people stay signed in: their tokens live for minutes, a visit lasts for hours."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from agent.identity import Principal, Unauthenticated
from ui.options import Authority, AuthorityDown, DemoPerson, WrongPassword
from ui.sessions import Sessions
from ui.visitors import Verifier

EARLY = timedelta(minutes=5)


class Renewal:
    """Finds people as `Sessions` does, and gets a new token for them before the old one ends."""

    def __init__(
        self,
        sessions: Sessions,
        authority: Authority,
        verifier: Verifier,
        people: Mapping[str, DemoPerson],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ):
        self._sessions = sessions
        self._authority = authority
        self._verifier = verifier
        self._people = people
        self._clock = clock

    async def find(self, handle: str) -> Principal | None:
        """The person behind a handle, with a token that still holds; None when there is none to be had."""
        person = await self._sessions.find(handle)
        if person is None or person.expires_at - self._clock() > EARLY:
            return person
        fresh = await self._fresh(person)
        if fresh is not None:
            await self._sessions.renew(handle, fresh, "demo")
            return fresh
        return person if person.expires_at > self._clock() else None

    async def _fresh(self, person: Principal) -> Principal | None:
        known = self._people.get(person.subject.rpartition("|")[2])
        if known is None:
            return None
        try:
            fresh = await self._verifier.verify(await self._authority.token(known.username, known.password))
        except (AuthorityDown, WrongPassword, Unauthenticated):
            return None
        return fresh if (fresh.tenant, fresh.subject) == (person.tenant, person.subject) else None
