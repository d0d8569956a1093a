"""Both identities of a call: what is taken, and everything that is not."""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any

import pytest

from tests.backend.world import World, new_key, sign


@dataclass(frozen=True)
class Now:
    """A moment, as seconds from the time of the test."""

    plus: int = 0

    def value(self) -> int:
        return int(time.time()) + self.plus


def at_test_time(claims: dict[str, Any]) -> dict[str, Any]:
    return {name: value.value() if isinstance(value, Now) else value for name, value in claims.items()}


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


async def me(world: World, service: str | None, user: str | None) -> tuple[int, str]:
    """Status and code (or the person's id) of the answer to these two tokens."""
    headers = {"Authorization": f"Bearer {service}"} if service is not None else {}
    answer = await world.http.get("/auth/me", headers=headers | ({"X-User-JWT": user} if user is not None else {}))
    body = answer.json()
    assert (answer.status_code == 401) == ("WWW-Authenticate" in answer.headers)
    return answer.status_code, body.get("code", body.get("id"))


async def with_user(world: World, user: str) -> tuple[int, str]:
    return await me(world, world.service_token(user), user)


async def with_service(world: World, **claims: Any) -> tuple[int, str]:
    user = world.user_token("vera")
    return await me(world, world.service_token(user, **claims), user)


async def test_both_identities_are_taken(still: World) -> None:
    assert await with_user(still, still.user_token("vera")) == (200, "vera")


@pytest.mark.parametrize(
    ("service", "user", "code"),
    [
        (False, True, "service_token_missing"),
        (True, False, "user_token_missing"),
        (False, False, "service_token_missing"),
    ],
)
async def test_each_is_needed(still: World, service: bool, user: bool, code: str) -> None:
    token = still.user_token("vera")
    answer = await me(still, still.service_token(token) if service else None, token if user else None)
    assert answer == (401, code)


@pytest.mark.parametrize("scheme", ["Basic", "Token", ""])
async def test_the_service_token_comes_as_bearer(still: World, scheme: str) -> None:
    token = still.user_token("vera")
    headers = {"Authorization": f"{scheme} {still.service_token(token)}".strip(), "X-User-JWT": token}
    assert (await still.http.get("/auth/me", headers=headers)).json()["code"] == "service_token_missing"


async def test_a_service_token_is_of_no_use_beside_another_users_token(still: World) -> None:
    stolen, other = still.service_token(still.user_token("vera")), still.user_token("anna")
    assert await me(still, stolen, other) == (401, "identity_mismatch")


async def test_a_tokens_kind_decides_where_it_may_stand(still: World) -> None:
    user = still.user_token("vera")
    kinds = {
        "user": user,
        "service": still.service_token(user),
        "id token": sign(still.user_claims("vera"), still.user_key, "JWT"),
        "logout token": sign(still.user_claims("vera"), still.user_key, "logout+jwt"),
    }
    for name, token in kinds.items():
        as_service = await me(still, token, user)
        assert as_service == ((200, "vera") if name == "service" else (401, "service_token_invalid")), name
        as_user = await me(still, still.service_token(token), token)
        assert as_user == ((200, "vera") if name == "user" else (401, "user_token_invalid")), name


async def test_the_long_type_name_is_taken(still: World) -> None:
    token = sign(still.user_claims("vera"), still.user_key, "application/at+jwt")
    assert await with_user(still, token) == (200, "vera")


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE"])
@pytest.mark.parametrize("signature", ["", "AAAA"])
async def test_an_unsigned_token_proves_nothing(still: World, alg: str, signature: str) -> None:
    header = {"alg": alg, "typ": "at+jwt", "kid": still.user_key.kid}
    token = ".".join([b64(json.dumps(header).encode()), b64(json.dumps(still.user_claims("vera")).encode()), signature])
    assert await with_user(still, token) == (401, "user_token_invalid")


@pytest.mark.parametrize("alg", ["HS256", "HS512"])
async def test_the_public_key_is_no_secret(still: World, alg: str) -> None:
    header = {"alg": alg, "typ": "at+jwt", "kid": still.user_key.kid}
    signed = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(still.user_claims('vera')).encode())}"
    for secret in (still.user_key.as_pem(private=False), json.dumps(still.user_key.as_dict(private=False)).encode()):
        mac = hmac.new(secret, signed.encode(), hashlib.sha256 if alg == "HS256" else hashlib.sha512).digest()
        assert await with_user(still, f"{signed}.{b64(mac)}") == (401, "user_token_invalid")


@pytest.mark.parametrize(
    "extra",
    [
        {"jwk": {"kty": "OKP"}},
        {"jku": "https://evil.example/jwks"},
        {"x5u": "https://evil.example/cert"},
        {"x5c": ["MII"]},
        {"crit": ["x"], "x": 1},
        {"b64": False},
        {"zip": "DEF"},
        {"cty": "JWT"},
    ],
    ids=lambda extra: next(iter(extra)),
)
async def test_a_header_may_not_bring_keys_or_extensions(still: World, extra: dict[str, Any]) -> None:
    claims = still.user_claims("vera")
    header = {"alg": "Ed25519", "typ": "at+jwt", "kid": still.user_key.kid, **extra}
    signed = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims).encode())}"
    signature = still.user_key.get_op_key("sign").sign(signed.encode())  # type: ignore[union-attr]
    assert await with_user(still, f"{signed}.{b64(signature)}") == (401, "user_token_invalid")


async def test_a_key_of_ones_own_under_a_known_name(still: World) -> None:
    forged = new_key()
    token = sign(still.user_claims("anna"), forged, "at+jwt", kid=still.user_key.kid)
    assert await with_user(still, token) == (401, "user_token_invalid")


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ({"exp": Now(-60)}, False),
        ({"exp": Now(-10), "iat": Now(-100)}, True),  # within the leeway of clocks
        ({"nbf": Now(300)}, False),
        ({"nbf": Now(-1)}, True),
        ({"iat": Now(300), "exp": Now(900)}, False),
        ({"exp": None}, False),
        ({"iat": None}, False),
        ({"sub": None}, False),
        ({"iss": None}, False),
        ({"aud": None}, False),
        ({"exp": "9999999999"}, False),
        ({"iat": "1700000000"}, False),
        ({"exp": 10**30}, False),
        ({"exp": Now(7200)}, False),
        ({"iss": "http://evil.example"}, False),
        ({"iss": "http://workspace.test/"}, False),
        ({"aud": "workspace2"}, False),
        ({"aud": "work"}, False),
        ({"aud": ["other", "another"]}, False),
        ({"aud": ["other", "workspace"]}, True),
        ({"sub": 5}, False),
        ({"sub": ""}, False),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
async def test_claims_of_the_user_token(still: World, claims: dict[str, Any], taken: bool) -> None:
    status, code = await with_user(still, still.user_token("vera", **at_test_time(claims)))
    assert (status, code) == (200, "vera") if taken else status == 401


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ({"exp": Now(3600), "iat": Now()}, False),
        ({"exp": Now(-60), "iat": Now(-100)}, False),
        ({"iss": "http://workspace.test"}, False),
        ({"aud": "countersign"}, False),
        ({"uth": None}, False),
        ({"uth": "AAAA"}, False),
        ({"uth": ""}, False),
        ({"jti": None}, False),
        ({"iat": None}, False),
        ({"sub": "other agent"}, True),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
async def test_claims_of_the_service_token(still: World, claims: dict[str, Any], taken: bool) -> None:
    status, code = await with_service(still, **at_test_time(claims))
    assert (status, code) == (200, "vera") if taken else status == 401


@pytest.mark.parametrize("kid", ["../../etc/passwd", "' or 1=1 --", "x" * 129, "x" * 9000, ""])
async def test_a_strange_key_name_finds_nothing(still: World, kid: str) -> None:
    token = sign(still.user_claims("vera"), still.user_key, "at+jwt", kid=kid)
    assert (await with_user(still, token))[0] == 401


@pytest.mark.parametrize("token", ["x", "a.b", "a.b.c.d", "....", "a.b.c=", "e30.e30.e30", "W10.e30.AAAA", "ä.b.c"])
async def test_what_is_no_token(still: World, token: str) -> None:
    headers = {"Authorization": f"Bearer {still.service_token(token)}", "X-User-JWT": token.encode()}
    answer = await still.http.get("/auth/me", headers=headers)  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["code"]) == (401, "user_token_invalid")


@pytest.mark.parametrize("who", ["gbrandt", "nobody", "' or 1=1 --"])
async def test_a_person_without_an_active_account(still: World, who: str) -> None:
    assert await with_user(still, still.user_token(who)) == (401, "user_unknown")


async def test_a_refusal_does_not_say_which_check_failed(still: World) -> None:
    answers = set()
    for token in (still.user_token("vera", exp=Now(-600).value()), still.user_token("vera", aud="x"), "a.b.c"):
        headers = {"Authorization": f"Bearer {still.service_token(token)}", "X-User-JWT": token}
        answers.add((await still.http.get("/auth/me", headers=headers)).text)
    assert len(answers) == 1
    assert token not in answers.pop()


@pytest.mark.parametrize("path", ["/dashboards", "/users", "/audit-events", "/documents/orders-contract", "/auth/me"])
async def test_nothing_is_open(still: World, path: str) -> None:
    assert (await still.http.get(path)).status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/.well-known/jwks.json", "/openapi.json"])
async def test_but_these(still: World, path: str) -> None:
    assert (await still.http.get(path)).status_code == 200
