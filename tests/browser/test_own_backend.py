"""A service of one's own behind the page: a change is taken back, and a call of unknown outcome is looked at."""

import copy
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from examples import own_backend
from tests.agent.kit import reply
from tests.browser.acts import card, say, settled, sign
from tests.browser.conftest import PATIENCE
from tests.clients.lossy import Lossy, served
from tests.clients.product import Product, product
from tests.conftest import Server
from tests.wire.server import WireServer

SLOW = 20_000
ITEMS = copy.deepcopy(own_backend.ITEMS)


@pytest.fixture(scope="module")
def way() -> Lossy:
    return Lossy(own_backend.app)


@pytest.fixture(autouse=True)
def fresh(way: Lossy) -> None:
    """Every test begins with the service as it is shipped, and a way that loses nothing."""
    own_backend.ITEMS.clear()
    own_backend.ITEMS.update(copy.deepcopy(ITEMS))
    way.before.clear()
    way.after.clear()


@pytest.fixture(scope="module")
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(scope="module")
def running(way: Lossy, wire: WireServer, postgres: Server) -> Iterator[Product]:
    """The product with the settings of docs/connect-your-backend.md, and a model that is told what to call."""
    postgres.execute("create database own_backend_page")
    with served(way) as url:
        settings = {
            "BACKEND_URL": url, "OPENAPI_URL": f"{url}/openapi.json", "TOKEN_URL": f"{url}/login",
            "USER_ISSUER": "shop", "USER_AUDIENCE": "shop", "USER_JWT_HEADER": "Authorization",
            "OPENAI_BASE_URL": wire.url, "MODEL": "scripted",
        }  # fmt: skip
        with product(postgres.database("own_backend_page"), **settings) as started:
            yield started


@pytest.fixture
def page(chromium: Browser, running: Product) -> Iterator[Page]:
    """The page after Ann signed in with her password."""
    errors: list[str] = []
    with chromium.new_context(locale="en-GB") as context:
        page = context.new_page()
        page.set_default_timeout(SLOW)
        expect.set_options(timeout=SLOW)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(running.url + "/signin")
        page.locator("#u").fill("ann")
        page.locator("#p").fill("apple")
        page.locator("#p").press("Enter")
        page.locator(".cs-box textarea").wait_for()
        yield page
    expect.set_options(timeout=PATIENCE)
    assert errors == []


def signed(page: Page, wire: WireServer, text: str, tool: str, **args: Any) -> None:
    """Ask for a call, look at its card, sign it; back when the turn is over."""
    wire.push(reply("", (tool, args)), "Done.")
    say(page, text)
    expect(card(page)).to_contain_text("Tea")
    sign(page)
    expect(page.locator(".cs-receipt.is-approved")).to_be_visible()
    settled(page)


def replace_tea(page: Page, wire: WireServer) -> None:
    signed(page, wire, "Replace the item Tea", "replace_item", item_id=1, name="Tea", quantity=30, in_stock=True)


def test_undo_puts_the_old_values_back_and_says_who_did_it(page, wire):
    replace_tea(page, wire)
    assert own_backend.ITEMS[1]["quantity"] == 30
    receipt = page.locator(".cs-receipt.is-approved")
    expect(receipt).to_contain_text("Countersigned by ann")
    page.get_by_role("button", name="Undo").click()
    expect(receipt).to_contain_text("Undone by ann")
    assert own_backend.ITEMS == ITEMS
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    page.reload()
    expect(receipt).to_contain_text("Undone by ann")


def test_undo_leaves_what_somebody_changed_meanwhile_and_says_so(page, wire):
    replace_tea(page, wire)
    own_backend.ITEMS[1]["quantity"] = 7
    page.get_by_role("button", name="Undo").click()
    said = page.locator(".cs-receipt").get_by_role("status")
    expect(said).to_contain_text("The change was not undone: changed meanwhile")
    expect(page.locator(".cs-receipt.is-approved")).not_to_contain_text("Undone by")
    assert own_backend.ITEMS[1]["quantity"] == 7


def test_a_call_of_unknown_outcome_shows_the_thing_as_it_is_at_each_look(page, wire, way):
    way.after.add("PUT")
    replace_tea(page, wire)
    receipt = page.locator(".cs-receipt.is-approved")
    expect(receipt).to_contain_text("The outcome is not known")
    expect(receipt.get_by_role("button", name="Undo")).to_have_count(0)
    look = receipt.get_by_role("button", name="Look how it is now")
    look.click()
    now = receipt.get_by_role("status")
    expect(now.locator("dl, table").first).to_contain_text("30")
    own_backend.ITEMS[1]["quantity"] = 8
    look.click()
    expect(now.locator("dl, table").first).to_contain_text("8")
    expect(now).to_have_count(1)
    page.reload()
    expect(look).to_be_visible()


def test_a_deletion_of_unknown_outcome_that_ran_shows_that_the_thing_is_gone(page, wire, way):
    way.after.add("DELETE")
    signed(page, wire, "Delete the item Tea", "delete_item", item_id=1)
    assert 1 not in own_backend.ITEMS
    page.get_by_role("button", name="Look how it is now").click()
    expect(page.locator(".cs-receipt").get_by_role("status")).to_contain_text("not found")


def test_t60_passwords_are_counted_by_the_address_that_a_proxy_saw(running):
    def tried(address: str, password: str) -> str:
        headers = {"origin": running.url, "x-forwarded-for": address}
        form = {"username": "ann", "password": password}
        return httpx.post(running.url + "/signin", data=form, headers=headers).headers["location"]

    told = [tried("192.0.2.1", f"guess {n}") for n in range(21)]
    assert ["wrong" in place for place in told] == [True] * 20 + [False]
    assert "error=often" in told[20]
    assert "error=often" in tried("192.0.2.1", "apple")
    assert tried("192.0.2.2", "apple") == "/"
