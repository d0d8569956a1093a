"""Signing in, and the keys that tokens are checked with."""

import asyncio
import json
import stat
from pathlib import Path

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey

from backend.identity.keys import PublishedKeys, published_at, signing_key
from backend.identity.tokens import InvalidToken
from tests.backend.world import ISSUER, World, new_key


class TestSignIn:
    @pytest.mark.parametrize(
        ("who", "word", "role"),
        [("vera", "v-secret-1", "viewer"), ("ilya", "i-secret-2", "editor"), ("anna", "a-secret-3", "admin")],
    )
    async def test_a_password_gives_a_token_that_works(self, still: World, who: str, word: str, role: str) -> None:
        answer = await still.http.post("/auth/token", data={"username": who, "password": word})
        token = answer.json()
        assert (answer.status_code, token["token_type"], token["expires_in"]) == (200, "bearer", 1800)
        headers = {
            "X-User-JWT": token["access_token"],
            "Authorization": f"Bearer {still.service_token(token['access_token'])}",
        }
        me = (await still.http.get("/auth/me", headers=headers)).json()
        assert (me["id"], me["role"]) == (who, role)

    async def test_anybody_can_check_it_with_the_published_keys(self, still: World) -> None:
        form = {"username": "vera", "password": "v-secret-1"}
        token = (await still.http.post("/auth/token", data=form)).json()["access_token"]
        published = (await still.http.get("/.well-known/jwks.json")).json()
        assert "d" not in published["keys"][0]
        checked = jwt.decode(token, KeySet.import_key_set(published), algorithms=["Ed25519"])
        assert checked.header["typ"] == "at+jwt"
        assert {name: checked.claims[name] for name in ("iss", "sub", "name", "name_ru", "role")} == {
            "iss": ISSUER,
            "sub": "vera",
            "name": "Vera Lindqvist",
            "name_ru": "Вера Линдквист",
            "role": "viewer",
        }
        assert checked.claims["exp"] - checked.claims["iat"] == 1800

    @pytest.mark.parametrize(
        ("who", "word"), [("vera", "wrong"), ("vera", ""), ("nobody", "v-secret-1"), ("t.galeev", ""), ("vera", "п")]
    )
    async def test_a_wrong_password_gives_nothing(self, still: World, who: str, word: str) -> None:
        answer = await still.http.post("/auth/token", data={"username": who, "password": word})
        assert answer.status_code == (422 if not word else 401)
        assert "access_token" not in answer.text

    async def test_the_form_must_be_whole(self, still: World) -> None:
        answer = await still.http.post("/auth/token", data={"username": "vera"})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert "v-secret" not in answer.text


async def test_who_lost_all_roles_cannot_sign_in(world: World) -> None:
    await world.call("anna", "DELETE", "/users/vera/roles/viewer")
    answer = await world.http.post("/auth/token", data={"username": "vera", "password": "v-secret-1"})
    assert answer.status_code == 401


async def test_passwords_do_not_show_in_the_settings(world: World) -> None:
    assert "v-secret-1" not in repr(world.settings)


def test_the_signing_key_is_made_once_and_is_for_its_owner_only(tmp_path: Path) -> None:
    first, second = signing_key(tmp_path / "keys"), signing_key(tmp_path / "keys")
    assert first.kid == second.kid
    (file,) = (tmp_path / "keys").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_many_starts_at_once_end_with_one_key(tmp_path: Path) -> None:
    keys = await asyncio.gather(*(asyncio.to_thread(signing_key, tmp_path / "keys") for _ in range(8)))
    assert len({key.kid for key in keys}) == 1


class Publisher:
    """A place where keys are published; counts how often it is asked."""

    def __init__(self) -> None:
        self.keys = [new_key()]
        self.asked = 0
        self.broken = False
        self.now = 0.0
        self.source = PublishedKeys(self.fetch, clock=lambda: self.now)

    async def fetch(self) -> bytes:
        self.asked += 1
        await asyncio.sleep(0)
        if self.broken:
            raise httpx.ConnectError("down")
        return json.dumps({"keys": [key.as_dict(private=False) for key in self.keys]}).encode()

    async def knows(self, kid: str) -> bool:
        try:
            return (await self.source.key(kid)).kid == kid
        except InvalidToken:
            return False


async def test_a_flood_of_unknown_keys_causes_one_fetch() -> None:
    publisher = Publisher()
    assert await publisher.knows(publisher.keys[0].kid)
    publisher.now = 100.0
    answers = await asyncio.gather(*(publisher.knows(f"kid-{n}") for n in range(500)))
    assert not any(answers)
    assert publisher.asked == 2


async def test_a_first_crowd_shares_one_fetch() -> None:
    publisher = Publisher()
    assert all(await asyncio.gather(*(publisher.knows(publisher.keys[0].kid) for _ in range(50))))
    assert publisher.asked == 1


async def test_a_new_key_is_found_after_a_minute_and_an_old_one_forgotten() -> None:
    publisher = Publisher()
    old, new = publisher.keys[0], new_key()
    await publisher.knows(old.kid)
    publisher.keys = [new]
    publisher.now = 30.0
    assert not await publisher.knows(new.kid)
    publisher.now = 61.0
    assert await publisher.knows(new.kid)
    assert not await publisher.knows(old.kid)


async def test_known_keys_hold_for_a_day_without_their_publisher() -> None:
    publisher = Publisher()
    kid = publisher.keys[0].kid
    await publisher.knows(kid)
    publisher.broken = True
    publisher.now = 80_000.0
    assert await publisher.knows(kid)
    publisher.now = 90_000.0
    assert not await publisher.knows(kid)


async def test_symmetric_keys_and_keys_without_a_name_are_not_taken() -> None:
    publisher = Publisher()
    secret = OctKey.generate_key(256, {"kid": "secret"})
    publisher.keys = [secret, publisher.keys[0]]  # type: ignore[list-item]
    assert not await publisher.knows("secret")


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(302, headers={"Location": "http://evil.example/"}),
        httpx.Response(500),
        httpx.Response(200, text="no json"),
        httpx.Response(200, json={"keys": "none"}),
        httpx.Response(200, text=" " * 70_000),
    ],
    ids=["redirect", "error", "no json", "no keys", "too large"],
)
async def test_a_publisher_that_misbehaves(answer: httpx.Response) -> None:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return answer

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
        with pytest.raises(InvalidToken):
            await published_at("https://issuer.example/jwks", client).key("any")
    assert asked == ["https://issuer.example/jwks"]


async def test_a_key_file_that_appears_later_is_read_then(tmp_path: Path) -> None:
    key, place, now = new_key(), tmp_path / "service.jwks.json", [0.0]
    async with httpx.AsyncClient() as client:
        keys = published_at(str(place), client, clock=lambda: now[0])
        with pytest.raises(InvalidToken):
            await keys.key(key.kid)
        place.write_text(json.dumps({"keys": [key.as_dict(private=False)]}))
        now[0] = 2.0
        assert (await keys.key(key.kid)).kid == key.kid
