"""What surrounds the transcript: what waits, what may be tried, and in whose words."""

from dataclasses import replace

from tests.ui.conftest import sign_in
from tests.ui.fake_turns import FakeConversation, FakeTurn
from tests.ui.gallery import STATES
from tests.ui.house import NAMES, OPTIONS
from tools.toolset import Role
from ui.options import Example


def waits(house, owner: str, state: str) -> None:
    """A conversation in which a card or question waits."""
    conversation = FakeConversation(owner, title=state)
    turn = FakeTurn(conversation, state, "", "waiting_approval")
    STATES[state](turn, "en")
    conversation.turns.append(turn)
    house.turns.conversations_[conversation.id] = conversation


async def test_the_badge_counts_requests_for_a_signature_and_no_questions(http, house):
    house.turns.conversations_.clear()
    for state in ("question", "pending", "batch"):
        waits(house, "test|ilya", state)
    waits(house, "test|anna", "pending")
    await sign_in(http, "ilya")
    shell = (await http.get("/ui/shell")).json()
    assert shell["pending"] == 4
    assert [row["waiting"] for row in shell["conversations"]] == [True, True, True]
    waiting = (await http.get("/ui/approvals")).json()["waiting"]
    assert sorted(entry["value"]["kind"] for entry in waiting) == ["ask", *["confirm"] * 4]
    house.turns.conversations_.clear()


async def test_a_person_is_named_in_the_readers_language(http):
    await sign_in(http, "anna")
    english, russian = [(await http.get(f"/ui/shell?lang={lang}")).json()["person"] for lang in ("en", "ru")]
    assert (english["name"], english["initials"]) == ("Anna Petrova", "AP")
    assert (russian["name"], russian["initials"]) == ("Анна Петрова", "АП")


async def test_the_browser_knows_the_names_of_the_demos_people(http):
    await sign_in(http, "anna")
    page = await http.get("/audit", headers={"accept": "text/html"})
    base = page.text.split('src="')[1].split("/js/")[0]
    answer = await http.get(f"{base}/js/people.js")
    assert NAMES["vera"].name["ru"] in answer.text
    assert answer.headers["cache-control"] == "no-cache"


def test_what_a_role_cannot_do_is_not_suggested():
    delete = Example({"en": "Delete", "ru": "Удали"}, sign=True, role=Role.EDITOR)
    options = replace(OPTIONS, examples=[*OPTIONS.examples[:1] * 3, delete, Example({"en": "Open", "ru": "Открой"})])
    assert [e.text["en"] for e in options.examples_for(Role.VIEWER)][-1] == "Open"
    assert [e.text["en"] for e in options.examples_for(Role.ADMIN)][-1] == "Delete"
    assert len(options.examples_for(Role.ADMIN)) == 4
