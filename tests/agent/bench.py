"""A turn in progress with everything around it that approvals need, on a real database."""

import base64
import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from agent.approvals import Approvals, Decision
from agent.countersigned import ApprovedToolset
from agent.identity import Principal
from agent.keys import KeyRing
from agent.leases import Lease
from store import approvals as rows
from store import audit, conversations, leases, turns
from store.approvals import Approval, Decided
from store.messages import Content
from store.pool import Pool
from store.turns import Request, Turn
from tests.agent.shelf import Shelf, ShelfToolset
from tools.toolset import Call, Effect, Role, ToolResult

KEYS = KeyRing("k1:" + base64.b64encode(bytes(range(32))).decode())
NEXT_KEYS = KeyRing("k2:" + base64.b64encode(bytes(range(50, 90))).decode())
BOTH_KEYS = KeyRing(f"{NEXT_KEYS.spec},{KEYS.spec}")
TENANT, ANN, BOB = "acme", "https://issuer|ann", "https://issuer|bob"


def principal(subject: str = ANN, tenant: str = TENANT, role: Role = Role.EDITOR, minutes: float = 1440) -> Principal:
    """A signed-in person, for longer than any run of the tests takes: some are made when a module is imported."""
    name = subject.rpartition("|")[2].title()
    return Principal(tenant, subject, name, role, f"jwt-of-{name}", datetime.now(UTC) + timedelta(minutes=minutes))


class Bench:
    """One running turn of Ann, a shelf with one thing, and the approvals around it."""

    def __init__(self, pool: Pool, turn: Turn, keys: KeyRing = KEYS, minutes: float = 15):
        self.pool = pool
        self.turn = turn
        self.lease = Lease(turn.id, turn.fence, float("inf"))
        self.shelf = Shelf()
        self.shelf.put("d-1", "Sales")
        self.toolset = ShelfToolset(self.shelf)
        self.minutes = minutes
        self.use_keys(keys)

    @classmethod
    async def open(cls, pool: Pool, **options: Any) -> "Bench":
        """A bench with a turn that was just claimed."""
        async with pool.connection() as connection:
            place = await conversations.create(connection, TENANT, ANN)
        return cls(pool, await running(pool, place.id), **options)

    def use_keys(self, keys: KeyRing) -> None:
        """Go on as a process with these keys."""
        self.approvals = Approvals(pool=self.pool, keys=keys, toolset=self.toolset, minutes=self.minutes)
        self.gate = ApprovedToolset(
            self.toolset,
            pool=self.pool,
            approvals=self.approvals,
            lease=self.lease,
            asks=lambda spec: spec.effect is Effect.DANGER,
        )

    async def take_over(self) -> None:
        """Another worker claims the turn, as after the death of this one."""
        async with self.pool.connection() as connection:
            await leases.release(connection, self.lease)
            turn = await leases.claim(connection, "next", seconds=300, run_seconds=600, turn_id=self.turn.id)
        assert turn is not None
        self.turn, self.lease = turn, Lease(turn.id, turn.fence, float("inf"))
        self.use_keys(self.approvals._keys)

    def call(self, key: str = "ai-1:c1", who: Principal | None = None) -> Call:
        """A call of this turn."""
        who = who or principal()
        return Call(
            user_jwt=who.user_jwt,
            tenant=who.tenant,
            subject=who.subject,
            role=who.role,
            lang="en",
            conversation_id=str(self.turn.conversation_id),
            turn_id=str(self.turn.id),
            key=key,
            idempotency_key=f"tc-{key}",
        )

    async def ask(self, thing: str = "d-1", tool: str = "delete_thing", key: str = "ai-1:c1", **args: Any) -> Approval:
        """A pending card for a call."""
        row = await self.approvals.ask(self.lease, self.call(key), f"{key}#1", tool, {"thing": thing, **args})
        assert isinstance(row, Approval), row
        return row

    async def decide(self, row: Approval, how: Any = "approve", who: Principal | None = None, **changes: Any):
        """Decide on the card as it was seen."""
        decision = Decision(str(row.id), how, row.card_sha256.hex(), **changes)
        async with self.pool.connection() as connection, connection.transaction():
            return await self.approvals.decide(connection, who or principal(), decision)

    async def edit(self, row: Approval, who: Principal | None = None, **args: Any) -> Decided:
        """Replace the card as it was seen by one for other arguments."""
        decision = Decision(str(row.id), "edit", row.card_sha256.hex(), args=args)
        call, who = self.call(), who or principal()
        proposal = await self.approvals.revise(call, who, decision)
        async with self.pool.connection() as connection, connection.transaction():
            return await self.approvals.edit(connection, call, who, decision, proposal)

    async def approved(self, **options: Any) -> Approval:
        """A card that Ann approved."""
        row = await self.ask(**options)
        decided = await self.decide(row)
        assert decided.won
        return decided.approval

    async def run(self, row: Approval, key: str = "ai-1:c1", who: Principal | None = None, **args: Any) -> ToolResult:
        """Execute the call as the graph would."""
        held = {"thing": "d-1", **args}
        return await self.gate.call_approved(str(row.id), row.tool, held, self.call(key, who))

    async def row(self, approval_id: UUID) -> Approval:
        """The approval as it is now."""
        async with self.pool.connection() as connection:
            found = await rows.get(connection, TENANT, ANN, approval_id)
        assert found is not None
        return found

    async def kinds(self, limit: int = 100) -> list[str]:
        """Kinds of the audit entries, oldest first."""
        async with self.pool.connection() as connection:
            links = await audit.page(connection, TENANT, audit.Filter(), limit=limit)
        return [link.kind for link in reversed(links)]

    async def sql(self, query: str, *values: Any) -> None:
        """What somebody with a hand in the database would do."""
        async with self.pool.connection() as connection:
            await connection.execute(query, values)  # type: ignore[arg-type]


async def running(pool: Pool, conversation_id: UUID, client_turn_id: str = "t1", owner: str = ANN) -> Turn:
    """A turn that a worker holds."""
    text = "hello"
    content = Content([{"role": "user", "content": text}], text)
    request = Request(TENANT, owner, conversation_id, client_turn_id, hashlib.sha256(text.encode()).digest(), content)
    async with pool.connection() as connection:
        accepted = await turns.accept(connection, request)
        turn = await leases.claim(connection, "worker", seconds=300, run_seconds=600, turn_id=accepted.turn.id)
    assert turn is not None
    return turn


def other_tenant() -> Principal:
    """Ann's namesake in another tenant."""
    return replace(principal(), tenant="other")
