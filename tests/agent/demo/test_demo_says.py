"""What the demo model says instead of acting: how something is done, who may do it, what nobody can do here."""

import pytest

from agent.demo.howto import EXAMPLES
from tests.agent.demo.schemas import NAMES
from tests.agent.demo.world import Chat
from tools.catalogue import WORKSPACE
from tools.toolset import Effect

EFFECTS = {spec.name: spec.effect for spec in WORKSPACE}
HOW = [
    ("how do I delete a dashboard?", "delete dashboard 94"),
    ("How can we restore an environment from a backup?", "restore stage"),
    ("tell me how to grant a role to somebody", "give p.nair the role editor"),
    ("как удалить дашборд?", "удали дашборд 94"),
    ("подскажи, как мне переименовать дашборд 88", "переименуй дашборд 94"),
    ("как можно отменить задачу?", "отмени задачу 9381"),
]


@pytest.mark.parametrize(("text", "example"), HOW)
def test_a_question_about_how_is_explained_and_nothing_is_called(text: str, example: str) -> None:
    chat = Chat(NAMES)
    said = chat.say(text)
    assert example in said
    assert chat.calls == []


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("delete dashboard 94, how many are left?", "delete_dashboard"),
        ("how do I find dashboards about churn?", "search_dashboards"),
        ("как там прод?", "check_environment_health"),
        ("как можно скорее удали дашборд 94", "delete_dashboard"),
    ],
)
def test_what_only_sounds_like_it_is_done(text: str, tool: str) -> None:
    chat = Chat(NAMES)
    chat.say(text)
    assert tool in [name for name, _ in chat.calls]


def test_every_change_has_an_example_that_leads_to_it_and_says_whether_it_is_signed() -> None:
    assert EXAMPLES.keys() == {name for name, effect in EFFECTS.items() if effect is not Effect.READ}
    for tool, example in EXAMPLES.items():
        assert example.signed == (EFFECTS[tool] is Effect.DANGER), tool
        for text in (example.en, example.ru):
            chat = Chat(NAMES)
            chat.say(text)
            assert tool in [name for name, _ in chat.calls], text


PEOPLE = [
    "delete user vera",
    "deactivate user ilya",
    "remove the user o.trofimchuk",
    "block the account of p.nair",
    "create a user",
    "удали пользователя vera",
    "заблокируй пользователя Вера Линдквист",
    "delete p.nair",
]


@pytest.mark.parametrize("text", PEOPLE)
@pytest.mark.parametrize("before", ["", "open dashboard 88"])
def test_no_tool_is_there_to_delete_people_and_nothing_else_is_taken_for_it(text: str, before: str) -> None:
    chat = Chat(NAMES)
    if before:
        chat.say(before)
    made = len(chat.calls)
    said = chat.say(text)
    assert chat.calls[made:] == []
    assert ("инструмента" if text[0] > "z" else "no tool here") in said.lower()


@pytest.mark.parametrize("text", ["add o.trofimchuk as editor", "забери у p.nair роль viewer", "who is p.nair?"])
def test_roles_and_questions_about_people_go_on(text: str) -> None:
    chat = Chat(NAMES)
    chat.say(text)
    assert {name for name, _ in chat.calls} & {"grant_role", "revoke_role", "list_users"}


def test_a_denied_call_is_spoken_of_by_the_name_of_the_thing() -> None:
    chat = Chat(NAMES, denied=["delete_dashboard"])
    assert "“Retail <b>Pulse”" in chat.say("delete dashboard 133").replace("\\", "")


@pytest.mark.parametrize("text", ["вынеси мусор", "blorp the frobnicator"])
def test_words_that_nobody_understands_do_not_repeat_a_change(text: str) -> None:
    chat = Chat(NAMES)
    chat.say("delete dashboard 133")
    made = len(chat.calls)
    said = chat.say(text)
    assert chat.calls[made:] == []
    assert ("на правилах" if text[0] > "z" else "rule-based") in said
