"""Forged, replayed, edited and late decisions: the right status, an audit row, and the backend hears nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import pytest

from agent.approvals import Decision, binding_of
from agent.binding import PURPOSE
from agent.refused import Refused
from store import audit
from tests.agent.assembly import ANN, House, cards, line
from tests.agent.bench import BOB, KEYS, NEXT_KEYS, Bench, other_tenant, principal

DELETE = ("delete_thing", {"thing": "d-1"})
SOMEWHERE = "0b8e1c2a-5d0f-4c57-9c38-6f2f3f0f7a11"


@dataclass
class Scene:
    """A card of Ann that waits, in a house that a forger has come to."""

    house: House
    card: dict

    @property
    def decision(self) -> Decision:
        """What Ann would send to approve it."""
        return Decision(self.card["id"], "approve", self.card["card_sha256"])

    async def send(self, **changes) -> None:
        """Decide as Ann, but for what is changed."""
        who = changes.pop("who", ANN)
        await self.house.turns.decide(who, replace(self.decision, **changes))

    async def sql(self, query: str) -> None:
        """What somebody with a hand in the database would do."""
        async with self.house.pool.connection() as connection:
            await connection.execute(query)  # type: ignore[arg-type]

    async def changed(self, query: str) -> None:
        """Decide on a card that was changed under our hands."""
        await self.sql(f"update approvals set {query}")
        await self.send()

    async def after(self, *before: Decision) -> None:
        """Approve once more after other decisions."""
        for decision in before:
            await self.house.turns.decide(ANN, decision)
        await self.send()

    async def with_keys(self, keys) -> None:
        """Decide in a house with other keys."""
        self.house.turns._approvals._keys = keys
        await self.send()

    async def elsewhere(self) -> None:
        """Decide as if the card had been seen in another conversation of the same person."""
        other = await self.house.turns.create(ANN)
        await self.send(conversation_id=other.id)


@pytest.fixture
async def scene(house: House) -> Scene:
    house.shelf.put("d-1")
    house.shelf.put("d-2")
    _, parts = await house.tell("delete", line("", DELETE), line("Ended."))
    return Scene(house, cards(parts)[0]["metadata"]["approval"])


Forge = Callable[[Scene], Awaitable[None]]
NOT_FOUND, STALE, DECIDED = (404, "not_found"), (409, "stale_card"), (409, "already_decided")
UNFIT, EXPIRED = (422, "unknown_fields"), (410, "expired")
FORGERIES: dict[str, tuple[Forge, tuple[int, str]]] = {
    "forged id": (lambda s: s.send(approval_id=SOMEWHERE), NOT_FOUND),
    "no id": (lambda s: s.send(approval_id="x\0"), NOT_FOUND),
    "other user": (lambda s: s.send(who=principal(BOB)), NOT_FOUND),
    "other tenant": (lambda s: s.send(who=other_tenant()), NOT_FOUND),
    "other conversation": (lambda s: s.elsewhere(), NOT_FOUND),
    "no conversation": (lambda s: s.send(conversation_id=""), NOT_FOUND),
    "other card": (lambda s: s.send(card_sha256="00" * 32), STALE),
    "no hash": (lambda s: s.send(card_sha256="\ud800"), STALE),
    "another tool": (lambda s: s.send(decision="edit", args={"tool": "wipe_thing", "thing": "d-1"}), UNFIT),
    "after a denial": (lambda s: s.after(replace(s.decision, decision="deny")), DECIDED),
    "after an edit": (lambda s: s.after(replace(s.decision, decision="edit", args={"thing": "d-2"})), DECIDED),
    "retired key": (lambda s: s.with_keys(NEXT_KEYS), EXPIRED),
    "other arguments": (lambda s: s.changed('args_jcs = \'{"thing":"d-2"}\''), EXPIRED),
    "other tool": (lambda s: s.changed("tool = 'wipe_thing'"), EXPIRED),
    "other words": (lambda s: s.changed('card = card || \'{"title": "Read"}\''), EXPIRED),
    "more time": (lambda s: s.changed("expires_at = expires_at + interval '1 day'"), EXPIRED),
    "other revision": (lambda s: s.changed("etag = '\"2\"'"), EXPIRED),
}


async def refusals(scene: Scene, tenant: str = ANN.tenant) -> list[tuple[str, str, str]]:
    """Why, who tried, and whose list it is in, of every refusal on record."""
    async with scene.house.pool.connection() as connection:
        links = await audit.page(connection, tenant, audit.Filter(kind="refused"))
    return [(link.data["why"], link.actor, link.owner) for link in links]


@pytest.mark.parametrize("name", FORGERIES)
async def test_forged_decision_is_refused_on_record_and_calls_nothing(scene, name):
    forge, (status, code) = FORGERIES[name]
    with pytest.raises(Refused) as caught:
        await forge(scene)
    assert (caught.value.status, caught.value.code) == (status, code)
    assert scene.house.shelf.effects == []
    assert scene.house.shelf.calls["delete_thing"] == scene.house.shelf.calls["wipe_thing"] == 0
    actor = BOB if name == "other user" else ANN.subject
    why = "signature" if code == "expired" else code
    assert await refusals(scene, "other" if name == "other tenant" else ANN.tenant) == [(why, actor, actor)]


@pytest.mark.parametrize("args", [{"thing": ""}, {}, {"thing": 7}, {"thing": "d\ud800"}, {"thing": "d\0"}])
async def test_a_slip_in_the_form_is_told_to_the_person_and_is_no_forgery(scene, args):
    with pytest.raises(Refused) as caught:
        await scene.send(decision="edit", args=args)
    assert (caught.value.status, caught.value.code) == (422, "invalid_arguments")
    assert caught.value.errors
    assert await refusals(scene) == []
    await scene.send()


async def test_fields_that_no_form_has_are_named_without_what_they_hide(scene):
    with pytest.raises(Refused) as caught:
        await scene.send(decision="edit", args={"thing": "d-1", "to\u202eol{x}": "wipe_thing", "z" * 900: 1})
    assert "to\u202eol" not in caught.value.text
    assert len(caught.value.text) < 300


async def test_decision_that_comes_too_late_is_refused_on_record(house):
    house.shelf.put("d-1")
    house.turns._approvals._minutes = 0
    ref, parts = await house.tell("delete", line("", DELETE), line("Nobody signed."))
    late = Scene(house, cards(parts)[0]["metadata"]["approval"])
    with pytest.raises(Refused) as caught:
        await late.send()
    assert (caught.value.status, caught.value.code) == (410, "expired")
    assert await refusals(late) == [("expired", ANN.subject, ANN.subject)]
    await house.follow(ref)
    assert house.shelf.calls["delete_thing"] == 0


async def test_a_refused_decision_leaves_the_card_to_its_person(scene):
    for name in ("forged id", "other user", "other tenant", "other conversation", "other card", "another tool"):
        with pytest.raises(Refused):
            await FORGERIES[name][0](scene)
    await scene.send()
    async with scene.house.pool.connection() as connection:
        decided = await audit.page(connection, ANN.tenant, audit.Filter(kind="decided"))
    assert [link.data["decision"] for link in decided] == ["approved"]


async def test_replayed_approval_acts_once(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete", line("", DELETE), line("Gone."))
    for _ in range(3):
        await house.decide(cards(parts)[0])
    await house.follow(ref)
    await house.decide(cards(parts)[0])
    assert len(house.shelf.effects) == 1


async def test_key_rotates_while_a_card_waits_in_another_process(house):
    house.shelf.put("d-1")
    ref, parts = await house.tell("delete", line("", DELETE), line("Gone."))
    house.turns._approvals._keys = type(KEYS)(f"{NEXT_KEYS.spec},{KEYS.spec}")
    assert (await house.decide(cards(parts)[0])).state == "approved"
    await house.follow(ref)
    assert len(house.shelf.effects) == 1


BYTES = ("tool_sha256", "args_jcs", "card_sha256", "nonce", "sig", "decision_sig")
TEXTS = ("tenant", "owner", "call_key", "tool", "etag", "kid")


async def test_a_byte_flipped_anywhere_in_the_row_is_refused_before_the_backend(pool):
    bench = await Bench.open(pool)
    row = await bench.approved()
    flips = [
        (f"{c} = set_byte({c}, {i}, get_byte({c}, {i}) # 1)", c) for c in BYTES for i in range(len(getattr(row, c)))
    ]
    flips += [
        (f"{c} = overlay({c} placing chr(ascii(substr({c}, {i})) # 1) from {i})", c)
        for c in TEXTS
        for i in range(1, len(getattr(row, c)) + 1)
    ]
    assert len(flips) == 32 + 15 + 32 + 16 + 32 + 35 + len('acmehttps://issuer|annai-1:c1#1delete_thing"1"k1')
    for change, column in flips:
        await bench.sql(f"update approvals set {change}")
        result = await bench.run(row)
        assert result.problem.code in REFUSALS[column], change
        await bench.sql(f"update approvals set {change}, state = 'approved', result = null")
    assert bench.shelf.calls["delete_thing"] == 0
    kinds = await bench.kinds(limit=1000)
    assert kinds[3:] == ["refused"] * len(flips)
    assert (await bench.run(row)).ok, "the row as it was is good"


REFUSALS = {
    **dict.fromkeys((*BYTES, "etag", "kid"), ("approval_signature",)),
    "tenant": ("approval_unknown",),
    "owner": ("approval_unknown",),
    "tool": ("approval_other_call",),
    "call_key": ("approval_other_call", "approval_signature"),
}


async def test_a_byte_flipped_anywhere_in_the_signed_bytes_or_the_signature_voids_it(pool):
    bench = await Bench.open(pool)
    row = await bench.ask()
    message = binding_of(row).message(row.kid)
    assert KEYS.verify(PURPOSE, row.kid, message, row.sig)
    for place in range(len(message)):
        assert not KEYS.verify(PURPOSE, row.kid, _flipped(message, place), row.sig)
    for place in range(len(row.sig)):
        assert not KEYS.verify(PURPOSE, row.kid, message, _flipped(row.sig, place))


def _flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
