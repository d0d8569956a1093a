"""The service token: short, typed, bound to one user token, from the two kinds of key that are allowed."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc import jwt
from joserfc.errors import BadSignatureError
from joserfc.jwk import ECKey, KeySet, OKPKey

from tools.identity import ServiceIdentity, user_token_hash

KEYS = {"ES256": ec.generate_private_key(ec.SECP256R1()), "Ed25519": ed25519.Ed25519PrivateKey.generate()}


def pem_of(key) -> bytes:
    """PKCS 8, as `openssl genpkey` writes it."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize("algorithm", list(KEYS))
def test_a_token_verifies_against_the_published_keys(algorithm: str) -> None:
    identity = ServiceIdentity.from_pem(pem_of(KEYS[algorithm]), issuer="agent", audience="api", clock=lambda: 1_000.9)
    published = KeySet.import_key_set(identity.jwks())
    token = jwt.decode(identity.token("user.jwt.here"), published, algorithms=[algorithm])
    assert token.header == {"alg": algorithm, "typ": "svc+jwt", "kid": identity.jwks()["keys"][0]["kid"]}
    claims = token.claims
    assert (claims["iss"], claims["aud"], claims["iat"], claims["exp"]) == ("agent", "api", 1_000, 1_060)
    assert claims["uth"] == user_token_hash("user.jwt.here")
    assert "user.jwt.here" not in str(claims)


@pytest.mark.parametrize("algorithm", list(KEYS))
def test_only_the_public_half_is_published(algorithm: str) -> None:
    published = ServiceIdentity.from_pem(pem_of(KEYS[algorithm])).jwks()["keys"][0]
    assert "d" not in published
    assert (published["use"], published["alg"]) == ("sig", algorithm)


def test_each_token_is_its_own_and_fits_one_user_token() -> None:
    identity = ServiceIdentity.from_pem(pem_of(KEYS["ES256"]))
    first, second = identity.token("a.b.c"), identity.token("a.b.c")
    assert first != second
    assert user_token_hash("a.b.c") != user_token_hash("a.b.d")


def test_another_key_does_not_verify() -> None:
    token = ServiceIdentity(ECKey.generate_key("P-256")).token("a.b.c")
    with pytest.raises(BadSignatureError):
        jwt.decode(token, ECKey.generate_key("P-256"), algorithms=["ES256"])


@pytest.mark.parametrize(
    "pem",
    [
        pem_of(rsa.generate_private_key(public_exponent=65537, key_size=2048)),
        pem_of(ec.generate_private_key(ec.SECP384R1())),
        b"not a key",
    ],
)
def test_other_keys_are_refused_in_words(pem: bytes) -> None:
    with pytest.raises(ValueError, match=r"P-256 or Ed25519|deserialize"):
        ServiceIdentity.from_pem(pem)


def test_a_public_key_cannot_sign() -> None:
    public = OKPKey.import_key(OKPKey.generate_key("Ed25519").as_dict(private=False))
    with pytest.raises(ValueError, match="private"):
        ServiceIdentity(public)
