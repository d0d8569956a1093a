"""A real Chromium, the page on scripted turns, and people who sign in.

chromium    the browser, one for the whole run
scripted    the page on `FakeTurns`, served on an ephemeral port
visit       opens a signed-in page: visit(user="anna", locale="en-GB", width=1280, dark=False, base=None)
"""

import asyncio
import shutil
from asyncio import events
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.serve import Served, serve
from tests.ui.house import House

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
Visit = Callable[..., Page]
PATIENCE = 5_000  # milliseconds that playwright waits for what is expected, unless a suite asks for more


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


def executable() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert found, "the browser tests need Chromium: make chromium"
    return found


class Driver:
    """Playwright's synchronous API keeps a loop running in this thread; hide it while other tests run theirs."""

    def __init__(self) -> None:
        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self.browser = self._playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        self.hide()

    def show(self) -> None:
        events._set_running_loop(self._loop)

    def hide(self) -> None:
        events._set_running_loop(None)

    def stop(self) -> None:
        self.show()
        self.browser.close()
        self._playwright.stop()


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    """One browser for the whole run."""
    driver = Driver()
    yield driver
    driver.stop()


@pytest.fixture
def chromium(driver: Driver) -> Iterator[Browser]:
    """The browser, usable during this test."""
    driver.show()
    yield driver.browser
    driver.hide()


@pytest.fixture(scope="session")
def scripted() -> Iterator[Served]:
    house = House()
    with serve(house) as served:
        yield served


@pytest.fixture
def visit(chromium: Browser, scripted: Served) -> Iterator[Visit]:
    """Every page has a fresh profile; errors in the page fail the test."""
    contexts = []
    errors: list[str] = []

    def open_page(*, user="anna", locale="en-GB", width=1280, height=860, dark=False, base=None, path="/") -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, locale=locale, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        sign_in(page, base or scripted.url, user)
        if path != "/":
            page.goto((base or scripted.url) + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def sign_in(page: Page, base: str, user: str) -> None:
    page.goto(base + "/signin")
    page.locator(f'button[value="{user}"]').click()
    page.locator(".cs-box textarea").wait_for()
