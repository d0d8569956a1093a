"""Requests for a signature on the page: focus, keyboard, decisions, edits, several at once."""

import pytest
from playwright.sync_api import expect

from tests.browser.acts import ARMED, at_rest, card, deny, focused, say, settled, sign

COVERED = """() => [...document.querySelectorAll('.cs-confirm:not(.settled) .cs-actions button')].filter(b => {
  const box = b.getBoundingClientRect();
  return !b.contains(document.elementFromPoint(box.left + box.width / 2, box.bottom - 2));
}).map(b => b.innerText)"""


def test_deny_has_the_focus_and_sign_follows_last(visit):
    page = visit()
    say(page, "delete sales_a")
    settled(page)
    expect(card(page).locator("[data-act=deny]")).to_be_focused()
    order = []
    for _ in range(3):
        page.keyboard.press("Tab")
        order.append(focused(page))
    assert order == ["Add a reason", "approve", "Message"]


def test_sign_is_inert_just_after_the_card_appears(visit, scripted):
    page = visit()
    say(page, "delete sales_b")
    card(page).wait_for()
    page.evaluate("document.querySelector('[data-act=approve]').click()")
    page.wait_for_timeout(300)
    expect(card(page)).to_be_visible()
    assert "sales_b" not in scripted.house.turns.effects


def test_a_double_click_signs_once(visit, scripted):
    page = visit()
    say(page, "delete sales_c")
    card(page).wait_for()
    page.wait_for_timeout(ARMED)
    sent = []
    page.on("request", lambda request: request.url.endswith("/ui/decide") and sent.append(request.post_data_json))
    card(page).locator("[data-act=approve]").dblclick()
    expect(page.locator(".cs-receipt.is-approved")).to_contain_text("Moved to the trash.")
    assert [body["decision"] for body in sent] == ["approve"]
    assert scripted.house.turns.effects.count("sales_c") == 1


def test_deny_with_a_reason_leaves_it_in_the_transcript(visit, scripted):
    page = visit()
    say(page, "delete sales_d")
    deny(page, "keep the finance ones")
    receipt = page.locator(".cs-receipt.is-denied")
    expect(receipt).to_contain_text("keep the finance ones")
    expect(receipt).to_contain_text("Nothing ran.")
    expect(page.get_by_text("Understood, that is settled.")).to_be_visible()
    assert "sales_d" not in scripted.house.turns.effects


def test_escape_closes_the_reason_and_sends_nothing(visit):
    page = visit()
    say(page, "delete sales_e")
    card(page).get_by_role("button", name="Add a reason").click()
    page.keyboard.type("half")
    page.keyboard.press("Escape")
    expect(page.locator(".cs-reason")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(card(page)).to_be_visible()


def test_the_name_must_be_typed(visit, scripted):
    page = visit()
    say(page, "drop prod_sales")
    card(page).wait_for()
    page.wait_for_timeout(ARMED)
    card(page).locator("[data-act=approve]").click(force=True)  # aria-disabled: a press says what is missing
    expect(card(page).locator(".cs-typed .cs-err")).to_contain_text("not “prod_sales”")
    page.keyboard.type("prod_sales")
    page.keyboard.press("Enter")
    expect(card(page)).to_be_visible()
    card(page).locator("[data-act=approve]").click()
    expect(page.locator(".cs-receipt.is-approved")).to_be_visible()


def test_an_edit_is_checked_by_the_server_at_the_field_and_asks_again(visit, scripted):
    page = visit()
    say(page, "rename taken2")
    card(page).wait_for()
    page.wait_for_timeout(ARMED)
    card(page).get_by_role("button", name="Edit").click()
    name = card(page).get_by_label("Name")
    name.fill("taken")
    card(page).get_by_role("button", name="Check edits").click()
    expect(card(page).locator(".cs-err", has_text="This name is taken.")).to_be_visible()
    expect(name).to_be_focused()
    name.fill("Revenue 2027")
    expect(card(page).locator(".cs-hint.changed")).to_contain_text("Agent proposed: taken2")
    card(page).get_by_role("button", name="Check edits").click()
    expect(card(page).locator(".cs-title")).to_contain_text("Revenue 2027")
    expect(card(page).locator(".cs-edited")).to_contain_text("version 2")
    sign(page)
    expect(page.locator(".cs-receipt.is-approved")).to_contain_text("Revenue 2027")


def test_what_was_wrong_with_a_value_is_not_said_of_the_next(visit):
    page = visit()
    say(page, "rename anything")
    card(page).wait_for()
    page.route("**/ui/decide", lambda route: route.fulfill(status=422, json={"text": "There is no dashboard 999999."}))
    card(page).get_by_role("button", name="Edit").click()
    card(page).get_by_label("Dashboard").fill("999999")
    page.wait_for_timeout(ARMED)
    card(page).get_by_role("button", name="Check edits").click()
    expect(card(page).locator(".cs-status")).to_have_text("There is no dashboard 999999.")
    card(page).get_by_label("Dashboard").fill("28")
    expect(card(page).locator(".cs-status")).to_have_text("")
    card(page).get_by_label("Priority").fill("9")
    card(page).get_by_label("Priority").blur()
    expect(card(page).locator(".cs-err", has_text="Must be 5 or less.")).to_be_visible()
    card(page).get_by_label("Priority").press("1")
    expect(card(page).locator(".cs-err", has_text="Must be 5 or less.")).to_have_count(0)


@pytest.mark.parametrize("asked", ["delete", "rename", "drop"])
def test_the_buttons_of_a_new_request_are_in_view_on_a_phone(visit, asked):
    """At the least height at which the title and the buttons fit, and somewhat above it."""
    page = visit(width=390, height=844)
    say(page, f"{asked} sales_phone")
    settled(page)
    room = "(() => { const c = document.querySelector('.cs-confirm:not(.settled)'); return innerHeight + 30"
    room += " + c.getBoundingClientRect().bottom - c.querySelector('.cs-title').getBoundingClientRect().top"
    least = page.evaluate(room + " - c.closest('.bubble-wrap').clientHeight })()")
    for height in (least, least + 20, least + 40, least + 60):
        page.set_viewport_size({"width": 390, "height": int(height)})
        page.reload()
        settled(page)
        expect(card(page)).to_be_visible()
        page.wait_for_timeout(900)  # every scroll of the page's own is over
        assert page.evaluate(COVERED) == []


def test_a_form_with_a_wrong_value_is_not_sent(visit):
    page = visit()
    say(page, "rename something")
    card(page).wait_for()
    page.wait_for_timeout(ARMED)
    card(page).get_by_role("button", name="Edit").click()
    card(page).get_by_label("Priority").fill("9")
    card(page).get_by_role("button", name="Check edits").click(force=True)
    expect(card(page).locator(".cs-err", has_text="Must be 5 or less.")).to_be_visible()
    expect(card(page).get_by_label("Priority")).to_be_focused()


def test_two_calls_are_one_table_with_a_decision_each(visit, scripted):
    page = visit()
    say(page, "delete alpha and beta and gamma")
    rows = card(page).locator(".cs-row")
    expect(rows).to_have_count(3)
    expect(card(page).get_by_label("Select all")).to_be_disabled()
    expect(rows.nth(0).get_by_role("checkbox")).to_be_disabled()
    for i in range(3):
        rows.nth(i).locator("summary").click()
    expect(card(page).get_by_label("Select all")).to_be_enabled()
    rows.nth(1).get_by_role("checkbox").check()
    page.wait_for_timeout(ARMED)
    card(page).get_by_role("button", name="Sign 1 selected").click()
    expect(page.locator(".cs-row").nth(1)).to_have_attribute("data-state", "approved")
    card(page).get_by_role("button", name="Deny all 2").click()
    expect(page.locator(".cs-batch.settled")).to_contain_text("All decided")
    settled(page)
    assert [name for name in scripted.house.turns.effects if name in ("alpha", "beta", "gamma")] == ["beta"]


def test_a_new_message_replaces_the_request(visit):
    page = visit()
    say(page, "delete sales_f")
    card(page).wait_for()
    say(page, "delete sales_g")
    expect(page.locator(".cs-receipt.is-superseded")).to_contain_text("You wrote a new message")
    page.get_by_role("link", name="Go to the new request").click()
    expect(card(page).locator("[data-act=deny]")).to_be_focused()


def test_undo_on_the_receipt(visit):
    page = visit()
    say(page, "delete sales_h")
    sign(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".cs-receipt.is-approved")).to_contain_text("Undone by Anna Petrova")
    expect(page.locator(".cs-receipt.is-approved")).not_to_contain_text("Moved to the trash.")


def test_a_question_survives_a_reload_and_is_answered_by_a_button(visit):
    page = visit()
    say(page, "which revenue")
    page.get_by_role("button", name="Gross revenue").wait_for()
    page.reload()
    page.get_by_role("button", name="Gross revenue").click()
    expect(page.locator(".is-answered")).to_contain_text("You answered: gross")
    expect(page.get_by_text("Understood, that is settled.")).to_be_visible()


def test_retry_after_an_error(visit):
    page = visit()
    say(page, "fail please")
    expect(page.get_by_role("alert")).to_contain_text("your message is saved")
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("Hello. I looked at")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_request_out_of_view_is_told_of_above_the_message_box_as_long_as_it_waits(visit):
    page = visit()
    for _ in range(6):
        say(page, "show tools at work")
        settled(page)
    say(page, "delete far below")
    card(page).wait_for()
    settled(page)
    at_rest(page)
    page.locator(".bubble-wrap").evaluate("view => { view.scrollTop = 0 }")
    pill = page.locator(".cs-pill")
    expect(pill).to_be_visible()
    box = page.locator(".cs-box").bounding_box()
    place = pill.bounding_box()
    assert box["y"] - 60 < place["y"] < box["y"]
    pill.click()
    expect(card(page).locator("[data-act=deny]")).to_be_focused()
    page.locator(".bubble-wrap").evaluate("view => { view.scrollTop = 0 }")
    expect(pill).to_be_visible()
    say(page, "hello instead")
    expect(pill).to_have_count(0)


@pytest.mark.parametrize("words", ["delete sales_a", "delete sales_a and sales_b"])
def test_a_request_that_is_drawn_before_the_page_knows_who_signs_says_it_when_it_does(visit, words):
    page = visit()
    say(page, words)
    card(page).wait_for()
    place, held, known = page.url, [], False
    page.goto("about:blank")  # no question of the page that goes is held in the place of one that comes
    page.route("**/ui/shell*", lambda route: route.continue_() if known else held.append(route))
    page.goto(place)
    expect(card(page).locator(".cs-signas")).to_be_visible()
    expect(card(page).locator(".cs-signas")).to_have_text("")
    known = True
    held[0].continue_()
    expect(card(page).locator(".cs-signas")).to_have_text("Signing as Anna Petrova, admin")
