"""The person's token beside a turn: sealed, short-lived, so that another process can finish what this one began."""

import json
from datetime import UTC, datetime
from uuid import UUID

from agent.identity import Principal
from agent.keys import KeyRing, Unsealable
from store import credentials as rows
from store.pool import Connection
from store.turns import Turn
from tools.toolset import Role

PURPOSE = "user-token-seal"


class Credentials:
    """Keeps tokens by turn. `spare` is how many seconds a token must still be good for to be worth using."""

    def __init__(self, keys: KeyRing, spare: float = 30.0):
        self._keys = keys
        self._spare = spare

    async def keep(self, connection: Connection, turn_id: UUID, principal: Principal) -> None:
        """Seal the person's token for this turn; it replaces an older one."""
        sealed = self._keys.seal(PURPOSE, _packed(principal), _bound(turn_id, principal.tenant, principal.subject))
        seconds = (principal.expires_at - datetime.now(UTC)).total_seconds()
        await rows.put(connection, turn_id, sealed, seconds)

    async def of(self, connection: Connection, turn: Turn) -> Principal | None:
        """Whose turn this is, with a token that is still good; None when the person has to come back first."""
        sealed = await rows.get(connection, turn.id)
        if sealed is None:
            return None
        try:
            plain = self._keys.unseal(PURPOSE, sealed, _bound(turn.id, turn.tenant, turn.owner))
        except Unsealable:
            return None
        principal = _unpacked(plain, turn)
        return principal if self.good(principal) else None

    def good(self, principal: Principal) -> bool:
        """Whether the token outlives the next call."""
        return (principal.expires_at - datetime.now(UTC)).total_seconds() > self._spare


def _bound(turn_id: UUID, tenant: str, subject: str) -> str:
    return json.dumps([str(turn_id), tenant, subject])


def _packed(principal: Principal) -> str:
    return json.dumps([principal.user_jwt, principal.name, principal.role, principal.expires_at.timestamp()])


def _unpacked(plain: str, turn: Turn) -> Principal:
    user_jwt, name, role, expires = json.loads(plain)
    return Principal(turn.tenant, turn.owner, name, Role(role), user_jwt, datetime.fromtimestamp(expires, UTC))
