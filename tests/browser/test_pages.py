"""Approvals and audit: all that waits, answered there; what happened, found again."""

import uuid

from playwright.sync_api import expect

from tests.browser.acts import ARMED, card, say
from tests.ui.house import SPECS


def test_a_request_is_answered_on_the_approvals_page(visit, scripted):
    page = visit(user="vera")
    say(page, "delete from approvals")
    card(page).wait_for()
    page.goto(scripted.url + "/approvals")
    expect(page.locator(".cs-h1")).to_have_text("Approvals")
    expect(page.locator(".cs-waiting-c").first).to_contain_text("delete from approvals")
    page.wait_for_timeout(ARMED)
    card(page).locator("[data-act=approve]").click()
    expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert "from approvals" in scripted.house.turns.effects
    page.get_by_role("link", name="Chat").click()
    page.locator(".cs-conv-a", has_text="delete from approvals").click()
    expect(page.locator(".cs-receipt.is-approved")).to_be_visible()


def test_the_audit_page_tells_the_story_of_a_request(visit, scripted):
    log = scripted.house.audit
    approval, shown = uuid.uuid4(), {"title": "Delete the dashboard “Sales”?"}
    log.add("asked", "test|anna", "Anna", "delete_dashboard", approval, args={"id": 7})
    log.add("shown", "test|anna", "Anna", "delete_dashboard", approval, card=shown)
    log.add("decided", "test|anna", "Anna", "delete_dashboard", approval, decision="approved")
    log.add("came_back", "test|anna", "", "delete_dashboard", approval, ok=True, summary="Moved to the trash.")
    log.add("sent", "test|ilya", "Ilya", "refresh_dataset", args={"dataset_id": "d1"})
    page = visit(path="/audit")
    table = page.locator(".cs-table.audit")
    expect(table).to_contain_text("Delete the dashboard “Sales”")
    expect(table.locator(".cs-tag.is-approved")).to_have_text("Countersigned")
    expect(table).to_contain_text("Moved to the trash.")
    table.get_by_role("button", name="Delete the dashboard “Sales”").click()
    expect(page.locator(".cs-audit-more:visible .cs-audit-e")).to_have_count(4)
    page.get_by_label("Decision").select_option("unasked")
    expect(page.get_by_text("Entries: 1 of 1")).to_be_visible()
    expect(page.get_by_role("link", name="Export CSV")).to_have_attribute(
        "href", "/ui/audit.csv?days=30&decision=unasked"
    )
    page.get_by_label("Tool", exact=True).select_option("delete_dashboard")
    expect(page.get_by_text("No entries match these filters.")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_text("Entries: 2 of 2")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    assert download.value.suggested_filename == "audit.csv"


def test_a_change_without_a_card_is_one_entry_that_names_the_thing(visit, scripted):
    log = scripted.house.audit
    thing = {"id": 286, "name": "Churn", "environment": "stage"}
    for key, told in (("tc-1", thing), ("tc-2", None)):
        args = {"dashboard_id": 286, "add_tags": [key]}
        log.add("sent", "test|anna", "Anna", "update_dashboard", args=args, idempotency_key=key)
        back = {"idempotency_key": key, "thing": told} if told else {}  # as it was written down before
        log.add("came_back", "test|anna", "Anna", "update_dashboard", ok=True, summary=f"Tagged {key}.", **back)
    page = visit(path="/audit")
    page.get_by_label("Tool", exact=True).select_option("update_dashboard")
    rows = page.locator(".cs-table.audit tbody tr:not(.cs-audit-more)")
    expect(rows).to_have_count(2)
    title = SPECS["update_dashboard"].titles["en"]
    expect(rows.nth(1)).to_contain_text(f"{title}: Churn (286, stage)")
    expect(rows.nth(1)).to_contain_text("Tagged tc-1.")
    expect(rows.nth(0)).to_contain_text(f"{title}: 286")
    expect(rows.nth(0)).to_contain_text("Tagged tc-2.")
    rows.nth(1).get_by_role("button").click()
    expect(page.locator(".cs-audit-more:visible .cs-audit-e")).to_have_count(2)


def test_the_audit_page_does_not_call_waiting_what_expired_or_was_replaced(visit, scripted):
    log = scripted.house.audit
    for name, state in (("Kept", "pending"), ("Late", "expired"), ("Replaced", "superseded")):
        approval = uuid.uuid4()
        log.add("shown", "test|anna", "Anna", "delete_dashboard", approval, card={"title": f"Delete “{name}”?"})
        if state != "pending":
            log.add(state, "test|anna", "", "delete_dashboard", approval, why="time")
    page = visit(path="/audit")
    tags = {"Kept": "asked", "Late": "expired", "Replaced": "superseded"}
    for name, tag in tags.items():
        expect(
            page.locator(".cs-table.audit tr", has_text=f"Delete “{name}”").locator(f".cs-tag.is-{tag}")
        ).to_be_visible()
    page.get_by_label("Decision").select_option("superseded")
    expect(page.locator(".cs-table.audit .cs-tag")).to_have_count(1)


def test_the_router_page_says_which_tools_a_message_reaches(visit):
    page = visit(path="/router")
    page.get_by_label("Message", exact=True).fill("delete sales")
    page.get_by_role("button", name="Score").click()
    expect(page.locator(".cs-route").first).to_contain_text("delete_dashboard")
    expect(page.locator(".cs-route").first).to_contain_text("needs a signature")
    expect(page.get_by_text("Passed to the model: 1")).to_be_visible()


def test_labelled_messages_show_figures_and_misses_and_name_bad_lines(visit):
    page = visit(path="/router")
    box = page.get_by_label("Labelled messages")
    box.fill(
        '{"query": "delete sales", "needed": ["delete_dashboard"]}\n{"query": "<b>jobs</b>", "needed": ["list_tasks"]}'
    )
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_text("Misses: 1 of 2")).to_be_visible()
    expect(page.locator(".cs-miss")).to_contain_text("<b>jobs</b>")
    expect(page.locator(".cs-miss code")).to_have_text("list_tasks")
    expect(page.get_by_text("All needed tools offered")).to_be_visible()
    box.fill('{"query": "a", "needed": []}\nnot json')
    page.get_by_role("button", name="Measure").click()
    expect(page.locator(".cs-errline")).to_contain_text("Line 2: is not JSON")
    expect(page.get_by_text("Nothing was measured. Lines to correct: 1.")).to_be_visible()


def test_the_router_is_no_page_for_others_than_admins(visit, scripted):
    page = visit(user="vera")
    expect(page.get_by_role("link", name="Approvals", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Router")).to_have_count(0)
    assert page.goto(scripted.url + "/router").status == 404
