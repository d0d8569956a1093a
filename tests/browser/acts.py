"""What a person does on the page, and what they look at."""

from playwright.sync_api import Locator, Page, expect

ARMED = 750  # milliseconds until Sign takes a press


def say(page: Page, text: str) -> None:
    """Write a message and send it; back once the page shows it."""
    expect(page.locator(".submit-button")).to_be_visible()
    box = page.locator(".cs-box textarea")
    box.fill(text)
    box.press("Enter")
    expect(page.locator(".user-row").last).to_contain_text(text[:200])


def settled(page: Page) -> None:
    """The answer is complete."""
    expect(page.locator(".submit-button")).to_be_visible()
    expect(page.locator(".cs-box textarea")).to_be_enabled()
    expect(page.locator("html:not(.cs-busy)")).to_have_count(1)


def card(page: Page) -> Locator:
    """The newest request that waits."""
    return page.locator(".cs-confirm:not(.settled)").last


def sign(page: Page) -> None:
    """Press Sign once it takes a press."""
    expect(card(page)).to_be_visible()
    page.wait_for_timeout(ARMED)
    card(page).locator("[data-act=approve]").click()


def deny(page: Page, reason: str = "") -> None:
    """Press Deny, or give a reason and press Enter."""
    if not reason:
        card(page).locator("[data-act=deny]").click()
        return
    card(page).get_by_role("button", name="Add a reason").click()
    page.keyboard.type(reason)
    page.keyboard.press("Enter")


def focused(page: Page) -> str:
    """What has the focus: its act, its text or its name."""
    return page.evaluate(
        "(() => { const a = document.activeElement;"
        " return (a.dataset.act || a.innerText || a.getAttribute('aria-label') || a.tagName).trim().slice(0, 60) })()"
    )


def at_rest(page: Page) -> None:
    """Wait until the transcript has not scrolled by itself for a second, as it does when a request is new."""
    page.wait_for_function("""() => {
      const top = document.querySelector('.bubble-wrap').scrollTop, rest = window.restedAt ??= {};
      if (rest.top !== top) Object.assign(rest, { top, since: performance.now() });
      return performance.now() - rest.since > 1000;
    }""")
