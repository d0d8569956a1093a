"""The chat in a frame of another site, in a Chromium that blocks cookies and storage of third parties."""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from tests.browser.conftest import FLAGS, Driver, executable
from tests.browser.hostile import hostile
from tests.browser.leak import leak_server
from tests.browser.parent import Site, host_page, site
from tests.browser.serve import Served, serve
from tests.browser.test_hostile import ACTIVE, AT_ONCE
from tests.ui.house import OPTIONS, House

BLOCKED = {"profile": {"cookie_controls_mode": 1, "block_third_party_cookies": True}}
INLINE = {"mode": "inline", "target": "#chat"}


@pytest.fixture(scope="module")
def parent() -> Iterator[Site]:
    with site() as made:
        yield made


@pytest.fixture(scope="module")
def stranger() -> Iterator[Site]:
    with site() as made:
        yield made


@pytest.fixture(scope="module")
def chat(parent: Site) -> Iterator[Served]:
    options = replace(OPTIONS, sign_in="embed", frame_ancestors=(parent.url,))
    with serve(House(options)) as served:
        yield served


@pytest.fixture(scope="module")
def context(driver: Driver) -> Iterator[BrowserContext]:
    """A profile that blocks what third parties keep."""
    driver.show()
    with tempfile.TemporaryDirectory(prefix="countersign-profile-") as folder:
        preferences = Path(folder) / "Default" / "Preferences"
        preferences.parent.mkdir()
        preferences.write_text(json.dumps(BLOCKED))
        opened = driver.browser.browser_type.launch_persistent_context(
            folder, executable_path=executable(), args=FLAGS, locale="en-GB", viewport={"width": 1100, "height": 900}
        )
        driver.hide()
        yield opened
        driver.show()
        opened.close()
    driver.hide()


@pytest.fixture
def visit(driver: Driver, context: BrowserContext, parent: Site, chat: Served) -> Iterator[Callable[..., Page]]:
    """Opens the other site's page with the chat inside: visit(token=..., more=..., mode=...)."""
    driver.show()
    pages = []

    def open_page(more: str = "", token: str = "eyJ.anna.x", **data: str) -> Page:
        parent.pages["/"] = host_page(chat.url, token, more, **({**INLINE, **data}))
        page = context.new_page()
        page.set_default_timeout(20_000)
        pages.append(page)
        page.goto(parent.url)
        return page

    yield open_page
    for page in pages:
        page.close()
    driver.hide()


def inside(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def told(page: Page, name: str) -> None:
    """Wait until the page around has heard of it."""
    page.wait_for_function("name => told.some(event => event.name === name)", arg=name)


def say(page: Page, text: str) -> None:
    """As `acts.say`, in the frame."""
    told(page, "ready")
    box = inside(page).locator(".cs-box textarea")
    expect(inside(page).locator(".submit-button")).to_be_visible(timeout=20_000)
    for _ in range(5):
        box.fill(text)
        page.wait_for_timeout(300)
        if box.input_value() == text and inside(page).locator(".submit-button").is_visible():
            break
    box.press("Enter")
    expect(inside(page).locator(".user-row").last).to_contain_text(text)


def test_storage_and_cookies_are_blocked_in_this_frame(visit):
    page = visit()
    told(page, "ready")
    frame = page.frames[1]
    assert frame.evaluate("(document.cookie = 'a=b; SameSite=None', document.cookie)") == ""
    assert frame.evaluate("localStorage.getItem.toString()").startswith("k =>"), "the page's stand-in serves"


@pytest.mark.parametrize("number", range(20))
def test_the_frame_loads_and_signs_in(visit, number):
    page = visit()
    told(page, "ready")
    expect(inside(page).locator(".cs-box textarea")).to_be_visible(timeout=20_000)
    expect(inside(page).locator(".cs-welcome")).to_be_visible()
    assert page.evaluate("given") == 1


def test_a_request_is_confirmed_in_the_frame_and_the_page_around_hears_of_it(visit, chat):
    page = visit()
    say(page, "delete framed_board")
    told(page, "confirm_required")
    sign = inside(page).locator("[data-act=approve]")
    sign.hover()
    page.wait_for_timeout(900)
    expect(sign).to_have_attribute("data-seen", "true")
    sign.click()
    expect(inside(page).locator(".cs-receipt.is-approved")).to_be_visible()
    told(page, "answer")
    assert "framed_board" in chat.house.turns.effects
    event = page.evaluate("told.find(event => event.name === 'confirm_required')")
    assert event["conversation"] in chat.house.turns.conversations_


def test_what_lies_over_the_button_keeps_it_from_working(visit, chat):
    cover = '<div id="cover" style="position:fixed;inset:0;background:#fff;opacity:.99;pointer-events:none"></div>'
    page = visit()
    say(page, "delete covered_board")
    sign = inside(page).locator("[data-act=approve]")
    expect(sign).to_be_visible()
    page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", cover)
    expect(sign).to_have_attribute("data-seen", "false")
    page.wait_for_timeout(800)
    sign.click()
    expect(inside(page).locator(".cs-status")).to_contain_text("lies over this button")
    assert "covered_board" not in chat.house.turns.effects
    page.evaluate("cover.remove()")
    expect(sign).to_have_attribute("data-seen", "true")
    sign.click()
    expect(inside(page).locator(".cs-receipt")).to_have_count(0)
    page.wait_for_timeout(600)
    sign.click()
    expect(inside(page).locator(".cs-receipt.is-approved")).to_be_visible()


def test_the_token_is_in_no_address_no_storage_and_no_cookie(visit):
    page = visit()
    told(page, "ready")
    frame = page.frames[1]
    places = "[{...localStorage}, {...sessionStorage}, document.cookie, location.href, history.state]"
    entries = "performance.getEntries().map(e => e.name)"
    kept = frame.evaluate(
        f"JSON.stringify([{places}, {entries}, Object.values(window).filter(v => typeof v == 'string')])"
    )
    assert "eyJ" not in kept
    assert "eyJ" not in page.url


def test_a_hostile_page_does_not_show_the_chat(visit, context, chat, stranger):
    stranger.pages["/"] = host_page(chat.url, **INLINE)
    page = context.new_page()
    page.goto(stranger.url)
    page.wait_for_timeout(1500)
    assert page.frames[1].url.startswith("chrome-error:")
    assert page.evaluate("[given, told.length]") == [0, 0]
    page.close()


def test_a_window_of_a_wrong_origin_gets_no_hello_and_cannot_sign_anyone_in(visit, context, chat, stranger):
    """Other frames and windows speak to the chat's frame; it answers its own listed parent alone."""
    spoof = """<script>
      window.heard = [];
      addEventListener("message", (event) => heard.push(event.data));
      const frame = () => parent.frames[0];
      const data = { nonce: "x", token: "eyJ.vera.x", conversation: "c" };
      setInterval(() => ["token", "open", "theme", "signout"].forEach((name) =>
        frame().postMessage({ type: "countersign:" + name, ...data }, "*")), 50);
    </script>"""
    stranger.pages["/evil"] = f"<!doctype html>{spoof}"
    page = visit(more=f'<iframe src="{stranger.url}/evil"></iframe>')
    told(page, "ready")
    page.wait_for_timeout(1000)
    assert page.frames[2].evaluate("heard") == []
    shell = "fetch('/ui/shell').then(answer => answer.json()).then(shell => shell.person.name)"
    assert page.frames[1].evaluate(shell) == "Anna Petrova"


def test_a_guessed_nonce_of_the_right_origin_is_not_enough(visit):
    page = visit(token="")
    page.wait_for_timeout(500)
    page.evaluate(
        "url => frames[0].postMessage({type: 'countersign:token', nonce: '0'.repeat(32), token: 'eyJ.vera.x'}, url)",
        page.frames[1].url.split("/?")[0],
    )
    page.wait_for_timeout(500)
    assert page.frames[1].evaluate("Boolean(document.querySelector('.cs-account'))") is False
    assert not page.evaluate("told.some(event => event.name === 'ready')")


def test_a_token_that_does_not_hold_is_refused_and_a_good_one_helps(visit):
    page = visit(token="eyJ.mallory.x")
    told(page, "refused")
    assert page.evaluate("told[0].status") == 401
    page.evaluate("window.token = 'eyJ.ilya.x'")
    page.frames[1].evaluate("CSFrame.expired()")
    told(page, "ready")


def test_the_page_around_chooses_conversation_theme_and_language(visit, chat):
    page = visit(lang="ru", theme="dark")
    told(page, "ready")
    expect(inside(page).locator("html")).to_have_attribute("lang", "ru")
    expect(inside(page).locator("body.dark")).to_have_count(1)
    page.evaluate("Countersign.theme('light')")
    expect(inside(page).locator("body.dark")).to_have_count(0)
    say(page, "hello from the frame")
    told(page, "answer")
    place = page.evaluate("told.find(event => event.name === 'answer').conversation")
    page.evaluate("Countersign.show('')")
    expect(inside(page).locator(".user-row")).to_have_count(0)
    page.evaluate("place => Countersign.show(place)", place)
    expect(inside(page).locator(".user-row")).to_contain_text("hello from the frame")


def test_signing_out_ends_the_session(visit, chat):
    page = visit()
    told(page, "ready")
    before = len(chat.house.rows.rows)
    page.evaluate("Countersign.signOut()")
    told(page, "signedout")
    assert len(chat.house.rows.rows) == before - 1


def test_who_signed_out_is_not_signed_in_by_what_was_on_its_way(visit, chat):
    page = visit()
    told(page, "ready")
    before = len(chat.house.rows.rows)
    slow = "new Promise(done => { given += 1; window.hand = () => done(window.token); })"
    page.evaluate(f"() => {{ window.giveToken = () => {slow} }}")
    page.frames[1].evaluate("CSFrame.expired()")
    page.wait_for_function("given === 2")
    page.evaluate("Countersign.signOut()")
    told(page, "signedout")
    page.evaluate("hand()")
    page.frames[1].evaluate("CSFrame.expired()")
    page.wait_for_timeout(500)
    assert page.evaluate("given") == 2
    assert len(chat.house.rows.rows) == before - 1


def test_the_button_opens_a_panel(visit):
    page = visit(mode="float", label="Ask")
    assert len(page.frames) == 1, "nothing is loaded before somebody wants it"
    page.get_by_role("button", name="Ask").click()
    told(page, "ready")
    expect(inside(page).locator(".cs-box textarea")).to_be_visible()
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("iframe")).to_be_hidden()


@pytest.mark.parametrize("first", range(0, 60, AT_ONCE))
def test_sixty_payloads_tell_a_stranger_nothing_from_a_frame(visit, chat, first):
    with leak_server() as leak:
        payloads = leak.payloads()[first : first + AT_ONCE]
        with hostile(chat.house, "test|anna", *payloads) as conversation:
            page = visit(conversation=conversation.id)
            asked = []
            page.on("request", lambda request: asked.append(request.url))
            cards = inside(page).locator(".cs-chat .cs-confirm")
            expect(cards).to_have_count(AT_ONCE, timeout=20_000)
            for summary in inside(page).locator("summary:visible").all():
                summary.click()
            active = inside(page).locator(f".cs-chat :is({ACTIVE})")
            assert active.evaluate_all("all => all.map(e => e.outerHTML)") == []
        assert leak.came == []
        assert not [url for url in asked if url.startswith(leak.url)]
