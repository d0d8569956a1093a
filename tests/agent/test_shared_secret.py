"""Tokens of a service that signs with a shared secret, and the ways to cheat with them (RFC 8725, 2.1)."""

import base64
import hmac
import json
import time

import httpx
import pytest
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry, serialize_compact

from agent.identity import StaticKeys, TokenVerifier, Unauthenticated
from agent.settings import ConfigError, load_settings
from agent.shared_secret import SharedSecretVerifier, Userinfo
from tools.toolset import Role

SECRET = "a-secret-of-the-service-0123456789-abcdef"
HOME, USERINFO = "https://shop.test", "https://shop.test/users/me"
RSA, ED, EC = RSAKey.generate_key(2048), OKPKey.generate_key("Ed25519"), ECKey.generate_key("P-256")
SERVICE = {
    "BACKEND_URL": HOME, "OPENAPI_URL": f"{HOME}/openapi.json", "USER_JWT_HEADER": "Authorization",
    "TOKEN_URL": f"{HOME}/login",
}  # fmt: skip


def claims(**changed):
    made = {"sub": "anna", "exp": int(time.time()) + 8 * 86_400} | changed
    return {name: value for name, value in made.items() if value is not ...}


def signed(body=None, key=SECRET, **header) -> str:
    full = {"alg": "HS256", "typ": "JWT"} | header
    full = {name: value for name, value in full.items() if value is not ...}
    made = OctKey.import_key(key) if isinstance(key, str | bytes) else key
    return serialize_compact(full, json.dumps(body or claims()), made, registry=JWSRegistry(algorithms=[full["alg"]]))


def verifier(**options) -> SharedSecretVerifier:
    return SharedSecretVerifier(SECRET, **{"issuer": None, "audience": "shop", "home": HOME} | options)


def userinfo(answer, clock=time.monotonic) -> Userinfo:
    return Userinfo(USERINFO, httpx.AsyncClient(transport=httpx.MockTransport(answer)), clock)


async def refused(token: str, checker=None) -> str:
    with pytest.raises(Unauthenticated) as caught:
        await (checker or verifier()).verify(token)
    return caught.value.code


@pytest.mark.parametrize("typ", ["JWT", "at+jwt", ...])
async def test_a_token_of_sub_and_exp_is_believed_with_the_least_rights(typ):
    person = await verifier().verify(signed(typ=typ))
    assert (person.subject, person.name, person.role) == (f"{HOME}|anna", "anna", Role.VIEWER)
    assert SECRET not in repr(verifier())


async def test_the_role_of_a_claim_counts():
    assert (await verifier().verify(signed(claims(role="editor")))).role is Role.EDITOR
    assert (await verifier().verify(signed(claims(role="root")))).role is Role.VIEWER


@pytest.mark.parametrize("key", [RSA, ED, EC], ids=["RSA", "Ed25519", "P-256"])
@pytest.mark.parametrize("form", ["pem", "der", "jwk"])
async def test_the_bytes_of_a_public_key_sign_nothing(key, form):
    """Neither where that key is trusted nor where a secret is."""
    public = json.dumps(key.as_dict(private=False)).encode() if form == "jwk" else (
        key.as_pem(private=False) if form == "pem" else key.as_der(private=False)
    )  # fmt: skip
    body = claims(iss=HOME, aud="shop", iat=int(time.time()), exp=int(time.time()) + 600)
    trusting = TokenVerifier(keys=StaticKeys(KeySet([key])), issuer=HOME, audience="shop")
    assert await refused(by_hand(public, body), trusting) == "algorithm"
    assert await refused(by_hand(public, body)) == "signature"


def by_hand(secret: bytes, body: dict) -> str:
    """HS256 with whatever bytes; a good library refuses to sign with a public key."""
    head = {"alg": "HS256", "typ": "at+jwt"}
    text = ".".join(jwt_b64(json.dumps(part).encode()) for part in (head, body))
    return f"{text}.{jwt_b64(hmac.digest(secret, text.encode(), 'sha256'))}"


def jwt_b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.mark.parametrize(("key", "alg"), [(RSA, "RS256"), (EC, "ES256"), (SECRET, "HS512")])
async def test_no_other_algorithm_is_believed(key, alg):
    assert await refused(signed(key=key, alg=alg)) == "algorithm"


async def test_none_and_another_secret_are_not_believed():
    head, body, _ = signed().split(".")
    assert await refused(f"{jwt_b64(json.dumps({'alg': 'none', 'typ': 'JWT'}).encode())}.{body}.AA") == "algorithm"
    assert await refused(f"{head}.{body}.AA") == "signature"
    assert await refused(signed(key=SECRET[::-1])) == "signature"


@pytest.mark.parametrize(
    "changed",
    [{"sub": ...}, {"sub": ""}, {"sub": 7}, {"exp": ...}, {"exp": 1}, {"exp": "soon"}, {"exp": 10**30}, {"aud": "x"},
     {"nbf": 2**40}],
)  # fmt: skip
async def test_claims_that_do_not_hold(changed):
    assert await refused(signed(claims(**changed))) == "claims"


async def test_an_issuer_counts_when_the_settings_name_one():
    strict = verifier(issuer="shop")
    assert await refused(signed(), strict) == "claims"
    assert (await strict.verify(signed(claims(iss="shop", aud="shop")))).subject == "shop|anna"


@pytest.mark.parametrize(
    ("info", "role"),
    [
        ({"is_superuser": True}, Role.ADMIN),
        ({"is_superuser": False}, Role.VIEWER),
        ({"is_superuser": "yes"}, Role.VIEWER),
        ({"role": "editor"}, Role.EDITOR),
        ({"role": "root"}, Role.VIEWER),
        ([], Role.VIEWER),
    ],
)
async def test_the_service_says_the_role_of_a_token_that_names_none(info, role):
    checker = verifier(userinfo=userinfo(lambda _: httpx.Response(200, json=info)))
    assert (await checker.verify(signed())).role is role


async def test_the_service_is_asked_with_the_token_once_a_minute():
    asked, now = [], [0.0]

    def answer(request):
        asked.append(request.headers["authorization"])
        return httpx.Response(200, json={"full_name": "Anna P.", "is_superuser": True})

    checker, token = verifier(userinfo=userinfo(answer, lambda: now[0])), signed()
    assert [(await checker.verify(token)).name for _ in range(3)] == ["Anna P."] * 3
    assert asked == [f"Bearer {token}"]
    now[0] = 61.0
    await checker.verify(token)
    assert len(asked) == 2


async def test_a_claim_of_the_token_needs_no_question():
    checker = verifier(userinfo=userinfo(lambda _: httpx.Response(401)))
    assert (await checker.verify(signed(claims(role="analyst")))).role is Role.ANALYST


async def test_whom_the_service_refuses_is_nobody_and_while_it_is_down_the_weakest():
    assert await refused(signed(), verifier(userinfo=userinfo(lambda _: httpx.Response(403)))) == "userinfo"
    off = userinfo(lambda _: httpx.Response(200, json={"is_active": False}))
    assert await refused(signed(), verifier(userinfo=off)) == "inactive"
    for answer in (httpx.Response(503), httpx.Response(200, text="<html>"), httpx.Response(200, text="9" * 70_000)):
        assert (await verifier(userinfo=userinfo(lambda _, a=answer: a)).verify(signed())).role is Role.VIEWER


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"user_jwt_secret": "short"}, "at least 32"),
        ({"user_jwt_secret": RSA.as_pem(private=False).decode()}, "USER_JWKS_URL"),
        ({"user_jwt_secret": SECRET, "user_jwks_url": f"{HOME}/jwks"}, "USER_JWKS_URL"),
        ({"userinfo_url": USERINFO}, "USER_JWT_SECRET"),
    ],
)
def test_settings_that_do_not_fit_say_so(settings, word):
    service = {name.lower(): value for name, value in SERVICE.items()}
    with pytest.raises(ConfigError, match=word) as caught:
        load_settings(_env_file=None, **service, **settings)
    assert SECRET not in str(caught.value)


async def test_a_token_signed_by_hand_is_like_any_other():
    assert (await verifier().verify(by_hand(SECRET.encode(), claims()))).subject == f"{HOME}|anna"
