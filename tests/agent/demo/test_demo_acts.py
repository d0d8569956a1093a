"""The act that a person asks for is the act that is done; what is unclear is asked, never guessed."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from agent.demo.reply import reply_to
from agent.settle import WENT_ON
from agent.waits import EXPIRED, REPLACED
from tests.agent.demo.schemas import NAMES, schema
from tests.agent.demo.world import TODAY, Chat

LOOKS = {"search_dashboards", "search_datasets", "get_dashboard", "list_backups", "ask_user_question"}
DELETES = [
    "delete dashboards tagged retail",
    "delete all dashboards tagged retail",
    "remove dashboards with tag retail",
    "delete dashboards with the retail tag",
    "delete the retail tagged dashboards",
    "drop boards having tag retail",
    "delete boards labelled retail",
    "delete dashboards whose tag is retail",
    "get rid of everything tagged retail",
    "remove dashboards 133 and 134 tagged retail",
    "удали дашборды с тегом retail",
    "удали все дашборды с тегом retail",
    "убери дашборды с тегом retail",
    "удали дашборды с меткой retail",
    "удали всё с тегом retail",
]


def changes(chat: Chat) -> list[tuple[str, dict]]:
    """The calls that change something."""
    return [call for call in chat.calls if call[0] not in LOOKS]


@pytest.mark.parametrize("text", DELETES)
def test_a_request_to_delete_by_tag_deletes_and_changes_nothing_else(text: str) -> None:
    chat = Chat(NAMES)
    chat.say(text)
    assert changes(chat) == [("delete_dashboard", {"dashboard_id": 133}), ("delete_dashboard", {"dashboard_id": 134})]


@pytest.mark.parametrize("text", ["delete the dashboard tagged retail", "удали дашборд с тегом retail"])
def test_one_of_several_is_asked_for(text: str) -> None:
    chat = Chat(NAMES, answers=["Retail Basket"])
    chat.say(text)
    assert [c["value"] for c in chat.calls[1][1]["choices"]] == [
        "Retail Pulse · dev · 133",
        "Retail Basket · dev · 134",
    ]
    assert changes(chat) == [("delete_dashboard", {"dashboard_id": 134})]


@pytest.mark.parametrize(
    "text",
    [
        "remove the tag retail from dashboard 133",
        "delete tag retail from dashboard 133",
        "remove the retail tag from dashboard 133",
        "убери тег retail с дашборда 133",
        "убери с дашборда 133 тег retail",
        "удали метку retail у дашборда 133",
    ],
)
def test_a_tag_is_taken_from_a_dashboard_that_stays(text: str) -> None:
    chat = Chat(NAMES)
    chat.say(text)
    assert changes(chat) == [("update_dashboard", {"dashboard_id": 133, "remove_tags": ["retail"]})]


@pytest.mark.parametrize(
    "text",
    [
        "delete the tag retail",
        "удали тег retail",
        "delete the tagged dashboards",
        "delete dashboards that have no tag",
        "delete dashboards tagged nope",
        "delete datasets tagged retail",
        "delete documents tagged retail",
        "delete the owner of dashboard 88",
        "удали описание дашборда 88",
        "archive dashboards tagged retail",
        "архивируй дашборды с тегом retail",
        "hide dashboard 133",
        "rename dashboards tagged retail to Foo",
        "переименуй дашборды с тегом retail в Foo",
        "update dashboards tagged retail",
    ],
)
def test_what_is_unclear_changes_nothing(text: str) -> None:
    chat = Chat(NAMES, answers=["none"])
    said = chat.say(text)
    assert changes(chat) == []
    assert not said.startswith("**")


def test_a_dashboard_is_created_with_a_tag_and_none_is_changed() -> None:
    chat = Chat(NAMES)
    chat.say("create a dashboard Foo with tag retail on dev")
    assert [(name, args["tags"]) for name, args in changes(chat)] == [("create_dashboard", ["retail"])]


def test_the_tag_of_a_filter_may_be_any_word() -> None:
    chat = Chat(NAMES)
    chat.say("delete dashboards tagged new")
    assert chat.calls == [("search_dashboards", {"tag": "new"})]


@pytest.mark.parametrize(
    ("text", "told"),
    [("undo that", "nothing to undo here"), ("undo", "nothing to undo here"), ("отмени это", "Отменять здесь нечего")],
)
@pytest.mark.parametrize("offered", [NAMES, ["undo_change"]])
def test_a_new_conversation_has_nothing_to_undo(text: str, told: str, offered: list[str]) -> None:
    chat = Chat(offered)
    said = chat.say(text)
    assert told in said
    assert chat.calls == []


def test_the_last_change_is_undone_also_after_something_was_looked_up() -> None:
    chat = Chat(NAMES)
    chat.say("rename dashboard 133 to Pulse")
    chat.say("open dashboard 88")
    chat.say("undo that")
    assert chat.calls[-1] == ("undo_change", {"change_id": 2099})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("delete dashboard -1", "no dashboard “-1”"),
        ("delete dashboard #-5", "no dashboard “-5”"),
        ("удали дашборд −1", "Не нашлось дашборда «-1»"),
        ("delete task -3", "no task “-3”"),
    ],
)
def test_a_negative_number_is_no_thing(text: str, told: str) -> None:
    chat = Chat(NAMES)
    said = chat.say(text)
    assert told in said
    assert chat.calls == []


def told_after(text: str, answer: str) -> str:
    """What is said when a call of the message was answered with this."""
    call = {"name": "delete_dashboard", "args": {"dashboard_id": 133}, "id": "c"}
    answered = ToolMessage(answer, tool_call_id="c", name="delete_dashboard", status="error")
    messages = [HumanMessage(text), AIMessage("", tool_calls=[call]), answered]
    return reply_to(messages, [schema(name) for name in NAMES], TODAY).text


NAMED = "\nThe call was about <tool_result>Retail Pulse</tool_result>\nDo not repeat it."
UNDECIDED = [
    (f"The person denied this call; nothing ran.\nReason: {EXPIRED}{NAMED}", "expired", "истёк"),
    (f"The person denied this call; nothing ran.\nReason: {REPLACED}{NAMED}", "withdrawn", "отозван"),
]


@pytest.mark.parametrize(("answer", "en", "ru"), UNDECIDED)
def test_what_nobody_decided_is_told_to_the_person(answer: str, en: str, ru: str) -> None:
    said, russian = told_after("delete dashboard 133", answer), told_after("удали дашборд 133", answer)
    assert said.startswith("The request about “Retail Pulse”")
    assert en in said
    assert "Nothing was changed. Ask again if you still want it." in said
    assert russian.startswith("Запрос про «Retail Pulse»")
    assert ru in russian
    assert "the person" not in said + russian
    assert "approve" not in said


def test_a_request_that_was_written_over_was_withdrawn() -> None:
    assert "The request about dashboard 133 was withdrawn" in told_after("delete dashboard 133", WENT_ON)


def test_an_unknown_outcome_names_the_thing() -> None:
    answer = "The call was sent but its outcome is unknown: it may or may not have happened."
    assert told_after("delete dashboard 133", answer).startswith("Dashboard 133: It is unclear whether this happened.")
    assert told_after("удали дашборд 133", answer).startswith("Дашборд 133: Неясно")
