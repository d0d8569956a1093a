"""Random lives of approvals: whatever happens in whatever order, an effect needs its approval and happens once."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from uuid import UUID

import pytest
import rfc8785
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from psycopg.errors import UniqueViolation

from agent.approvals import Decision
from store import approvals as rows
from store import reaper, verify
from store.approvals import Approval
from store.errors import LostLease, NotFound
from store.pool import open_pool
from tests.agent.bench import BOB, BOTH_KEYS, KEYS, NEXT_KEYS, Bench, other_tenant, principal
from tools.toolset import ToolResult

THINGS = ("d-1", "d-2", "d-3")


@dataclass
class Known:
    """What the machine knows of one card."""

    row: Approval
    key: str
    thing: str
    kid: str
    born_dead: bool = False
    expected: str = "pending"
    spoiled: bool = False
    decided_kid: str | None = None


class ApprovalMachine(RuleBasedStateMachine):
    """One turn; `url` and `loop` are set by the test."""

    url: str
    cards = Bundle("cards")

    def __init__(self):
        super().__init__()
        self.runner = asyncio.Runner()
        self.pool = self.run(open_pool(self.url, max_size=3))
        self.bench = self.run(Bench.open(self.pool))
        for thing in THINGS:
            self.bench.shelf.put(thing)
        self.keys = KEYS
        self.known: dict[UUID, Known] = {}
        self.count = 0

    def run(self, work):
        """Run to its end in the machine's event loop."""
        return self.runner.run(work)

    @rule(target=cards, thing=st.sampled_from(THINGS), dead=st.integers(0, 4))
    def ask(self, thing, dead):
        """Put a call before the person; one in five cards is over at once."""
        self.count += 1
        key = f"ai-{self.count}:c1"
        if thing not in self.bench.shelf.things:
            self.bench.shelf.put(thing)
        self.bench.minutes = 0 if dead == 0 else 15
        self.bench.use_keys(self.keys)
        asked = self.run(
            self.bench.approvals.ask(
                self.bench.lease, self.bench.call(key), f"{key}#1", "delete_thing", {"thing": thing}
            )
        )
        if isinstance(asked, ToolResult):
            assert asked.problem.code in ("denied_before", "too_many_pending")
            asked = (
                self.run(self.bench.ask(thing, tool="wipe_thing", key=key))
                if asked.problem.code == "denied_before"
                else None
            )
        if not isinstance(asked, Approval):
            return None
        self.known[asked.id] = Known(asked, key, thing, self.keys.kid, dead == 0)
        return asked.id

    def trusted(self, card: Known) -> bool:
        """Whether the key that signed the card is still in the ring."""
        return f"{card.kid}:" in self.keys.spec

    @rule(card=cards, how=st.sampled_from(["approve", "deny"]), seen=st.booleans())
    def decide(self, card, how, seen):
        """Decide, now and then on a card that looked otherwise."""
        if card is None:
            return
        known = self.known[card]
        sha = known.row.card_sha256.hex() if seen else "00" * 32
        decision = Decision(str(card), how, sha)
        decided = self.run(self._decide(decision))
        if known.expected == "pending" and not known.spoiled:
            if known.born_dead or (how == "approve" and not self.trusted(known)):
                known.expected = "expired"
            elif seen:
                known.expected = "approved" if how == "approve" else "denied"
                known.decided_kid = self.keys.kid
        if not known.spoiled:
            assert decided.approval.state == known.expected

    async def _decide(self, decision, who=None):
        async with self.pool.connection() as connection, connection.transaction():
            return await self.bench.approvals.decide(connection, who or principal(), decision)

    @rule(card=cards, thief=st.sampled_from([principal(BOB), other_tenant()]))
    def steal(self, card, thief):
        """Somebody else finds nothing, to decide or to run."""
        if card is None:
            return
        with pytest.raises(NotFound):
            self.run(self._decide(Decision(str(card), "approve", self.known[card].row.card_sha256.hex()), thief))
        result = self.run(
            self.bench.run(self.known[card].row, self.known[card].key, thief, thing=self.known[card].thing)
        )
        assert not result.ok

    @rule(target=cards, card=cards, thing=st.sampled_from(THINGS))
    def edit(self, card, thing):
        """Replace a card by one for another thing."""
        known = self.known.get(card)
        if known is None or known.spoiled or thing not in self.bench.shelf.things:
            return None
        self.bench.minutes = 15
        self.bench.use_keys(self.keys)
        decided = self.run(self.bench.edit(known.row, thing=thing))
        if not decided.won:
            if known.expected == "pending":
                assert known.born_dead or not self.trusted(known)
                known.expected = "expired"
            return None
        assert known.expected == "pending"
        assert not known.born_dead
        assert self.trusted(known)
        known.expected = "superseded"
        new = decided.approval
        self.known[new.id] = Known(new, known.key, known.thing, self.keys.kid)
        return new.id

    @rule()
    def supersede(self):
        """The graph waits for none of the open cards any more."""
        self.run(self._supersede())
        for known in self.known.values():
            if known.expected == "pending" and not known.spoiled:
                known.expected = "superseded"

    async def _supersede(self):
        async with self.pool.connection() as connection:
            await rows.supersede_others(connection, self.bench.lease, [])

    @rule(keys=st.sampled_from([KEYS, BOTH_KEYS, NEXT_KEYS]))
    def rotate(self, keys):
        """Go on with other keys."""
        self.keys = keys
        self.bench.use_keys(keys)

    @rule()
    def restart(self):
        """The worker dies; another takes the turn over, and what the dead one still tries is refused."""
        dead = self.bench.gate
        lost = [known for known in self.known.values() if known.expected == "approved" and not known.spoiled]
        self.run(self.bench.take_over())
        for known in lost[:1]:
            with pytest.raises(LostLease):
                self.run(self._send(dead, known))

    async def _send(self, gate, known):
        args = {"thing": self.first_thing(known)}
        return await gate.call_approved(str(known.row.id), "delete_thing", args, self.bench.call(known.key))

    @rule(card=cards)
    def expire(self, card):
        """The card's time runs out. Only a card that is made with less time has less, so the clock is moved."""
        known = self.known.get(card)
        if known is None or known.spoiled or known.expected != "pending":
            return
        self.run(self._expire(card))
        known.expected = "expired"

    async def _expire(self, card):
        async with self.pool.connection() as connection, connection.transaction():
            times = await connection.execute("select expires_at from approvals where id = %s", (card,))
            [row] = await times.fetchall()
            await connection.execute("update approvals set expires_at = clock_timestamp() where id = %s", (card,))
            await reaper.reap(connection, {"en": {}, "ru": {}})
            query = "update approvals set expires_at = %s where id = %s"
            await connection.execute(query, (row["expires_at"], card))

    @rule(card=cards, crash=st.booleans(), other=st.booleans())
    def execute(self, card, crash, other):
        """Run the call, perhaps with other arguments, perhaps dying before the result is stored."""
        if card is None:
            return
        known = self.known[card]
        thing = "d-9" if other else self.first_thing(known)
        before = len(self.bench.shelf.effects)
        result = self.run(self.bench.run(known.row, known.key, thing=thing))
        if len(self.bench.shelf.effects) > before:
            assert known.expected == "approved"
            assert not known.spoiled
            assert not other
            assert self.trusted(known)
        if result.ok and crash:
            self.run(self.bench.sql("update approvals set result = null where id = %s", card))
            assert self.run(self.bench.run(known.row, known.key, thing=thing)).ok
        if known.expected == "approved":
            known.expected = "consumed" if result.ok else "failed"

    def first_thing(self, known: Known) -> str:
        """The thing of the call as the model made it; an edit does not change the state."""
        return known.thing

    @rule(thing=st.sampled_from(THINGS))
    def change(self, thing):
        """Somebody else changes the thing."""
        revision = self.bench.shelf.things.get(thing, {"rev": 0})["rev"]
        self.bench.shelf.put(thing, rev=revision + 1)

    @rule(card=cards, how=st.sampled_from(["state", "args", "etag"]))
    def tamper(self, card, how):
        """Somebody with a hand in the database."""
        if card is None:
            return
        known = self.known[card]
        if known.expected in ("consumed", "failed"):
            return
        change = {
            "state": "state = 'approved', decided_by = owner",
            "args": 'args_jcs = \'{"thing":"d-3"}\', etag = null',
            "etag": "etag = '\"999\"'",
        }[how]
        if how == "state" and known.expected == "approved":
            return
        try:
            self.run(self.bench.sql(f"update approvals set {change} where id = %s and state <> 'consumed'", card))
            known.spoiled = True
        except UniqueViolation:
            assert how == "state", "another version of the call is open"

    @invariant()
    def one_effect_for_each_consumed_approval(self):
        """Effects and approvals tell the same story."""
        times = Counter(effect.idempotency_key for effect in self.bench.shelf.effects)
        assert all(count == 1 for count in times.values())
        stored = {f"ap-{row.id}": row for row in self.run(self._rows())}
        for effect in self.bench.shelf.effects:
            row, known = stored[effect.idempotency_key], self.known[UUID(effect.idempotency_key[3:])]
            assert row.state == "consumed"
            assert known.expected in ("approved", "consumed")
            assert (effect.subject, effect.if_match) == (known.row.owner, known.row.etag)
            assert rfc8785.dumps(effect.args) == known.row.args_jcs == row.args_jcs
            assert (row.decided_by, row.card_sha256) == (row.owner, known.row.card_sha256)
        for key, row in stored.items():
            if row.state == "consumed" and row.result and row.result["ok"]:
                assert times[key] == 1

    async def _rows(self):
        async with self.pool.connection() as connection:
            return await rows.of_turn(connection, self.bench.turn.id)

    def teardown(self):
        """The audit chain is whole. What waits is put away: another life must not find it in its way."""
        reports = self.run(self._verify())
        self.run(self.bench.sql("update approvals set state = 'superseded' where state in ('pending', 'approved')"))
        self.run(self.pool.close())
        self.runner.close()
        assert all(not report.problems for report in reports)

    async def _verify(self):
        async with self.pool.connection() as connection:
            return await verify.verify(connection)


def explore(url: str, examples: int) -> None:
    """Run the machine on a database."""
    machine = type("Machine", (ApprovalMachine,), {"url": url})
    profile = settings(
        max_examples=examples,
        stateful_step_count=14,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    run_state_machine_as_test(machine, settings=profile)


@pytest.mark.timeout(600)
def test_two_hundred_random_lives(database_url):
    explore(database_url, 200)


@pytest.mark.long
@pytest.mark.timeout(6000)
def test_two_thousand_random_lives(database_url):
    explore(database_url, 2000)
