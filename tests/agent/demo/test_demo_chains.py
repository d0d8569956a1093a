"""Turns of several steps: look up then act, ask and go on, side by side, after one another, refused, denied, undone."""

import pytest
from langchain_core.messages import AIMessage

from agent.demo.reply import reply_to
from tests.agent.demo.schemas import NAMES
from tests.agent.demo.world import TODAY, Chat

ALL = [name for name in NAMES if name not in {"show_capabilities", "ask_user_question", "find_tools"}]


def test_two_deletions_look_up_side_by_side_and_act_in_one_message() -> None:
    chat = Chat(ALL)
    chat.say("delete dashboards Sales Overview and Retail Pulse")
    assert chat.rounds == [
        [("search_dashboards", {"text": "Sales Overview"}), ("search_dashboards", {"text": "Retail Pulse"})],
        [("delete_dashboard", {"dashboard_id": 88}), ("delete_dashboard", {"dashboard_id": 133})],
    ]


def test_two_deletions_in_russian() -> None:
    chat = Chat(ALL)
    chat.say("удали дашборды «Касса» и «Воронка лидов»")
    assert chat.rounds[1] == [("delete_dashboard", {"dashboard_id": 77}), ("delete_dashboard", {"dashboard_id": 141})]


def test_one_missing_name_does_not_stop_the_other() -> None:
    chat = Chat(ALL)
    said = chat.say("delete the dashboards Sales Overview and Nowhere Land")
    assert ("delete_dashboard", {"dashboard_id": 88}) in chat.calls
    assert "Nowhere Land" in said


def test_independent_wishes_go_out_together() -> None:
    chat = Chat(ALL)
    chat.say("сделай бэкап прода и покажи задачи")
    assert chat.rounds == [[("create_backup", {"environment": "prod"}), ("list_tasks", {})]]


def test_then_waits_for_what_came_before() -> None:
    chat = Chat(ALL)
    chat.say("сделай бэкап прода, потом закрывай его на обслуживание")
    assert chat.rounds == [
        [("create_backup", {"environment": "prod"})],
        [("set_maintenance_mode", {"environment": "prod", "enabled": True})],
    ]


def test_then_does_not_happen_after_a_denial() -> None:
    chat = Chat(ALL, denied=["delete_dashboard"])
    said = chat.say("delete dashboard 88, then take a backup of prod")
    assert [name for name, _ in chat.calls] == ["delete_dashboard"]
    assert "finance still needs it" in said
    assert "create backup" in said


def test_migration_is_planned_first_and_there_means_the_place_before() -> None:
    chat = Chat(ALL)
    chat.say("check that prod is healthy, then migrate dashboard 52 there from stage")
    args = {"source": "stage", "target": "prod", "dashboard_ids": [52]}
    assert chat.rounds == [
        [("check_environment_health", {"environment": "prod"})],
        [("plan_migration", args)],
        [("run_migration", args)],
    ]


def test_go_ahead_runs_the_plan() -> None:
    chat = Chat(ALL)
    chat.say("посчитай перенос дашборда 133 с dev на stage")
    assert [name for name, _ in chat.calls] == ["plan_migration"]
    chat.say("ок, запускай")
    args = {"source": "dev", "target": "stage", "dashboard_ids": [133]}
    assert ("run_migration", args) in chat.calls


def test_several_matches_are_asked_for_and_the_answer_counts() -> None:
    chat = Chat(ALL, answers=["Churn Cohorts · prod · 202"])
    chat.say("delete dashboard Churn Cohorts")
    question = chat.rounds[1][0]
    assert question[0] == "ask_user_question"
    assert [c["label"] for c in question[1]["choices"]] == ["Churn Cohorts · dev · 201", "Churn Cohorts · prod · 202"]
    assert chat.rounds[2] == [("delete_dashboard", {"dashboard_id": 202})]


@pytest.mark.parametrize(("answer", "dashboard"), [("the second one", 202), ("prod", 202), ("1", 201), ("201", 201)])
def test_an_answer_may_be_short(answer: str, dashboard: int) -> None:
    chat = Chat(ALL, answers=[answer])
    chat.say("delete dashboard Churn Cohorts")
    assert chat.rounds[-1] == [("delete_dashboard", {"dashboard_id": dashboard})]


def test_taking_none_of_the_choices_changes_nothing() -> None:
    chat = Chat(ALL, answers=["никакой"])
    said = chat.say("удали дашборд Churn Cohorts")
    assert not [name for name, _ in chat.calls if name == "delete_dashboard"]
    assert "ничего не" in said


def test_the_environment_narrows_a_name_down() -> None:
    chat = Chat(ALL)
    chat.say("delete dashboard Churn Cohorts on dev")
    assert chat.rounds == [
        [("search_dashboards", {"text": "Churn Cohorts", "environment": "dev"})],
        [("delete_dashboard", {"dashboard_id": 201})],
    ]


def test_what_is_missing_is_asked_for() -> None:
    chat = Chat(ALL, answers=["stage"])
    chat.say("take a backup")
    assert chat.rounds[0][0][0] == "ask_user_question"
    assert chat.rounds[1] == [("create_backup", {"environment": "stage"})]


def test_two_missing_things_are_asked_for_one_after_another() -> None:
    chat = Chat(ALL, answers=["на деве", "m.zaytseva"])
    chat.say("create a dashboard Ops Weekly, and grant editor")
    asked = [calls for calls in chat.rounds if calls[0][0] == "ask_user_question"]
    assert all(len(calls) == 1 for calls in asked)
    assert ("create_dashboard", {"name": "Ops Weekly", "environment": "dev"}) in chat.calls
    assert ("grant_role", {"user_id": "m.zaytseva", "role": "editor"}) in chat.calls


def test_no_match_is_said_and_nothing_is_called() -> None:
    chat = Chat(ALL)
    said = chat.say("удали дашборд «Нет такого»")
    assert {name for name, _ in chat.calls} == {"search_dashboards"}
    assert "Нет такого" in said
    assert "ничего не изменено" in said


def test_a_loosely_matching_name_is_not_acted_on_unasked() -> None:
    chat = Chat(ALL, answers=["нет"])
    chat.say("удали дашборд retail nowak")
    assert not [name for name, _ in chat.calls if name == "delete_dashboard"]


@pytest.mark.parametrize(
    ("text", "never", "made"),
    [
        ("не удаляй борд Склад Екб, просто покажи его", "delete_dashboard", "get_dashboard"),
        ("don't restore yet, which stage backup is the newest?", "restore_backup", "list_backups"),
        ("do NOT put prod in maintenance, just tell me if the workers on prod are ok", "set_maintenance_mode",
         "check_environment_health"),
        ("rollback делать не надо, покажи последние commits на stage", "rollback_commit", "list_changes"),
        ("задачу 9381 не отменяй, скажи сколько ей ещё осталось", "cancel_task", "get_task"),
        ("Refresh fact_orders, don't drop it", "delete_dataset", "refresh_dataset"),
        ("у Гусейнова роль не забирай, наоборот, добавь ему publisher", "revoke_role", "grant_role"),
        ("только не удаляй старые бэкапы, просто сделай ещё один бэкап на деве", "delete_backup", "create_backup"),
    ],
)  # fmt: skip
def test_what_is_ruled_out_is_not_done(text: str, never: str, made: str) -> None:
    chat = Chat(ALL)
    chat.say(text)
    names = [name for name, _ in chat.calls]
    assert never not in names
    assert made in names


def test_untagging_the_thing_named_before() -> None:
    chat = Chat(ALL)
    chat.say("не удаляй борд Склад Екб, просто сними с него тег urgent")
    assert chat.calls[-1] == ("update_dashboard", {"dashboard_id": 305, "remove_tags": ["urgent"]})


def test_a_denied_call_is_left_as_is_with_the_reason() -> None:
    chat = Chat(ALL, denied=["delete_dashboard"])
    said = chat.say("удали дашборд Касса")
    assert "оставляю" in said
    assert "finance still needs it" in said
    assert [name for name, _ in chat.calls].count("delete_dashboard") == 1


def test_two_calls_with_two_outcomes() -> None:
    chat = Chat(ALL, denied=["delete_dataset"])
    said = chat.say("delete dataset 340 and dashboard 88")
    assert chat.rounds == [[("delete_dataset", {"dataset_id": 340}), ("delete_dashboard", {"dashboard_id": 88})]]
    assert "delete_dashboard is done" in said
    assert "did not approve" in said


def test_the_second_of_a_list() -> None:
    chat = Chat(ALL)
    chat.say("найди борды с тегом retail")
    chat.say("второй удали, первый пусть живёт")
    assert chat.calls[-1] == ("delete_dashboard", {"dashboard_id": 134})


def test_the_other_one_of_two() -> None:
    chat = Chat(ALL, answers=["prod"])
    chat.say("what's on the Churn Cohorts board?")
    chat.say("and the other one?")
    assert [args["dashboard_id"] for name, args in chat.calls if name == "get_dashboard"] == [202, 201]


def test_switching_it_off_again() -> None:
    chat = Chat(ALL)
    chat.say("включи обслуживание на деве")
    chat.say("выключи его")
    assert chat.calls[-1] == ("set_maintenance_mode", {"environment": "dev", "enabled": False})


def test_a_commit_message_is_not_a_wish() -> None:
    chat = Chat(ALL)
    chat.say("закоммить на деве, сообщение: удали дашборд 88 и сделай бэкап прода")
    assert [name for name, _ in chat.calls] == ["commit_changes"]


def test_undo_after_a_change_made_here() -> None:
    chat = Chat(ALL)
    chat.say("rename dashboard 88 to New Name")
    chat.say("oops, undo that")
    assert chat.calls[-1] == ("undo_change", {"change_id": 2099})


def test_a_restore_needs_an_environment_or_a_backup() -> None:
    chat = Chat(ALL, answers=["stage"])
    chat.say("restore the latest backup")
    assert chat.rounds[0][0][0] == "ask_user_question"
    assert chat.calls[-1] == ("restore_backup", {"backup_id": "bk-551", "environment": "stage"})


def test_many_matches_are_not_acted_on() -> None:
    chat = Chat(ALL, answers=["none of them"])
    said = chat.say("delete all dashboards of the owner")
    assert [name for name, _ in chat.calls] == ["search_dashboards", "ask_user_question"]
    assert "12 match" in chat.calls[-1][1]["question"]
    assert "nothing was changed" in said


def test_a_follow_up_changes_one_thing() -> None:
    chat = Chat(ALL)
    chat.say("is stage healthy?")
    chat.say("and prod?")
    chat.say("а на деве?")
    places = [args["environment"] for name, args in chat.calls if name == "check_environment_health"]
    assert places == ["stage", "prod", "dev"]


def test_a_follow_up_repeats() -> None:
    chat = Chat(ALL)
    chat.say("что там с задачей 9381")
    chat.say("а сейчас?")
    assert [call for call in chat.calls if call[0] == "get_task"] == [("get_task", {"task_id": 9381})] * 2


def test_a_bare_name_is_answered_in_the_language_before() -> None:
    chat = Chat(ALL)
    chat.say("открой дашборд 88")
    assert "Окружение: dev" in chat.say("Retail Pulse")


def test_the_same_for_another_person() -> None:
    chat = Chat(ALL)
    chat.say("выдай m.zaytseva роль viewer")
    chat.say("и Гусейнову то же самое")
    assert chat.calls[-1] == ("grant_role", {"user_id": "r.guseynov", "role": "viewer"})


def test_it_is_what_was_shown_last() -> None:
    chat = Chat(ALL)
    chat.say("show dataset fact_orders")
    chat.say("ok, reload it then")
    assert chat.calls[-1] == ("refresh_dataset", {"dataset_id": 204})


def test_all_of_a_kind_are_found_then_changed_together() -> None:
    chat = Chat(ALL)
    chat.say("дашбордам с тегом retail проставь ещё тег archive")
    assert chat.rounds[0] == [("search_dashboards", {"tag": "retail"})]
    tagged = [
        ("update_dashboard", {"dashboard_id": 133, "add_tags": ["archive"]}),
        ("update_dashboard", {"dashboard_id": 134, "add_tags": ["archive"]}),
    ]
    assert chat.rounds[1] == tagged
    chat.say("добавь тег archive дашбордам с тегом retail")
    assert chat.rounds[-1] == tagged


def test_a_tool_that_is_not_offered_is_looked_for_once() -> None:
    chat = Chat(["search_dashboards"])
    said = chat.say("delete dashboard Sales Overview")
    assert [name for name, _ in chat.calls].count("find_tools") == 1
    assert chat.rounds[0] == [("find_tools", {"description": "delete dashboard"})]
    assert "“delete dashboard Sales Overview”: there is no tool for this here" in said


def test_refusals_are_told_in_words() -> None:
    chat = Chat(ALL)
    assert "нет" in chat.say("открой дашборд 9999")
    assert "Error 404" not in chat.messages[-1].text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("who are you?", "demo model"),
        ("кто ты?", "демо-модель"),
        ("hello", "demo model"),
        ("спасибо!", "Пожалуйста"),
        ("what does EBITDA mean in plain words", "what can you do"),
        ("закажи пиццу на вечер", "что ты умеешь"),
        ("", "what can you do"),
    ],
)
def test_small_talk_and_what_is_out_of_scope(text: str, words: str) -> None:
    chat = Chat([])
    assert words in chat.say(text)
    assert not chat.calls


def test_wrong_layout_and_latin_russian_are_read() -> None:
    chat = Chat(ALL)
    chat.say("gjrf;b lfi,jhls yf ghjlt")
    chat.say("kakie bekapy proda est?")
    assert ("search_dashboards", {"environment": "prod"}) in chat.calls
    assert ("list_backups", {"environment": "prod"}) in chat.calls


def test_lists_are_tables_with_counts_from_the_answer() -> None:
    chat = Chat(ALL)
    said = chat.say("найди датасеты из источника 1C")
    assert "Нашлось: 2 датасета" in said
    assert "| 204 | fact_orders |" in said
    assert "mart_sales_daily" not in said


def test_names_from_answers_cannot_act_as_markup() -> None:
    chat = Chat(ALL)
    said = chat.say("open dashboard 88")
    chat.messages[-2].content = chat.messages[-2].text.replace("Sales Overview", "[a](http://x) | **b**")
    assert "Sales Overview" in said
    from agent.demo.reply import reply_to
    from tests.agent.demo.world import TODAY

    again = reply_to(chat.messages[:-1], chat.tools, TODAY)
    assert "[a](http" not in again.text
    assert "\\[a\\]" in again.text


def test_arguments_edited_by_the_person_are_not_called_again() -> None:
    chat = Chat(ALL)
    chat.say("delete dashboards Sales Overview and Retail Pulse")
    message = chat.messages[-4]
    assert isinstance(message, AIMessage)
    message.tool_calls[0]["args"] = {"dashboard_id": 61}
    again = reply_to(chat.messages[:-1], chat.tools, TODAY)
    assert not again.calls
    assert again.text


def test_an_unknown_outcome_is_said_and_not_tried_again() -> None:
    chat = Chat(ALL)
    chat.say("delete dashboard 88")
    chat.messages[-2].content = (
        "Error connection_lost: The connection to the backend broke\n"
        "The call was sent but its outcome is unknown: it may or may not have happened."
    )
    again = reply_to(chat.messages[:-1], chat.tools, TODAY)
    assert not again.calls
    assert "unclear whether" in again.text


def test_no_more_changes_at_once_than_may_wait_for_a_person() -> None:
    chat = Chat(ALL)
    chat.say("удали дашборды 61, 77, 88, 94 и 120")
    assert [len(calls) for calls in chat.rounds] == [3, 2]
    assert {args["dashboard_id"] for _, args in chat.calls} == {61, 77, 88, 94, 120}


def test_results_fenced_as_data_are_read_too() -> None:
    chat = Chat(ALL)
    chat.say("open dashboard 88")
    chat.messages[
        -2
    ].content = f'<tool_result tool="get_dashboard" status="success">\n{chat.messages[-2].text}\n</tool_result>'
    again = reply_to(chat.messages[:-1], chat.tools, TODAY)
    assert "**Sales Overview**" in again.text
    assert "tool_result" not in again.text
