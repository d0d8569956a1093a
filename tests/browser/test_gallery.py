"""Every card state, light, dark and narrow, English and Russian: drawn, nothing overflows, no axe finding.

Dark in Russian is looked at in the long tests: its colours are those of English, its words those of light.

The pictures go to `tests/browser/shots/` (not kept in the repository); look at them after a change of the sheets.
"""

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.acts import ARMED
from tests.browser.conftest import sign_in
from tests.browser.drawing import LOOK, looked_at, out_of_reach
from tests.browser.serve import Served, serve
from tests.ui.gallery import STATES, gallery, spent
from tests.ui.house import House

SHOTS = Path(__file__).parent / "shots"
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOKS = {"light": (1280, 860, "light"), "dark": (1280, 860, "dark"), "390": (390, 844, "light")}
SHOWN = [
    pytest.param(lang, look, marks=[pytest.mark.long] if (lang, look) == ("ru", "dark") else [])
    for lang in ("en", "ru")
    for look in LOOKS
]
EXPECTED = {
    "en": {"pending": "Waiting for your signature", "denied": "Nothing ran.", "unsignable": "Only the admin role"},
    "ru": {"pending": "Ждёт вашей подписи", "denied": "Ничего не выполнено.", "unsignable": "может только роль"},
}


@pytest.fixture(scope="module")
def exhibition(request) -> Iterator[Served]:
    house = House()
    shown = gallery("test|ilya", request.param)
    house.turns.conversations_ = {conversation.id: conversation for conversation in shown.values()}
    house.lang = request.param
    house.usage.rows = spent("test|ilya")
    with serve(house) as served:
        yield served


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("exhibition", "look"), SHOWN, indirect=["exhibition"])
def test_every_card_state(chromium: Browser, exhibition: Served, look: str):
    width, height, scheme = LOOKS[look]
    lang = exhibition.house.lang
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        locale={"en": "en-GB", "ru": "ru-RU"}[lang],
        reduced_motion="reduce",
    )
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", lambda answer: errors.extend(missing(answer)))
    page.route("**/ui/decide", lambda route: None)  # what is decided here stays on its way
    sign_in(page, exhibition.url, "ilya")
    page.evaluate(AXE)
    seen: set[str] = set()
    findings = [f for name in STATES for f in look_at(page, exhibition, name, f"{name}_{look}_{lang}", seen)]
    context.close()
    assert errors == []
    assert "\n".join(findings) == ""
    assert sorted(LOOK.keys() - seen) == [], "drawn in no state"


def missing(answer: Response) -> list[str]:
    """A sheet or a script that did not come."""
    lost = answer.status >= 400 and answer.request.resource_type in ("stylesheet", "script")
    return [f"{answer.status} {answer.url}"] if lost else []


def look_at(page: Page, exhibition: Served, name: str, shot: str, seen: set[str]) -> list[str]:
    """Show a state without a reload, take its picture, and say what is wrong with it; `seen` grows."""
    conversation = next(c for c in exhibition.house.turns.conversations_.values() if c.title == name)
    page.locator(f"[data-id='{conversation.id}'] .cs-conv-a").dispatch_event("click")
    expect(page.locator(".cs-h1")).to_have_text(name)
    expect(page.locator(".user-row").last).to_contain_text(f"({name})")
    expect(page.locator(".cs-card").last).to_be_attached()
    if (words := EXPECTED[exhibition.house.lang].get(name)) is not None:
        expect(page.locator(".cs-card").last).to_contain_text(words)
    if name in ACTS:
        ACTS[name](page)
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"{shot}.png")
    found, wrong = looked_at(page)
    seen |= found
    problems = (*_overflow(page), *_axe(page), *wrong, *out_of_reach(page))
    return [f"{shot}: {problem}" for problem in problems]


@pytest.mark.parametrize(("exhibition", "look"), SHOWN, indirect=["exhibition"])
def test_every_page(chromium: Browser, exhibition: Served, look: str):
    width, height, scheme = LOOKS[look]
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(exhibition.url + "/signin?lang=" + exhibition.house.lang)
    findings = problems(page, f"signin_{look}")
    page.locator('button[value="ilya"]').click()
    page.locator(".cs-chip").first.wait_for()
    findings += problems(page, f"empty_{look}")
    if look == "390":
        page.locator(".cs-burger").click()
        findings += problems(page, f"drawer_{look}")
    page.locator(".cs-acct").click()
    page.locator(".cs-always summary").click()
    findings += problems(page, f"account_{look}")
    for name, drawn in (
        ("approvals", ".cs-confirm"),
        ("audit", ".cs-table.audit td"),
        ("usage", ".cs-chart"),
        ("router", ".cs-route"),
    ):
        if name == "router":
            sign_in(page, exhibition.url, "anna")  # that page is for admins
        page.goto(f"{exhibition.url}/{name}")
        page.locator(drawn).first.wait_for()
        page.locator(".cs-acct").wait_for(state="attached")
        findings += problems(page, f"{name}_{look}")
    context.close()
    assert "\n".join(findings) == ""


def problems(page: Page, name: str) -> list[str]:
    """A picture, and what is wrong with it."""
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"page_{name}.png")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return [f"{name}: {problem}" for problem in (*_overflow(page), *_axe(page))]


def edit(page: Page) -> None:
    page.locator("[data-act=edit]").click()


def edit_wrongly(page: Page) -> None:
    edit(page)
    page.locator(".cs-form input").first.fill("")
    press(page, "approve")
    expect(page.locator(".cs-form [aria-invalid=true]").first).to_be_focused()


def edit_rightly(page: Page) -> None:
    edit(page)
    page.locator(".cs-form input").first.fill("Monthly revenue")
    expect(page.locator(".cs-hint.changed")).to_be_visible()


def give_a_reason(page: Page) -> None:
    page.locator(".cs-confirm [aria-controls^=rr-]").click()
    page.keyboard.type("Keep it")


def sign_unnamed(page: Page) -> None:
    press(page, "approve")
    expect(page.locator(".cs-typed [aria-invalid=true]")).to_be_focused()


def press(page: Page, act: str) -> None:
    page.wait_for_timeout(ARMED)
    page.locator(f"[data-act={act}]").click(force=True)


def wait_for_sign(page: Page) -> None:
    press(page, "approve")
    expect(page.locator(".cs-status")).not_to_be_empty()


def wait_for_deny(page: Page) -> None:
    press(page, "deny")
    expect(page.locator(".cs-status")).not_to_be_empty()


def open_all(page: Page) -> None:
    page.locator(".cs-steps-sum").click()
    page.evaluate("document.querySelectorAll('.cs-step:not([open]) > summary').forEach(summary => summary.click())")


def open_patch(page: Page) -> None:
    page.locator(".cs-steps-sum").click()
    page.locator("[data-tool=apply_document_patch] > summary").click()


ACTS: dict[str, Callable[[Page], None]] = {
    "form": edit,
    "form_wrong": edit_wrongly,
    "form_changed": edit_rightly,
    "reason": give_a_reason,
    "typed_wrong": sign_unnamed,
    "signing": wait_for_sign,
    "denying": wait_for_deny,
    "steps": lambda page: page.locator(".cs-steps-sum").click(),
    "kinds": open_all,
    "patched": open_patch,
    "batch": lambda page: page.locator(".cs-row summary").first.click(),
}


def _overflow(page: Page) -> list[str]:
    """Elements of cards that stick out of the window, and a page that scrolls sideways."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.cs-card, .cs-card *, .cs-content *')]
          .filter(e => !e.closest('.cs-scroll'))
          .filter(e => { const r = e.getBoundingClientRect(); return r.width && r.right > innerWidth + 1 })
          .map(e => 'sticks out: ' + e.className).slice(0, 3)
          .concat(document.documentElement.scrollWidth > innerWidth + 1 ? ['the page scrolls sideways'] : [])"""
    )


def _axe(page: Page) -> list[str]:
    return page.evaluate(
        """async rules => (await axe.run(document, {runOnly: rules, resultTypes: ['violations']})).violations
          .map(v => `${v.id}: ${v.nodes[0].target.join(' ')}: ${v.nodes[0].failureSummary}`)""",
        RULES,
    )
