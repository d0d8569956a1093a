"""The key ring: purposes apart, rotation, seals, refusal of weak secrets."""

import base64
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agent.keys import BadSecrets, KeyRing, Unsealable

OLD = "k1:" + base64.b64encode(bytes(range(32))).decode()
NEW = "k2:" + base64.b64encode(bytes(range(100, 140))).decode()


def test_signature_holds_for_its_purpose_only():
    ring = KeyRing(OLD)
    kid, signature = ring.sign("tool-approval", b"data")
    assert ring.verify("tool-approval", kid, b"data", signature)
    assert not ring.verify("session-handle", kid, b"data", signature)
    assert not ring.verify("tool-approval", kid, b"datA", signature)


def test_rotation_signs_with_the_first_and_verifies_with_all():
    kid, signature = KeyRing(OLD).sign("p", b"x")
    both = KeyRing(f"{NEW},{OLD}")
    assert both.verify("p", kid, b"x", signature)
    assert both.sign("p", b"x")[0] == "k2"
    assert not KeyRing(NEW).verify("p", kid, b"x", signature)


def test_relabelled_key_id_does_not_verify():
    both = KeyRing(f"{NEW},{OLD}")
    _, signature = both.sign("p", b"x")
    assert not both.verify("p", "k1", b"x", signature)


def test_seal_opens_only_where_it_belongs():
    ring = KeyRing(OLD)
    sealed = ring.seal("user-token", "token", "turn-1|anna")
    assert ring.unseal("user-token", sealed, "turn-1|anna") == "token"
    assert b"token" not in sealed
    for purpose, bound_to in (("user-token", "turn-2|anna"), ("session", "turn-1|anna")):
        with pytest.raises(Unsealable):
            ring.unseal(purpose, sealed, bound_to)


def test_every_flipped_byte_of_a_seal_is_found():
    ring = KeyRing(OLD)
    sealed = ring.seal("p", "token", "a")
    for place in range(len(sealed)):
        flipped = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(Unsealable):
            ring.unseal("p", flipped, "a")


def test_retired_key_opens_nothing():
    with pytest.raises(Unsealable):
        KeyRing(NEW).unseal("p", KeyRing(OLD).seal("p", "token", "a"), "a")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("", "must look like"),
        ("k1", "must look like"),
        (f"{OLD},{OLD}", "different key ids"),
        ("k1:???", "not base64"),
        ("k1:" + base64.b64encode(b"x" * 31).decode(), "31 bytes"),
        ("k1:" + base64.b64encode(b"changeme-changeme-changeme-changeme").decode(), "placeholder"),
        ("k1:" + base64.b64encode(bytes(32)).decode(), "placeholder"),
    ],
)
def test_weak_secrets_are_refused_with_a_hint(spec, why):
    with pytest.raises(BadSecrets, match=why):
        KeyRing(spec)


def test_ring_is_made_once_and_kept_private(tmp_path):
    path = tmp_path / "data" / "secrets"
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: KeyRing.load_or_create(path), range(16)))
    assert len({ring.spec for ring in rings}) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["secrets"]


def test_loose_mode_is_tightened(tmp_path):
    path = tmp_path / "secrets"
    path.write_text(OLD)
    path.chmod(0o644)
    assert KeyRing.load_or_create(path).kid == "k1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_service_key_is_the_same_on_every_replica():
    def public(ring: KeyRing) -> bytes:
        return ring.service_private_key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    assert public(KeyRing(OLD)) == public(KeyRing(OLD)) != public(KeyRing(NEW))


def test_repr_shows_no_secret():
    assert OLD[3:] not in repr(KeyRing(OLD))
