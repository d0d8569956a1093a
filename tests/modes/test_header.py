"""SIGN_IN=header: who the proxy names is who acts; without the proxy's secret nobody is."""

import json

import httpx
import pytest

from tests.clients.chats import Chat, of, words
from tests.clients.drivers import PythonClient
from tests.clients.product import Product
from tests.modes.issuer import Issuer

SECRET = "a-secret-between-proxy-and-chat-0123456789"
ROLES = {"anna": "admin", "group:ops": "editor", "*": "viewer"}


@pytest.fixture(scope="module")
def behind(start) -> Product:
    return start(SIGN_IN="header", PROXY_SECRET=SECRET, PERSON_ROLES=json.dumps(ROLES))


def as_(user: str, groups: str = "", secret: str = SECRET) -> dict[str, str]:
    return {"X-Proxy-Secret": secret, "X-Forwarded-User": user, "X-Forwarded-Groups": groups}


@pytest.mark.parametrize(
    ("user", "groups", "role"),
    [("anna", "", "admin"), ("boris", "dev, ops", "editor"), ("carla", "dev", "viewer"), ("ANNA", "", "admin")],
)
def test_the_named_person_has_the_role_of_the_table(behind, user, groups, role):
    answer = httpx.get(f"{behind.url}/ui/shell", headers=as_(user, groups))
    assert answer.json()["person"] == {"name": user, "role": role, "initials": user[0].upper()}
    assert "set-cookie" not in answer.headers
    page = httpx.get(f"{behind.url}/", headers={**as_(user, groups), "accept": "text/html"})
    assert "HttpOnly" in page.headers["set-cookie"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Forwarded-User": "anna"},
        as_("anna", secret=SECRET[:-1]),
        as_("anna", secret=""),
        as_(""),
        as_("x" * 201),
        {"X-Proxy-Secret": SECRET},
    ],
    ids=["nothing", "no secret", "wrong secret", "empty secret", "nobody", "too long", "secret alone"],
)
@pytest.mark.parametrize("path", ["/", "/ui/shell", "/gradio_api/info", "/config", "/approvals"])
def test_what_did_not_come_through_the_proxy_is_refused(behind, headers, path):
    answer = httpx.get(behind.url + path, headers={"accept": "text/html", **headers})
    assert answer.status_code == 401
    assert SECRET not in answer.text


def test_a_cookie_of_one_person_is_worth_nothing_to_the_next(behind):
    with httpx.Client(base_url=behind.url) as browser:
        browser.get("/", headers={**as_("anna"), "accept": "text/html"})
        first = dict(browser.cookies)
        assert first
        assert browser.get("/ui/shell", headers=as_("carla")).json()["person"]["name"] == "carla"
        browser.get("/", headers={**as_("carla"), "accept": "text/html"})
        assert dict(browser.cookies) != first
        assert browser.get("/ui/shell").status_code == 401


def test_a_handle_of_another_person_does_not_outvote_the_proxy(behind):
    with httpx.Client(base_url=behind.url) as browser:
        browser.get("/", headers={**as_("anna"), "accept": "text/html"})
        stolen = {"x-countersign-session": browser.cookies["countersign"]}
    seen = httpx.get(f"{behind.url}/ui/shell", headers={**as_("carla"), **stolen})
    assert seen.json()["person"]["name"] == "carla"


def test_a_role_that_changed_counts_at_once(behind):
    with httpx.Client(base_url=behind.url) as browser:
        assert browser.get("/ui/shell", headers=as_("dora", "ops")).json()["person"]["role"] == "editor"
        assert browser.get("/ui/shell", headers=as_("dora")).json()["person"]["role"] == "viewer"


def test_health_needs_no_proxy(behind):
    assert httpx.get(f"{behind.url}/healthz").status_code == 200


class Named(PythonClient):
    """A program behind the proxy."""

    def __init__(self, url: str, user: str):
        from gradio_client import Client

        self.client = Client(url, headers=as_(user), verbose=False)
        self.job, self.cancelled = None, False


async def test_the_backend_takes_the_token_that_we_make(behind):
    chat = Chat(Named(behind.url, "anna"))
    assert "stage" in words(await chat.say("Which environments are there?"))
    (card,) = of("confirm_required", await chat.say("delete dashboard 412"))
    await chat.decide("deny", card)
    assert card["metadata"]["tool"] == "delete_dashboard"


async def test_people_of_one_role_do_not_see_each_others_conversations(behind):
    mine, other = Chat(Named(behind.url, "eva")), Chat(Named(behind.url, "fred"))
    await mine.say("hello from eva")
    await other.say("hello from fred")
    async with httpx.AsyncClient(headers=as_("fred")) as client:
        shown = (await client.get(f"{behind.url}/ui/conversations")).json()["conversations"]
    assert [row["title"].lower() for row in shown] == ["from fred"]


def test_a_token_of_the_proxy_is_checked_like_any_other(start, issuer: Issuer):
    product = start(
        SIGN_IN="header", PROXY_TOKEN_HEADER="X-Forwarded-Access-Token",
        USER_ISSUER=issuer.url, USER_JWKS_URL=f"{issuer.url}/jwks",
    )  # fmt: skip
    good = httpx.get(f"{product.url}/ui/shell", headers={"X-Forwarded-Access-Token": issuer.jwt("olga")})
    assert good.json()["person"]["name"] == "Olga"
    for token in ("", "x.y.z", issuer.jwt("olga", aud="other"), issuer.jwt("olga", seconds=-60)):
        bad = httpx.get(f"{product.url}/ui/shell", headers={"X-Forwarded-Access-Token": token})
        assert bad.status_code == 401
