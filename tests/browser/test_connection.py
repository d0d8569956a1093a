"""A server that does not answer for a while: the page says so in words, goes on by itself and keeps what was typed."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.acts import say, settled
from tests.browser.conftest import sign_in


def cut_off(page: Page) -> None:
    page.route("**/*", lambda route: route.abort())


@pytest.mark.parametrize("path", ["/", "/approvals"])
def test_every_page_says_that_the_server_does_not_answer_and_when_it_does_again(visit, path):
    page = visit(path=path, locale="ru-RU")
    expect(page.locator(".cs-side")).to_be_visible()
    cut_off(page)
    expect(page.get_by_role("alert")).to_contain_text("Сервер не отвечает")
    page.unroute("**/*")
    expect(page.locator(".cs-away")).to_have_count(0)


def test_one_request_that_fails_alarms_nobody(visit):
    page = visit()
    failed = []
    page.route("**/ui/shell*", lambda route: route.abort() if not failed else route.continue_())
    page.on("requestfailed", lambda request: failed.append(request.url))
    with page.expect_response("**/healthz"):
        page.wait_for_event("requestfailed")
    page.wait_for_timeout(500)
    assert failed
    expect(page.locator(".cs-away")).to_have_count(0)


def test_what_was_typed_is_for_its_writer_alone(visit, scripted):
    page = visit(user="anna")
    box = page.locator(".cs-box textarea")
    box.fill("between us")
    expect(page.locator(".cs-acct")).to_be_visible()
    page.context.clear_cookies()
    sign_in(page, scripted.url, "vera")
    page.wait_for_timeout(4_000)  # longer than a page tries to put words back
    expect(box).to_have_value("")
    page.context.clear_cookies()
    sign_in(page, scripted.url, "anna")
    expect(box).to_have_value("between us")
    page.get_by_role("button", name="Account:").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/signin*")
    assert "between us" not in page.evaluate("JSON.stringify({...sessionStorage})")


def test_what_was_typed_comes_back_however_late_the_page_learns_who_is_here(visit):
    page = visit()
    box = page.locator(".cs-box textarea")
    expect(page.locator(".cs-acct")).to_be_attached()
    box.fill("hello there")
    held, known = [], False
    page.goto("about:blank")
    page.route("**/ui/shell*", lambda route: route.continue_() if known else held.append(route))
    page.go_back()
    expect(box).to_be_visible()
    page.wait_for_timeout(4_000)  # longer than the box is watched once the person is known
    expect(box).to_have_value("")
    known = True
    held[0].continue_()
    expect(box).to_have_value("hello there")


def test_what_was_typed_is_kept_until_the_server_has_it(visit):
    page = visit()
    box = page.locator(".cs-box textarea")
    box.fill("hello there")
    page.reload()
    expect(box).to_have_value("hello there")
    cut_off(page)
    box.press("Enter")
    expect(page.locator(".cs-away")).to_be_visible()
    page.unroute("**/*")
    expect(page.locator(".cs-away")).to_have_count(0)
    expect(box).to_have_value("hello there")
    say(page, "hello there")
    settled(page)
    page.reload()
    expect(page.locator(".user-row")).to_have_count(1)
    expect(box).to_have_value("")
