"""What the model and tools say is hostile: in Chromium nothing runs, nothing is fetched, nothing poses as a button."""

from collections.abc import Iterator
from html import escape

import pytest
from playwright.sync_api import Page, expect

from tests.browser.acts import say, settled
from tests.browser.hostile import hostile
from tests.browser.leak import Leak, leak_server
from tests.ui.test_render import ATTACKS

EVIL = (
    '<img src=x onerror="window.pwn=1"><script>window.pwn=1</script>'
    "${Object.assign(window,{pwn:1})}{{constructor.constructor('window.pwn=1')()}}`\u202egnp.exe"
)
SAID = ("[a link](https://example.com/?q=1)", *ATTACKS)
# Gradio's own copy button has a style in its picture.
ACTIVE = (
    "script, iframe, object, embed, link, style:not(button style), meta, base, form, img, video, audio, picture, source"
)
AT_ONCE = 6
LOOSE = "allow-scripts allow-same-origin allow-forms"


@pytest.fixture
def leak() -> Iterator[Leak]:
    with leak_server() as stranger:
        yield stranger


def look_at_everything(page: Page, conversation: str, base: str) -> None:
    """Open what can be opened: the transcript, its details, the edit form, the page of requests."""
    page.goto(f"{base}/?conversation={conversation}")
    expect(page.locator(".cs-confirm").first).to_be_visible()
    for summary in page.locator("summary:visible").all():
        summary.click()
    page.locator("[data-act=edit]").last.click()
    expect(page.locator(".cs-confirm .cs-form").last).to_be_visible()


def test_hostile_strings_do_nothing(visit, scripted):
    page = visit()
    foreign = []
    page.on(
        "request",
        lambda request: request.url.startswith((scripted.url, "data:", "blob:")) or foreign.append(request.url),
    )
    page.on("dialog", lambda dialog: foreign.append(dialog.message))
    with hostile(scripted.house, "test|anna", EVIL, said=SAID) as conversation:
        look_at_everything(page, conversation.id, scripted.url)
        expect(page.locator(".cs-confirm")).to_contain_text("onerror")
        page.goto(scripted.url + "/approvals")
        expect(page.locator(f"#call-a-{conversation.id}-0")).to_contain_text("onerror")
        assert page.evaluate("window.pwn") is None
    assert foreign == []


def test_the_payloads_leak_where_nothing_guards(chromium, leak):
    """What the next test stands on: a page without our renderer and our policy does tell the stranger.

    Each payload has a frame of its own: a page that is closed while it navigates away can hang the browser.
    """
    frames = (f'<iframe sandbox="{LOOSE}" srcdoc="{escape(payload)}"></iframe>' for payload in leak.payloads())
    leak.html = f"<!doctype html><body>{''.join(frames)}</body>"
    page = chromium.new_page()
    page.goto(leak.url, wait_until="commit")
    told: set[str] = set()
    for _ in range(100):
        page.wait_for_timeout(100)
        told = {path.split("?")[0] for path in leak.came}
        if len(told) >= 30:
            break
    page.close()
    assert len(told) >= 30, sorted(told)


@pytest.mark.parametrize("first", range(0, 60, AT_ONCE))
def test_sixty_payloads_tell_a_stranger_nothing(visit, scripted, leak, first):
    payloads = leak.payloads()
    assert len(payloads) == 60
    page = visit()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    with hostile(scripted.house, "test|anna", *payloads[first : first + AT_ONCE]) as conversation:
        look_at_everything(page, conversation.id, scripted.url)
        shown = page.locator(".cs-chat")
        expect(shown.locator(".cs-confirm")).to_have_count(AT_ONCE)
        assert shown.locator(f":is({ACTIVE})").evaluate_all("all => all.map(e => e.outerHTML)") == []
        assert page.evaluate("[...document.forms].map(f => f.action).filter(a => !a.startsWith(location.origin))") == []
        page.goto(scripted.url + "/approvals")
        expect(page.locator(f".cs-confirm[id^='call-a-{conversation.id}']")).to_have_count(AT_ONCE)
    assert not [url for url in asked if url.startswith(leak.url)]
    assert leak.came == []


def test_answers_hold_no_controls_and_links_that_tell_nothing(visit, scripted):
    with hostile(scripted.house, "test|anna", EVIL, said=SAID) as conversation:
        page = visit(path=f"/?conversation={conversation.id}")
        expect(page.locator(".cs-confirm")).to_be_visible()
        controls = ".bot .md :is(form, input, button, img, iframe, script, style, svg, math, object)"
        assert page.locator(controls).count() == 0
        links = page.evaluate("[...document.querySelectorAll('.bot .md a')].map(a => [a.rel, a.protocol])")
        assert links
        assert all("noreferrer" in rel and protocol in ("http:", "https:", "mailto:") for rel, protocol in links)
        named = "[...document.querySelectorAll('.cs-chat *')].flatMap(e => e.getAttributeNames())"
        assert not [name for name in page.evaluate(named) if name.startswith("on")]
        expect(page.locator(".cs-confirm .cs-title")).to_contain_text("\\u202e")


def test_a_persons_own_words_are_shown_as_typed(visit):
    page = visit()
    say(page, "hello <b>bold</b> & <img src=x onerror=alert(1)>")
    settled(page)
    expect(page.locator(".user-row")).to_contain_text("hello <b>bold</b> & <img src=x onerror=alert(1)>")


def test_nothing_secret_is_in_the_browsers_storage(visit):
    page = visit()
    say(page, "delete stored")
    page.locator(".cs-confirm").wait_for()
    places = "[{...localStorage}, {...sessionStorage}, document.cookie, performance.getEntries().map(e => e.name)]"
    kept = page.evaluate(f"JSON.stringify({places})")
    assert "eyJ" not in kept
    assert "countersign=" not in page.evaluate("document.cookie")
