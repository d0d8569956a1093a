"""The page keeps up: a hundred words a second into a conversation of two hundred messages."""

from playwright.sync_api import expect

from tests.browser.acts import say
from tests.ui.fake_turns import FakeConversation, FakeTurn

LAG = """() => { window.lags = []; setInterval(() => {
  const words = [...document.querySelectorAll('.bot .md')].at(-1)?.innerText.match(/t\\d{13}/g);
  if (words) window.lags.push(Date.now() - Number(words.at(-1).slice(1)));
}, 100) }"""


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


def test_two_hundred_messages_and_a_hundred_words_a_second(visit, scripted):
    conversation = long_conversation("test|anna", 200)
    scripted.house.turns.conversations_[conversation.id] = conversation
    page = visit(path=f"/?conversation={conversation.id}")
    expect(page.locator(".user-row").last).to_contain_text("number 99")
    say(page, "fast please")
    page.evaluate(LAG)
    expect(page.locator(".submit-button")).to_be_visible(timeout=20_000)
    lags = page.evaluate("window.lags.slice(0, 45)")
    assert len(lags) > 20
    assert max(lags) < 1000, sorted(lags)[-5:]
    print("lag in ms: median", sorted(lags)[len(lags) // 2], "worst", max(lags))
