"""The demo site of `deploy/embed` with the real product inside: sign in by handshake, ask, sign, see it happen."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.workspace import ROOT, Workspace, free_port

SLOW = 30_000


@pytest.fixture
def demo() -> Iterator[str]:
    """The address of the site; the chat beside it."""
    port, own = free_port(), ""
    own = f"http://localhost:{port}"
    settings = {"SIGN_IN": "embed", "FRAME_ANCESTORS": own, "USER_ISSUER": own, "USER_JWKS_URL": f"{own}/jwks"}
    workspace = Workspace(Path(tempfile.mkdtemp(prefix="countersign-embed-")))
    command = [sys.executable, "deploy/embed/site.py", "--port", str(port), "--chat", workspace.url]
    site = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        workspace.start(**settings)
        while httpx.get(f"{own}/jwks").status_code != 200:
            time.sleep(0.1)
        yield own
        assert workspace.faults() == []
    finally:
        site.terminate()
        site.wait(10)
        workspace.remove()


def test_the_demo_site_shows_a_chat_that_signs_and_acts(chromium: Browser, demo: str) -> None:
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(SLOW)
    page.goto(demo)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#events")).to_contain_text("ready", timeout=SLOW)
    frame = page.frame_locator("iframe")
    box = frame.locator(".cs-box textarea")
    expect(frame.locator(".submit-button")).to_be_visible(timeout=SLOW)
    for _ in range(5):
        box.fill("delete dashboard 412")
        page.wait_for_timeout(300)
        if box.input_value():
            break
    box.press("Enter")
    sign = frame.locator("[data-act=approve]")
    expect(sign).to_be_visible(timeout=SLOW)
    page.wait_for_timeout(900)
    sign.scroll_into_view_if_needed()
    expect(sign).to_have_attribute("data-seen", "true")
    page.wait_for_timeout(900)
    sign.click()
    receipt = frame.locator(".cs-receipt.is-approved")
    expect(receipt).to_contain_text("Countersigned by Rita Holm", timeout=SLOW)
    expect(page.locator("#events")).to_contain_text("confirm_required")
    expect(page.locator("#events")).to_contain_text("answer", timeout=SLOW)
    page.close()
