"""The page keeps up: a hundred words a second into a conversation of two hundred messages."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.acts import say
from tests.ui.fake_turns import FakeConversation, FakeTurn

LAG = """() => { window.lags = []; setInterval(() => {
  const words = [...document.querySelectorAll('.bot .md')].at(-1)?.innerText.match(/t\\d{13}/g);
  if (words) window.lags.push(Date.now() - Number(words.at(-1).slice(1)));
}, 100) }"""
TOUCHED = """() => { window.touched = []; window.drawn = 0;
  const last = [...document.querySelectorAll('.user-row')].at(-1);
  const above = (row) => row.compareDocumentPosition(last) & Node.DOCUMENT_POSITION_FOLLOWING;
  const rows = new Set([...document.querySelectorAll('.user-row, .bot .md, .cs-steps, .cs-usage')].filter(above));
  const of = (node) => { while (node && !rows.has(node)) node = node.parentNode; return node; };
  window.watched = rows.size;
  new MutationObserver((changes) => {
    window.drawn += changes.length;
    window.touched.push(...changes.map((change) => of(change.target)).filter(Boolean).map((row) => row.innerText));
  }).observe(document.body, { subtree: true, childList: true, characterData: true }) }"""


def long_conversation(owner: str, messages: int) -> FakeConversation:
    conversation = FakeConversation(owner, title="long")
    for i in range(messages // 2):
        turn = FakeTurn(conversation, f"t{i}", f"hello number {i}", "succeeded")
        rows = [[f"dashboard_{j}", "m.ito", j] for j in range(10)]
        data = {"columns": ["Name", "Owner", "Views"], "rows": rows, "total": 10}
        turn.put("tool_end", call_id=f"c{i}", tool="search_dashboards", title="Searched", data=data)
        turn.put("stream_token", f"Answer **{i}** with some words to read and a list:\n\n- one\n- two\n")
        conversation.turns.append(turn)
    return conversation


@pytest.fixture
def page(visit, scripted) -> Page:
    """A conversation of two hundred messages, in view."""
    conversation = long_conversation("test|anna", 200)
    scripted.house.turns.conversations_[conversation.id] = conversation
    page = visit(path=f"/?conversation={conversation.id}")
    expect(page.locator(".user-row").last).to_contain_text("number 99")
    return page


def test_an_answer_that_grows_draws_nothing_that_stands_above_it(page):
    say(page, "fast please")
    page.evaluate(TOUCHED)
    expect(page.locator(".submit-button")).to_be_visible(timeout=60_000)
    assert page.evaluate("window.watched") > 40  # the newest stretch, which is what the page holds
    assert page.evaluate("window.drawn") > 20
    assert page.evaluate("window.touched") == []


@pytest.mark.long
def test_a_hundred_words_a_second_are_read_within_a_second(page):
    say(page, "fast please")
    page.evaluate(LAG)
    expect(page.locator(".submit-button")).to_be_visible(timeout=20_000)
    lags = page.evaluate("window.lags.slice(0, 45)")
    assert len(lags) > 20
    assert max(lags) < 1000, sorted(lags)[-5:]
    print("lag in ms: median", sorted(lags)[len(lags) // 2], "worst", max(lags))
