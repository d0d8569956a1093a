"""What the model and tools say is hostile: in Chromium nothing runs, nothing is fetched, nothing poses as a button."""

from playwright.sync_api import expect

from tests.browser.acts import say, settled
from tests.ui.fake_turns import FakeConversation, FakeTurn
from tests.ui.test_render import ATTACKS

EVIL = (
    '<img src=x onerror="window.pwn=1"><script>window.pwn=1</script>'
    "${Object.assign(window,{pwn:1})}{{constructor.constructor('window.pwn=1')()}}`\u202egnp.exe"
)


def hostile(owner: str) -> FakeConversation:
    """A conversation in which every string that can come from outside is an attack."""
    conversation = FakeConversation(owner, title=EVIL)
    turn = FakeTurn(conversation, "t", EVIL, "waiting_approval")
    for attack in (EVIL, "[a link](https://example.com/?q=1)", *ATTACKS):
        turn.put("stream_token", attack)
    turn.put("tool_end", call_id="1", tool=EVIL, title=EVIL, summary=EVIL, args={EVIL: EVIL}, data={EVIL: EVIL})
    turn.put("tool_end", call_id="2", tool="x", title="x", data={"columns": [EVIL], "rows": [[EVIL]], "total": 1})
    turn.put("tool_error", call_id="3", tool="x", title=EVIL, error={"code": EVIL, "title": EVIL, "detail": EVIL})
    turn.put("notice", EVIL, code=EVIL)
    turn.put("error", EVIL, code=EVIL, retry=True, ref=EVIL)
    turn.put("stream_token", EVIL, reasoning=True)
    question = {"id": "q", "question": EVIL, "choices": [{"value": EVIL, "label": EVIL, "hint": EVIL}], "free": True}
    turn.put("ask_user", call_id="4", question={**question, "state": "pending", "answer": None})
    blocks = [
        {"type": "list", "items": [{"name": EVIL, "meta": EVIL}]},
        {"type": "facts", "items": [[EVIL, EVIL]]},
        {"type": "fields", "title": EVIL, "rows": [{"field": EVIL, "before": EVIL, "after": EVIL}]},
        {"type": "jsonpath", "doc": EVIL, "changes": [{"op": EVIL, "path": EVIL, "before": EVIL, "after": EVIL}]},
        {"type": "bulk", "total": 2, "counts": [{"label": EVIL, "n": 2}], "first": [EVIL], "names": [EVIL, EVIL]},
        {"type": EVIL, EVIL: EVIL},
    ]
    card = {"title": EVIL, "lead": EVIL, "approve": EVIL, "risk": "danger", "evidence": blocks, "reasons": [EVIL]}
    schema = {"type": "object", "properties": {EVIL: {"type": "string", "title": EVIL, "description": EVIL}}}
    approval = {
        "id": "a1", "state": "pending", "version": 1, "tool": EVIL, "effect": "danger", "args": {EVIL: EVIL},
        "args_schema": schema, "card": card | {"type_to_sign": EVIL}, "card_sha256": "0" * 64,
        "expires_at": "2999-01-01T00:00:00+00:00",
    }  # fmt: skip
    turn.put("confirm_required", call_id="5", tool=EVIL, approval=approval)
    conversation.turns.append(turn)
    return conversation


def test_hostile_strings_do_nothing(visit, scripted):
    conversation = hostile("test|anna")
    scripted.house.turns.conversations_[conversation.id] = conversation
    page = visit()
    foreign = []
    page.on(
        "request",
        lambda request: request.url.startswith((scripted.url, "data:", "blob:")) or foreign.append(request.url),
    )
    page.on("dialog", lambda dialog: foreign.append(dialog.message))
    try:
        page.goto(f"{scripted.url}/?conversation={conversation.id}")
        expect(page.locator(".cs-confirm")).to_contain_text("onerror")
        for summary in page.locator("summary:visible").all():
            summary.click()
        page.locator("[data-act=edit]").click()
        expect(page.locator(".cs-confirm .cs-form")).to_be_visible()
        page.goto(scripted.url + "/approvals")
        expect(page.locator("#call-a1")).to_contain_text("onerror")
        assert page.evaluate("window.pwn") is None
    finally:
        del scripted.house.turns.conversations_[conversation.id]
    assert foreign == []


def test_answers_hold_no_controls_and_links_that_tell_nothing(visit, scripted):
    conversation = hostile("test|anna")
    scripted.house.turns.conversations_[conversation.id] = conversation
    page = visit(path=f"/?conversation={conversation.id}")
    try:
        expect(page.locator(".cs-confirm")).to_be_visible()
        controls = ".bot .md :is(form, input, button, img, iframe, script, style, svg, math, object)"
        assert page.locator(controls).count() == 0
        links = page.evaluate("[...document.querySelectorAll('.bot .md a')].map(a => [a.rel, a.protocol])")
        assert links
        assert all("noreferrer" in rel and protocol in ("http:", "https:", "mailto:") for rel, protocol in links)
        named = "[...document.querySelectorAll('.cs-chat *')].flatMap(e => e.getAttributeNames())"
        assert not [name for name in page.evaluate(named) if name.startswith("on")]
        expect(page.locator(".cs-confirm .cs-title")).to_contain_text("\\u202e")
    finally:
        del scripted.house.turns.conversations_[conversation.id]


def test_a_persons_own_words_are_shown_as_typed(visit):
    page = visit()
    say(page, "hello <b>bold</b> & <img src=x onerror=alert(1)>")
    settled(page)
    expect(page.locator(".user-row")).to_contain_text("hello <b>bold</b> & <img src=x onerror=alert(1)>")


def test_nothing_secret_is_in_the_browsers_storage(visit):
    page = visit()
    say(page, "delete stored")
    page.locator(".cs-confirm").wait_for()
    places = "[{...localStorage}, {...sessionStorage}, document.cookie, performance.getEntries().map(e => e.name)]"
    kept = page.evaluate(f"JSON.stringify({places})")
    assert "eyJ" not in kept
    assert "countersign=" not in page.evaluate("document.cookie")
