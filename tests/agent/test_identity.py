"""Tokens that prove a person, and the many that do not (threats T01 to T08)."""

import asyncio
import base64
import json
import time
import warnings

import httpx
import pytest
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry, serialize_compact

from agent.identity import JwksUrl, Principal, StaticKeys, TokenVerifier, Unauthenticated
from tools.toolset import Role

ISSUER, AUDIENCE = "https://issuer.test", "workspace"
KEY = ECKey.generate_key("P-256", {"kid": "e1"})
RSA = RSAKey.generate_key(2048, {"kid": "r1"})
ED = OKPKey.generate_key("Ed25519", {"kid": "d1"})


def claims(**changed):
    now = int(time.time())
    made = {
        "iss": ISSUER,
        "sub": "anna",
        "aud": AUDIENCE,
        "iat": now,
        "exp": now + 600,
        "role": "editor",
        "name": "Anna",
    }
    return {name: value for name, value in (made | changed).items() if value is not ...}


def compact(header: dict, body: bytes, signature: bytes = b"x") -> str:
    parts = (json.dumps(header).encode(), body, signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def signed(body=None, key=KEY, **header) -> str:
    """Signed by hand, so that claims and headers which no library would write can be sent."""
    full = {"alg": "ES256", "typ": "at+jwt", "kid": key.kid} | header
    full = {name: value for name, value in full.items() if value is not ...}
    registry = JWSRegistry(algorithms=[full["alg"]], strict_check_header=False)
    return serialize_compact(full, json.dumps(body if body is not None else claims()), key, registry=registry)


def verifier(*keys, **options) -> TokenVerifier:
    return TokenVerifier(
        keys=StaticKeys(KeySet(list(keys or (KEY, RSA, ED)))), issuer=ISSUER, audience=AUDIENCE, **options
    )


async def refused(token: str, checker: TokenVerifier | None = None) -> str:
    with pytest.raises(Unauthenticated) as caught:
        await (checker or verifier()).verify(token)
    assert len(str(caught.value)) < 20, "says a code, never the token"
    return caught.value.code


@pytest.mark.parametrize(("key", "alg"), [(KEY, "ES256"), (RSA, "RS256"), (ED, "Ed25519")])
async def test_good_token_names_the_person(key, alg):
    token = signed(key=key, alg=alg)
    person = await verifier().verify(token)
    assert (person.tenant, person.subject, person.name, person.role) == (
        "default",
        f"{ISSUER}|anna",
        "Anna",
        Role.EDITOR,
    )
    assert token not in repr(person)
    assert isinstance(person, Principal)


@pytest.mark.parametrize("role", [..., "root", 7, ["admin"], None])
async def test_unknown_role_has_least_rights(role):
    assert (await verifier().verify(signed(claims(role=role)))).role is Role.VIEWER


async def test_tenant_comes_from_the_token():
    assert (await verifier().verify(signed(claims(tenant="acme")))).tenant == "acme"


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE"])
async def test_t01_no_algorithm(alg):
    body = json.dumps(claims()).encode()
    assert await refused(compact({"alg": alg, "typ": "at+jwt", "kid": "e1"}, body)) == "algorithm"
    assert await refused(compact({"alg": alg, "typ": "at+jwt", "kid": "e1"}, body, b"")) == "format"


async def test_t02_public_key_as_hmac_secret():
    pem = RSA.as_pem(private=False)
    forged = signed(key=OctKey.import_key(base64.urlsafe_b64encode(pem).decode()), alg="HS256", kid="r1")
    assert await refused(forged) == "algorithm"
    assert await refused(forged, verifier(algorithms=("HS256", "ES256"))) in {"signature", "key_use"}


@pytest.mark.parametrize("alg", ["es256", "ES384", "RS512", "HS256", "PS256"])
async def test_t02_algorithm_outside_the_list(alg):
    token = compact({"alg": alg, "typ": "at+jwt", "kid": "e1"}, json.dumps(claims()).encode())
    assert await refused(token) == "algorithm"


async def test_t02_algorithm_of_another_kind_of_key():
    token = compact({"alg": "RS256", "typ": "at+jwt", "kid": "e1"}, json.dumps(claims()).encode())
    assert await refused(token) == "signature"


@pytest.mark.parametrize("name", ["jwk", "jku", "x5u", "x5c", "crit", "zip", "b64"])
async def test_t03_t04_headers_that_bring_their_own_rules(name):
    own = {"jwk": KEY.as_dict(private=False), "jku": "https://evil.test/jwks", "x5u": "https://evil.test/pem"}
    value = own.get(name, ["x"] if name in ("x5c", "crit") else "DEF")
    token = compact({"alg": "ES256", "typ": "at+jwt", "kid": "e1", name: value}, json.dumps(claims()).encode())
    assert await refused(token) == "header"


@pytest.mark.parametrize("kind", [[], {}, 7, ["at+jwt"], None, True])
async def test_t06_a_type_that_is_no_word(kind):
    token = compact({"alg": "ES256", "typ": kind, "kid": "e1"}, json.dumps(claims()).encode())
    assert await refused(token) == "header"


NOW = int(time.time())


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": NOW - 60},
        {"exp": ...},
        {"exp": str(NOW + 300)},
        {"exp": 10**30},
        {"exp": None},
        {"exp": True},
        {"iat": NOW + 5000, "exp": NOW + 6000},
        {"iat": ...},
        {"iat": "now"},
        {"iat": NOW - 7200, "exp": NOW + 600},
        {"iat": NOW, "exp": NOW},
        {"nbf": NOW + 5000},
        {"iss": "https://issuer.test.evil"},
        {"iss": ...},
        {"iss": [ISSUER]},
        {"sub": ...},
        {"sub": 5},
        {"sub": ""},
    ],
)
async def test_t05_claims(changed):
    assert await refused(signed(claims(**changed))) in {"claims", "lifetime"}


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"{", b"\xff", b"null", b"[" * 4000], ids=lambda b: repr(b[:9]))
async def test_t05_body_that_is_no_object(body):
    token = serialize_compact({"alg": "ES256", "typ": "at+jwt", "kid": "e1"}, body, KEY, algorithms=["ES256"])
    assert await refused(token) in {"signature", "claims"}


@pytest.mark.parametrize("typ", [..., "JWT", "svc+jwt", "logout+jwt", "id+jwt", "AT+JWT ", 7])
async def test_t06_token_of_another_kind(typ):
    assert (
        await refused(compact({"alg": "ES256", "kid": "e1"} | ({} if typ is ... else {"typ": typ}), b"{}")) == "header"
    )


@pytest.mark.parametrize("aud", ["workspace2", "work", "", ["x", "workspace2"], [], 7, None, ...], ids=repr)
async def test_t07_other_audience(aud):
    assert await refused(signed(claims(aud=aud))) == "claims"


async def test_t07_audience_list_that_holds_ours():
    assert await verifier().verify(signed(claims(aud=["other", "workspace"])))


@pytest.mark.parametrize("kid", ["../../etc/passwd", "' or 1=1 --", "k" * 129, 7, "", ["e1"]], ids=repr)
async def test_t08_hostile_key_ids(kid):
    token = compact({"alg": "ES256", "typ": "at+jwt", "kid": kid}, json.dumps(claims()).encode())
    assert await refused(token) == "key_id"


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c.d", "a b.c.d", "ы.b.c", "e30.e30.e30\n", "A" * 9000 + ".b.c"])
async def test_what_does_not_look_like_a_token(token):
    assert await refused(token) in {"format", "header"}


async def test_small_rsa_key_is_not_trusted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small = RSAKey.generate_key(1024, {"kid": "s"})
        token = signed(key=small, alg="RS256")
        assert await refused(token, verifier(small)) == "key_use"


async def test_key_published_for_encryption_verifies_nothing():
    data = KEY.as_dict(private=True) | {"use": "enc"}
    assert await refused(signed(), verifier(ECKey.import_key(data))) == "key_use"


class Issuer:
    """A published key set that counts how often it is read."""

    def __init__(self, *keys):
        self.keys = list(keys)
        self.reads = 0
        self.status = 200
        self.body: bytes | None = None
        self.location: str | None = None
        self.client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.reads += 1
        await asyncio.sleep(0)
        body = self.body or json.dumps(KeySet(self.keys).as_dict(private=False)).encode()
        headers = {"location": self.location} if self.location else {}
        return httpx.Response(self.status, content=body, headers=headers)


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def remote(issuer: Issuer, clock: Clock) -> TokenVerifier:
    keys = JwksUrl("https://issuer.test/jwks", issuer.client, clock)
    return TokenVerifier(keys=keys, issuer=ISSUER, audience=AUDIENCE)


async def test_keys_are_fetched_once_for_many(clock):
    issuer = Issuer(KEY, RSA)
    checker = remote(issuer, clock)
    people = await asyncio.gather(*(checker.verify(signed()) for _ in range(30)))
    assert len(people) == 30
    assert issuer.reads == 1


async def test_t08_flood_of_unknown_key_ids_reads_once(clock):
    issuer = Issuer(KEY)
    checker = remote(issuer, clock)
    await checker.verify(signed())
    clock.now += 61
    tokens = [compact({"alg": "ES256", "typ": "at+jwt", "kid": f"k{n}"}, b"{}") for n in range(500)]
    codes = await asyncio.gather(*(refused(token, checker) for token in tokens))
    assert set(codes) == {"key_id"}
    assert issuer.reads == 2


async def test_new_key_is_found_after_the_pause(clock):
    issuer = Issuer(KEY)
    checker = remote(issuer, clock)
    await checker.verify(signed())
    issuer.keys = [KEY, ED]
    token = signed(key=ED, alg="Ed25519")
    assert await refused(token, checker) == "key_id"
    clock.now += 61
    assert await checker.verify(token)


async def test_withdrawn_key_is_forgotten(clock):
    issuer = Issuer(KEY, ED)
    checker = remote(issuer, clock)
    await checker.verify(signed())
    issuer.keys = [ED]
    clock.now += 601
    assert await refused(signed(), checker) == "key_id"


async def test_known_keys_outlive_an_outage_for_a_day(clock):
    issuer = Issuer(KEY)
    checker = remote(issuer, clock)
    await checker.verify(signed())
    issuer.status = 503
    clock.now += 3600
    assert await checker.verify(signed())
    clock.now += 86_400
    assert await refused(signed(), checker) == "keys_unavailable"


async def test_redirect_is_not_followed(clock):
    issuer = Issuer(KEY)
    issuer.status, issuer.location = 302, "https://169.254.169.254/jwks"
    assert await refused(signed(), remote(issuer, clock)) == "keys_unavailable"
    assert issuer.reads == 1


@pytest.mark.parametrize(
    "body", [b"x" * 70_000, b"[]", b"{}", b'{"keys": 7}', b'{"keys": [7]}', b"\xff"], ids=lambda b: repr(b[:12])
)
async def test_answer_that_is_no_key_set(clock, body):
    issuer = Issuer(KEY)
    issuer.body = body
    assert await refused(signed(), remote(issuer, clock)) == "keys_unavailable"
