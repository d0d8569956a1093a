"""Cards that end although nobody decided on them: their time is over, or something else took their place."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol
from uuid import UUID

from store import audit
from store.pool import Connection

Why = Literal["time", "signature", "new_words", "stopped", "turn_ended", "given_up", "withdrawn"]


class Ended(Protocol):
    """An approval in the state in which it ended."""

    @property
    def id(self) -> UUID: ...
    @property
    def tenant(self) -> str: ...
    @property
    def owner(self) -> str: ...
    @property
    def conversation_id(self) -> UUID: ...
    @property
    def turn_id(self) -> UUID: ...
    @property
    def tool(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def card_sha256(self) -> bytes: ...


async def on_record(connection: Connection, ended: Mapping[Why, Sequence[Ended]]) -> None:
    """Write down the end of each card, in the transaction that ended them and as the last thing in it.

    Chains are taken in the order of their tenants, so that two who end cards of several tenants never wait for each
    other.
    """
    ends: list[tuple[Ended, Why]] = [(card, why) for why, cards in ended.items() for card in cards]
    for card, why in sorted(ends, key=lambda end: (end[0].tenant, end[0].turn_id, end[0].id)):
        await audit.append(connection, _entry(card, why))


def _entry(card: Ended, why: Why) -> audit.Entry:
    """The actor is the card's owner, for whom the agent had asked: nobody else acted."""
    return audit.Entry(
        tenant=card.tenant,
        kind=card.state,
        actor=card.owner,
        owner=card.owner,
        conversation_id=card.conversation_id,
        turn_id=card.turn_id,
        approval_id=card.id,
        tool=card.tool,
        data={"why": why, "version": card.version, "card_sha256": card.card_sha256.hex()},
    )
