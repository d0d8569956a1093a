"""The transcript over time: streaming, Stop, reloads, several tabs, several conversations."""

import re

from playwright.sync_api import expect

from tests.browser.acts import card, deny, say, settled, sign


def test_a_read_question_shows_its_steps_and_a_table(visit):
    page = visit()
    say(page, "show tools at work")
    expect(page.locator(".cs-steps")).to_contain_text("Worked through 5 steps, 1 failed")
    page.locator(".cs-steps-sum").click()
    page.locator("[data-tool=search_dashboards] summary").click()
    expect(page.locator("[data-tool=search_dashboards] table")).to_contain_text("Sales 3")
    expect(page.locator(".md table")).to_contain_text("Views")
    expect(page.locator(".cs-tokens")).to_contain_text("1,240 in")


def test_who_says_something_sees_it_wherever_they_had_scrolled_to(visit):
    page = visit(height=420)
    say(page, "show tools at work")
    settled(page)
    page.locator(".cs-steps-sum").click()
    page.locator(".bubble-wrap").evaluate("view => view.scrollTop = 0")
    page.wait_for_timeout(300)
    say(page, "hello again")
    settled(page)
    expect(page.get_by_text("Hello. I looked at").last).to_be_in_viewport()


def test_a_sign_of_work_stands_in_the_place_of_an_answer_until_something_is_said(visit):
    page = visit()
    shown = """() => {
      const row = document.querySelector(".user-row + .bot-row");
      return row?.checkVisibility() && getComputedStyle(row, "::before").width === "12px";
    }"""
    say(page, "quiet please")
    page.wait_for_function(shown)
    expect(page.get_by_text("Here I am.")).to_be_visible()
    assert not page.evaluate(shown)


def test_the_line_under_the_box_sums_the_tokens_of_the_conversation_in_view(visit):
    page = visit()
    expect(page.locator(".cs-spent")).to_be_hidden()
    say(page, "show tools at work")
    expect(page.locator(".cs-spent")).to_have_text("1,240 in · 86 out")
    say(page, "show tools again")
    expect(page.locator(".cs-spent")).to_have_text("2,480 in · 172 out")
    page.locator(".cs-btn.new").click()
    expect(page.locator(".cs-spent")).to_be_hidden()
    page.locator(".cs-conv-a").first.click()
    expect(page.locator(".cs-spent")).to_have_text("2,480 in · 172 out")


def test_the_address_and_the_title_come_with_the_first_message(visit):
    page = visit()
    say(page, "slow titles")
    expect(page).to_have_url(re.compile(r"\?conversation=[0-9a-f-]{36}$"))
    expect(page.locator(".cs-conv.current")).to_contain_text("slow titles")
    expect(page.locator(".cs-h1")).to_contain_text("slow titles")
    page.locator(".stop-button").click()


def test_a_conversation_that_has_just_begun_is_named_by_the_very_next_act(visit):
    page = visit()
    say(page, "slow place")
    expect(page).to_have_url(re.compile(r"\?conversation="))
    expect(page.locator(".md", has_text="word5 ")).to_be_visible()
    place, sent = page.url.split("conversation=")[1], []
    page.on("request", lambda r: sent.append(r.post_data_json) if "/queue/join" in r.url else None)
    page.locator(".stop-button").click()
    settled(page)
    assert [place] in [body["data"] for body in sent]


def test_stop_keeps_what_was_said(visit):
    page = visit()
    say(page, "slow one")
    expect(page.locator(".md", has_text="word5 ")).to_be_visible()
    page.locator(".stop-button").click()
    expect(page.locator(".submit-button")).to_be_visible()
    said = page.locator(".bot .md").last.inner_text()
    page.wait_for_timeout(700)
    assert "word5" in said
    assert "word150" not in page.locator(".bot .md").last.inner_text()
    say(page, "hello again")
    expect(page.get_by_text("Hello. I looked at")).to_be_visible()


def test_a_reload_in_the_middle_goes_on_streaming(visit):
    page = visit()
    say(page, "slow reload")
    expect(page.locator(".md", has_text="word3 ")).to_be_visible()
    page.reload()
    expect(page.locator(".stop-button")).to_be_visible()
    expect(page.locator(".md", has_text="word3 ")).to_be_visible()
    before = len(page.locator(".bot .md").last.inner_text())
    expect(page.locator(".md", has_text=f"word{before // 7 + 8} ")).to_be_visible()
    page.locator(".stop-button").click()
    settled(page)


def test_a_pending_request_survives_a_reload(visit):
    page = visit()
    say(page, "delete kept")
    card(page).wait_for()
    page.reload()
    sign(page)
    expect(page.locator(".cs-receipt.is-approved")).to_contain_text("Countersigned by Anna Petrova")


def test_every_open_tab_sees_a_decision(visit):
    page = visit()
    say(page, "delete in tabs")
    card(page).wait_for()
    other = page.context.new_page()
    other.goto(page.url)
    card(other).wait_for()
    deny(page)
    expect(other.locator(".cs-receipt.is-denied")).to_contain_text("Denied by Anna Petrova")
    expect(other.get_by_text("Understood, that is settled.")).to_be_visible()


def test_a_decision_that_lost_shows_the_outcome_of_the_winner(visit):
    page = visit()
    say(page, "delete raced")
    card(page).wait_for()
    other = page.context.new_page()
    other.route("**/ui/shell*", lambda route: route.abort())
    other.goto(page.url)
    card(other).wait_for()
    sign(page)
    expect(page.locator(".cs-receipt.is-approved")).to_be_visible()
    card(other).locator("[data-act=deny]").click()
    too_late = re.compile(r"Your denial came too late: Anna Petrova signed it at \d\d:\d\d\.")
    expect(other.locator(".cs-receipt.is-approved .cs-late")).to_have_text(too_late)
    expect(other.locator("body > .cs-sr[role=status]")).to_have_text(too_late)


def test_conversations_are_renamed_opened_and_deleted(visit):
    page = visit(user="ilya")
    say(page, "first subject")
    settled(page)
    page.get_by_role("link", name="New conversation").click()
    expect(page.locator(".cs-welcome")).to_be_visible()
    expect(page).not_to_have_url(re.compile("conversation="))
    say(page, "second subject")
    settled(page)
    page.locator(".cs-conv", has_text="first subject").locator(".cs-conv-a").click()
    expect(page.locator(".user-row")).to_contain_text("first subject")
    page.get_by_role("button", name="Actions for “first subject”").click()
    page.get_by_role("button", name="Rename").click()
    page.keyboard.type("Renamed")
    page.keyboard.press("Enter")
    expect(page.locator(".cs-conv.current")).to_contain_text("Renamed")
    expect(page.locator(".cs-h1")).to_contain_text("Renamed")
    page.get_by_role("button", name="Actions for “Renamed”").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Keep")).to_be_focused()
    page.get_by_role("group", name="Delete this conversation?").get_by_role("button", name="Delete").click()
    expect(page.locator(".cs-conv-t", has_text="Renamed")).to_have_count(0)
    expect(page.locator(".cs-welcome")).to_be_visible()
    page.go_back()


def test_opening_another_conversation_does_not_stop_the_first(visit):
    page = visit(user="vera")
    say(page, "hello there")
    settled(page)
    page.get_by_role("link", name="New conversation").click()
    say(page, "slow background")
    expect(page.locator(".md", has_text="word3 ")).to_be_visible()
    page.locator(".cs-conv", has_text="hello there").locator(".cs-conv-a").click()
    expect(page.locator(".user-row")).to_contain_text("hello there")
    page.wait_for_timeout(1000)
    expect(page.locator(".user-row")).to_contain_text("hello there")
    page.locator(".cs-conv", has_text="slow background").locator(".cs-conv-a").click()
    expect(page.locator(".md", has_text="word12 ")).to_be_visible()
    expect(page.locator(".stop-button")).to_be_visible()
    page.locator(".stop-button").click()
    settled(page)


def test_somebody_elses_conversation_is_not_there(visit):
    page = visit()
    say(page, "delete secret")
    card(page).wait_for()
    other = visit(user="vera")
    other.goto(page.url)
    expect(other.get_by_role("alert")).to_contain_text("Not found")
    expect(other.locator(".cs-confirm")).to_have_count(0)


def test_the_placeholder_stays(visit):
    page = visit()
    say(page, "hello")
    settled(page)
    expect(page.locator(".cs-box textarea")).to_have_attribute("placeholder", "Ask, or say what to do")


def test_the_russian_interface_by_the_browsers_language(visit):
    page = visit(locale="ru-RU")
    expect(page.locator(".cs-welcome h2")).to_have_text("С чем разобраться?")
    say(page, "delete продажи")
    expect(card(page)).to_contain_text("Ждёт вашей подписи")
    card(page).get_by_role("button", name="Отклонить").click()
    expect(page.locator(".cs-receipt.is-denied")).to_contain_text("Ничего не выполнено.")


def test_words_that_are_typed_while_the_page_loads_stay_and_are_sent(visit, scripted):
    page = visit()
    say(page, "hello early bird")
    settled(page)
    for address, drawn in ((scripted.url + "/", ".cs-chip"), (page.url, ".user-row")) * 3:
        page.goto("about:blank")
        page.goto(address, wait_until="commit")
        box = page.locator(".cs-box textarea")
        box.click()
        page.keyboard.type("hello before all is there")
        expect(page.locator(drawn).first).to_be_visible()
        expect(box).to_have_value("hello before all is there")
    box.press("Enter")
    expect(page.locator(".user-row").last).to_contain_text("hello before all is there")


def test_an_example_is_sent_as_a_message(visit):
    page = visit()
    page.get_by_role("button", name="Show tools at work", exact=True).click()
    expect(page.locator(".user-row")).to_contain_text("Show tools at work")
    expect(page.locator(".cs-steps")).to_be_visible()


def test_long_conversations_show_the_newest_and_load_earlier(visit, scripted):
    page = visit(user="ilya")
    say(page, "hello number 0")
    settled(page)
    conversation = scripted.house.turns.conversations_[page.url.split("=")[1]]
    template = conversation.turns[0]
    for i in range(1, 40):
        conversation.turns.append(type(template)(conversation, f"t{i}", f"hello number {i}", "succeeded"))
    page.reload()
    expect(page.locator(".user-row").last).to_contain_text("number 39")
    expect(page.locator(".user-row", has_text="number 3").first).to_be_visible()
    assert page.locator(".user-row").count() <= 30
    page.get_by_role("button", name="Load earlier messages").click()
    expect(page.locator(".user-row", has_text="number 12")).to_be_visible()
    page.get_by_role("button", name="Back to the newest messages").click()
    expect(page.locator(".user-row").last).to_contain_text("number 39")
