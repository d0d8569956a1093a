"""SIGN_IN=embed: a token of the page around becomes a session in memory; refresh, sign-out, and a turn that waits."""

import asyncio
import json

import httpx
import psycopg
import pytest

from tests.clients.chats import Chat, of, words
from tests.clients.drivers import python_client
from tests.clients.product import Product
from tests.modes.issuer import Issuer

SITE = "https://app.example.com"


@pytest.fixture(scope="module")
def framed(start, issuer: Issuer) -> Product:
    return start(SIGN_IN="embed", FRAME_ANCESTORS=SITE, USER_ISSUER=issuer.url, USER_JWKS_URL=f"{issuer.url}/jwks")


@pytest.fixture
async def http(framed: Product):
    async with httpx.AsyncClient(base_url=framed.url, headers={"origin": framed.url}, timeout=20) as client:
        yield client


async def exchange(http: httpx.AsyncClient, token: str, handle: str = "") -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} | ({"x-countersign-session": handle} if handle else {})
    return await http.post("/ui/embed/session", headers=headers)


async def name(http: httpx.AsyncClient, handle: str) -> str:
    answer = await http.get("/ui/shell", headers={"x-countersign-session": handle})
    return answer.json()["person"]["name"] if answer.status_code == 200 else str(answer.status_code)


async def test_a_token_becomes_a_session_without_a_cookie(http, issuer):
    answer = await exchange(http, issuer.jwt("olga"))
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    assert 500 < answer.json()["seconds"] <= 600
    assert await name(http, answer.json()["handle"]) == "Olga"


async def test_a_token_that_does_not_hold_gets_no_session(http, issuer):
    other = Issuer(url=issuer.url)
    bad = [
        issuer.jwt(aud="other"), issuer.jwt(iss="https://evil.example"), issuer.jwt(seconds=-60),
        issuer.jwt(seconds=7200), issuer.jwt()[:-4] + "AAAA", other.jwt(), "x.y.z", "",
    ]  # fmt: skip
    for token in bad:
        answer = await exchange(http, token or "-")
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert (await http.post("/ui/embed/session")).status_code == 401


async def test_other_sites_may_not_exchange(http, issuer):
    for origin in ("https://evil.example", SITE, "null"):
        headers = {"authorization": f"Bearer {issuer.jwt()}", "origin": origin}
        assert (await http.post("/ui/embed/session", headers=headers)).status_code == 403


async def test_a_fresh_token_keeps_the_session_and_another_person_gets_their_own(http, issuer):
    handle = (await exchange(http, issuer.jwt("olga", seconds=60))).json()["handle"]
    again = (await exchange(http, issuer.jwt("olga"), handle)).json()
    assert again["handle"] == handle
    assert again["seconds"] > 500
    other = (await exchange(http, issuer.jwt("pavel"), handle)).json()["handle"]
    assert other != handle
    assert [await name(http, h) for h in (handle, other)] == ["Olga", "Pavel"]


async def test_a_made_up_handle_is_nobody(http):
    for handle in ("x", "a" * 43, "a; countersign=b", "a=b"):
        assert await name(http, handle) == "401"


async def test_signing_out_ends_the_handle(http, issuer):
    handle = (await exchange(http, issuer.jwt("olga"))).json()["handle"]
    await http.post("/ui/signout", headers={"x-countersign-session": handle})
    assert await name(http, handle) == "401"


async def test_only_the_listed_site_may_frame_it(http):
    policy = (await http.get("/")).headers["content-security-policy"]
    assert f"frame-ancestors 'self' {SITE}" in policy
    page = (await http.get("/", params={"embed": "1"})).text
    assert json.dumps(SITE) in page.replace('\\"', '"')


async def test_people_work_in_the_workspace_by_their_role(framed, issuer):
    async with python_client(framed.url, issuer.jwt("vadim", role="viewer")) as client:
        assert "stage" in words(await Chat(client).say("Which environments are there?"))
        assert of("confirm_required", await Chat(client).say("delete dashboard 412")) == []


async def test_a_turn_that_waits_for_a_token_goes_on_with_a_fresh_one(framed, http, issuer):
    """The token is too old when the person signs; the page around gives a new one, and the call runs once."""
    short = issuer.jwt("olga", seconds=45, role="admin")
    async with python_client(framed.url, short) as client:
        chat = Chat(client)
        (card,) = of("confirm_required", await chat.say("delete dashboard 412"))
        approval = card["metadata"]["approval"]
        await asyncio.sleep(17)
        decision = {"approval_id": approval["id"], "card_sha256": approval["card_sha256"], "decision": "approve"}
        decided = await http.post("/ui/decide", json=decision, headers={"x-user-jwt": short})
        assert decided.status_code == 200, decided.text
    assert await state(framed, chat.id, "waiting_auth") == "waiting_auth"
    assert framed.backend("GET", "/dashboards/412").status_code == 200
    handle = (await exchange(http, issuer.jwt("olga", role="admin"))).json()["handle"]
    await http.get("/ui/shell", params={"conversation": chat.id}, headers={"x-countersign-session": handle})
    assert await state(framed, chat.id, "succeeded") == "succeeded"
    assert framed.backend("GET", "/dashboards/412").status_code == 404


async def state(product: Product, conversation: str, wanted: str) -> str:
    """The state of the conversation's newest turn, once it is the wanted one, or after ten seconds."""
    query = "select state from turns where conversation_id = %s order by created_at desc limit 1"
    async with await psycopg.AsyncConnection.connect(product.database_url, autocommit=True) as connection:
        for _ in range(100):
            found = await (await connection.execute(query, (conversation,))).fetchone()
            if found and found[0] == wanted:
                break
            await asyncio.sleep(0.1)
    return found[0] if found else ""
