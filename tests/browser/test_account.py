"""What a person chooses: review of changes, what never asks, theme, language, and leaving."""

import re

from playwright.sync_api import expect

from tests.browser.acts import say, settled


def test_review_of_changes_is_switched_for_a_conversation_but_not_during_an_answer(visit, scripted):
    page = visit(user="ilya")
    say(page, "slow review")
    expect(page.get_by_role("switch", name="Review changes")).to_be_disabled()
    page.locator(".stop-button").click()
    settled(page)
    switch = page.get_by_role("switch", name="Review changes")
    expect(switch).to_be_enabled()
    switch.click()
    expect(page.get_by_role("switch", name="Review changes")).to_have_attribute("aria-checked", "true")
    conversation = scripted.house.turns.conversations_[page.url.split("=")[1]]
    assert conversation.review
    page.reload()
    expect(page.get_by_role("switch", name="Review changes")).to_have_attribute("aria-checked", "true")


def test_a_tool_that_need_not_ask_is_listed_and_taken_back(visit, scripted):
    page = visit(user="vera")
    page.get_by_role("button", name="Account:").click()
    page.locator(".cs-always summary").click()
    box = page.get_by_role("checkbox", name="Change a dashboard")
    box.check()
    expect(box).to_be_checked()
    page.reload()
    page.get_by_role("button", name="Account:").click()
    page.locator(".cs-always summary").click()
    expect(page.get_by_role("checkbox", name="Change a dashboard")).to_be_checked()
    page.get_by_role("checkbox", name="Change a dashboard").uncheck()
    page.wait_for_timeout(300)
    assert scripted.house.turns.always == set()


def test_theme_and_language_are_kept(visit):
    page = visit()
    page.get_by_role("button", name="Account:").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("body.dark")).to_have_count(1)
    page.get_by_role("button", name="Account:").click()
    page.get_by_role("button", name="Русский").click()
    expect(page.locator(".cs-welcome h2")).to_have_text("С чем разобраться?")
    expect(page.locator("body.dark")).to_have_count(1)
    page.get_by_role("link", name="Журнал").click()
    expect(page.locator(".cs-h1")).to_have_text("Журнал")


def test_signing_out_leads_to_the_sign_in(visit):
    page = visit()
    page.get_by_role("button", name="Account:").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/signin"))
    page.go_back()
    expect(page).to_have_url(re.compile("/signin"))


def test_a_session_that_ended_leads_to_the_sign_in_and_back(visit, scripted):
    page = visit()
    say(page, "hello session")
    settled(page)
    there = page.url
    page.context.clear_cookies()
    expect(page).to_have_url(re.compile("/signin"), timeout=10_000)
    page.locator('button[value="anna"]').click()
    expect(page).to_have_url(there)
    expect(page.locator(".user-row")).to_contain_text("hello session")


def test_the_drawer_on_a_phone(visit):
    page = visit(width=390, height=844)
    side = page.locator("#cs-side")
    assert side.evaluate("e => e.inert")
    page.locator(".cs-burger").click()
    expect(page.get_by_role("button", name="Close sidebar")).to_be_focused()
    assert page.locator(".cs-page").evaluate("e => e.inert")
    page.keyboard.press("Escape")
    expect(page.locator(".cs-burger")).to_be_focused()
    assert side.evaluate("e => e.inert")
