"""SIGN_IN=hf: code with PKCE against a provider over HTTP; every way in which it can be faked or fail."""

import json

import httpx
import pytest
from joserfc.jwk import RSAKey

from tests.clients.product import Product
from tests.modes.issuer import CLIENT_ID, CLIENT_SECRET, Issuer


@pytest.fixture(scope="module")
def space(start, issuer: Issuer) -> Product:
    roles = {"anna": "admin", "group:acme": "editor", "olga": "viewer"}
    return start(
        SIGN_IN="hf", OPENID_PROVIDER_URL=issuer.url, OAUTH_CLIENT_ID=CLIENT_ID, OAUTH_CLIENT_SECRET=CLIENT_SECRET,
        PERSON_ROLES=json.dumps(roles),
    )  # fmt: skip


@pytest.fixture
def browser(space: Product):
    with httpx.Client(base_url=space.url, follow_redirects=True, headers={"accept": "text/html"}) as client:
        yield client


def shell(browser: httpx.Client) -> httpx.Response:
    return browser.get("/ui/shell")


def test_the_page_offers_the_provider_and_leads_back(browser, space):
    page = browser.get("/approvals")
    assert "Sign in with Hugging Face" in page.text
    there = browser.get("/signin/start?next=/approvals")
    assert there.url == f"{space.url}/approvals"
    assert shell(browser).json()["person"] == {"name": "Olga", "role": "viewer", "initials": "O"}


@pytest.mark.parametrize(
    ("person", "role"),
    [
        ({"sub": "1", "preferred_username": "anna", "name": "Anna P"}, "admin"),
        ({"sub": "2", "preferred_username": "boris", "orgs": [{"preferred_username": "acme"}]}, "editor"),
        ({"sub": "3", "preferred_username": "olga", "groups": ["acme"]}, "editor"),
        ({"sub": "4", "preferred_username": "olga", "orgs": [None, 7], "groups": "acme", "name": 7}, "viewer"),
    ],
)
def test_roles_come_from_names_and_organisations(browser, issuer, person, role):
    issuer.person = person
    browser.get("/signin/start")
    assert shell(browser).json()["person"]["role"] == role


@pytest.mark.parametrize("person", [{"sub": "9", "preferred_username": "stranger"}, {"sub": "8"}])
def test_who_is_not_listed_is_not_let_in(browser, issuer, person):
    issuer.person = person
    assert "no access here" in browser.get("/signin/start").text
    assert shell(browser).status_code == 401


@pytest.mark.parametrize(
    ("person", "says"),
    [
        ({}, "does not prove"),
        ({"sub": ""}, "does not prove"),
        ({"sub": 7}, "does not prove"),
        ({"sub": "x" * 300}, "not completed"),
    ],
)
def test_a_person_without_a_subject_is_refused(browser, issuer, person, says):
    issuer.person = {"preferred_username": "anna", **person}
    assert says in browser.get("/signin/start").text
    assert shell(browser).status_code == 401


def test_a_forged_state_is_refused(browser, issuer):
    issuer.faults.add("state")
    assert "not completed" in browser.get("/signin/start").text
    assert shell(browser).status_code == 401


def test_a_callback_without_a_beginning_is_refused(browser, issuer):
    asked = len(issuer.asked)
    assert "not completed" in browser.get("/signin/callback?state=x&code=y").text
    assert len(issuer.asked) == asked


def test_somebody_elses_code_does_not_fit_my_verifier(space, issuer):
    with httpx.Client(base_url=space.url) as mine, httpx.Client(base_url=space.url) as other:
        theirs = httpx.get(other.get("/signin/start").headers["location"]).headers["location"]
        code = httpx.URL(theirs).params["code"]
        state = httpx.URL(mine.get("/signin/start").headers["location"]).params["state"]
        assert "refused" in mine.get("/signin/callback", params={"state": state, "code": code}).headers["location"]
        assert mine.get("/ui/shell").status_code == 401


def test_a_code_works_once(browser, space, issuer):
    with httpx.Client(base_url=space.url) as client:
        back = httpx.get(client.get("/signin/start").headers["location"]).headers["location"]
        login = dict(client.cookies)
        assert client.get(back).headers["location"] == "/"
        again = httpx.get(back, cookies=login)
        assert "refused" in again.headers["location"]


def test_a_person_that_is_no_object_is_an_outage(browser, issuer):
    issuer.faults.add("userinfo")
    assert "did not answer" in browser.get("/signin/start").text


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another browser"},
        {"aud": "another-app"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"sub": "u-2"},
    ],
    ids=lambda claims: next(iter(claims)),
)
def test_an_id_token_that_does_not_prove_the_person_lets_nobody_in(browser, space, issuer, claims):
    reason = f"({next(iter(claims))})"
    before = space.log.count(reason)
    issuer.claims |= claims
    assert "does not prove who you are" in browser.get("/signin/start").text
    assert shell(browser).status_code == 401
    assert space.log.count(reason) == before + 1


def test_an_id_token_signed_by_somebody_else_lets_nobody_in(browser, issuer):
    issuer.signer = RSAKey.generate_key(2048, {"kid": "r1"})
    assert "does not prove who you are" in browser.get("/signin/start").text
    assert shell(browser).status_code == 401


def test_a_provider_that_publishes_keys_must_give_an_id_token(browser, issuer):
    issuer.faults.add("id_token")
    assert "does not prove who you are" in browser.get("/signin/start").text
    assert shell(browser).status_code == 401


def test_the_keys_of_the_provider_are_asked_for_once(browser, issuer):
    browser.get("/signin/start")
    before = issuer.asked.count("/jwks")
    for _ in range(3):
        browser.get("/signin/start")
    assert issuer.asked.count("/jwks") == before <= 1


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil"])
def test_the_way_back_is_never_another_site(space, target):
    with httpx.Client(base_url=space.url) as client:
        back = httpx.get(client.get("/signin/start", params={"next": target}).headers["location"]).headers["location"]
        assert client.get(back).headers["location"] == "/"


def test_nothing_of_the_sign_in_is_readable_in_the_cookie_or_the_log(space):
    with httpx.Client(base_url=space.url) as client:
        begun = client.get("/signin/start")
        asked = httpx.URL(begun.headers["location"]).params
        assert (asked["code_challenge_method"], asked["client_id"]) == ("S256", CLIENT_ID)
        cookie = begun.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "Path=/signin" in cookie
        assert asked["state"] not in cookie
        assert CLIENT_SECRET not in begun.text + cookie + space.log


def test_signing_out_ends_the_session(browser, space):
    browser.get("/signin/start")
    cookie = {"countersign": browser.cookies["countersign"]}
    browser.post("/ui/signout", headers={"origin": space.url})
    assert httpx.get(f"{space.url}/ui/shell", cookies=cookie).status_code == 401


def test_a_provider_that_says_it_is_another_one_is_refused(start, issuer):
    issuer.faults.add("issuer")
    product = start(
        SIGN_IN="hf", OPENID_PROVIDER_URL=issuer.url, OAUTH_CLIENT_ID=CLIENT_ID, OAUTH_CLIENT_SECRET=CLIENT_SECRET
    )
    assert "error=provider" in httpx.get(f"{product.url}/signin/start").headers["location"]
    issuer.faults.clear()
    assert httpx.get(f"{product.url}/signin/start").headers["location"].startswith(issuer.url)
