"""What the router offers: roles, follow-ups, companions, small talk, any catalogue."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from router import Entry, Router

READS = {"search_dashboards", "get_dashboard", "list_users", "list_backups", "list_tasks", "get_task"}


@pytest.mark.parametrize(
    ("query", "needed"),
    [
        ("удали дашборд 5", {"delete_dashboard"}),
        ("nuke the old sales board", {"delete_dashboard", "search_dashboards"}),
        ("udali dashbord", {"delete_dashboard"}),
        ("elfkb lfi,jhl", {"delete_dashboard"}),
        ("сними backup прода", {"create_backup"}),
        ("цифры на борде не сходятся", {"get_dashboard", "get_dataset"}),
    ],
)
def test_the_tools_of_a_query_are_offered(router: Router, query: str, needed: set[str]):
    assert needed <= set(router.select(query).tools)


@pytest.mark.parametrize(
    ("query", "forbidden"),
    [
        ("не удаляй, просто покажи дашборд 5", "delete_dashboard"),
        ("посчитай перенос борда на прод, но без миграции", "run_migration"),
        ("do not restore anything, list the backups", "restore_backup"),
        ("leave his roles alone, who gave him admin?", "revoke_role"),
    ],
)
def test_danger_that_is_ruled_out_is_not_offered(router: Router, query: str, forbidden: str):
    selection = router.select(query)
    assert selection.tools
    assert forbidden not in selection.tools


@pytest.mark.parametrize("query", ["привет", "thanks a lot!", "what is the weather", "спасибо, пока", "🙏"])
def test_small_talk_gets_nothing_not_even_after_other_turns(router: Router, query: str):
    assert router.select(query).tools == ()
    assert router.select(query, recent=[("get_dashboard",)]).tools == ()


def test_a_role_is_filtered_before_routing(router: Router):
    query = "дай Оле права редактора"
    assert "grant_role" in router.select(query).tools
    offered = router.select(query, allowed=READS)
    assert set(offered.tools) <= READS
    assert {choice.tool for choice in offered.below} <= READS
    assert set(router.find("give a role to a user", allowed=READS).tools) <= READS


def test_nothing_allowed_means_nothing_offered(router: Router):
    assert router.select("удали дашборд 5", allowed=()).tools == ()
    assert router.find("delete a dashboard", allowed=()).tools == ()


@pytest.mark.parametrize(
    ("recent", "query", "needed"),
    [
        ([("plan_migration",)], "ок, запускай", "run_migration"),
        ([("plan_migration",)], "давай", "run_migration"),
        ([("check_environment_health",)], "а на стейдже?", "check_environment_health"),
        ([("list_tasks",)], "kill the second one", "cancel_task"),
        ([("search_datasets", "get_dataset")], "reload it then", "refresh_dataset"),
        ([("list_backups",), ()], "and for dev?", "list_backups"),
        ([("grant_role",)], "и Шубину то же самое", "grant_role"),
        ([("removed_tool", "list_tasks")], "what about the third?", "get_task"),
    ],
)
def test_a_follow_up_sees_the_tools_of_the_last_turns(router: Router, recent: list, query: str, needed: str):
    assert needed in router.select(query, recent=recent).tools


def test_a_new_request_does_not_drag_the_last_turn_along(router: Router):
    assert "cancel_task" not in router.select("какие бэкапы есть у стейджа", recent=[("list_tasks",)]).tools


def test_companions_follow_the_tool_that_brings_them(router: Router):
    choices = router.select("delete the Weekly Funnel dashboard").choices
    tools = [choice.tool for choice in choices]
    assert tools.index("search_dashboards") > tools.index("delete_dashboard")
    assert all(
        choice.words == ("delete_dashboard",)
        for choice in choices
        if choice.tier == "companion" and choice.tool == "search_dashboards"
    )


def test_every_choice_says_why(router: Router):
    selection = router.select("удали дашборд 5")
    best = next(choice for choice in selection.choices if choice.tool == "delete_dashboard")
    assert {"удали", "дашборд"} <= set(best.words)
    assert best.tier in {"keywords", "meaning", "both"}
    assert best.score >= selection.threshold
    assert all(near.tool not in selection.tools for near in selection.below)


def test_more_tools_are_found_by_description(router: Router):
    assert router.find("roll the content back to an earlier commit").tools[0] == "rollback_commit"
    assert "read_attachment" in router.find("прочитать приложенный файл").tools


def test_the_catalogue_may_be_empty():
    assert Router([]).select("delete it").tools == ()
    assert Router([]).find("delete it").tools == ()


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ValueError, match="named same"):
        Router([Entry("same", {}), Entry("same", {})])


THREE = [
    Entry("create_invoice", {"en": "Create an invoice for a customer"}, effect="write"),
    Entry("list_orders", {"en": "List the orders of a shop"}, effect="read"),
    Entry("delete_product", {"en": "Delete a product"}, effect="danger"),
]


@pytest.mark.parametrize(
    ("query", "needed"),
    [
        ("make an invoice for Bob", "create_invoice"),
        ("покажи заказы", "list_orders"),
        ("удали товар 7", "delete_product"),
    ],
)
def test_three_tools_without_keywords_are_enough(embedder, query: str, needed: str):
    assert needed in Router(THREE, embedder).find(query).tools[:1]


def test_a_thousand_tools_without_keywords(embedder):
    nouns = [f"widget{i}" for i in range(250)]
    acts = {"list": "read", "create": "write", "update": "write", "delete": "danger"}
    tools = [
        Entry(f"{act}_{noun}", {"en": f"{act.title()} a {noun} of the plant"}, effect=effect)
        for noun in nouns
        for act, effect in acts.items()
    ]
    router = Router(tools, embedder)
    assert router.select("delete widget77").tools[0] == "delete_widget77"
    assert len(router.select("delete widget77").tools) <= 8
    assert "list_widget9" in router.find("list all widget9").tools


def test_companions_that_do_not_exist_are_passed_over(embedder):
    tools = [replace(THREE[0], companions=("nowhere",)), *THREE[1:]]
    assert "nowhere" not in Router(tools, embedder).find("create an invoice").tools


def test_a_notice_is_said_once(keywords_only: Router):
    keywords_only.notify("The model is late.")
    assert keywords_only.select("привет").notice == "The model is late."
    assert keywords_only.select("привет").notice is None


class Unready:
    """An embedder whose work stops until it is let go."""

    id = "unready@1"

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def encode(self, texts) -> np.ndarray:
        self.asked.set()
        self.go.wait(timeout=30)
        return np.ones((len(texts), 4), dtype=np.float32) / 2


def test_selections_go_on_while_an_embedder_is_indexed(workspace):
    router, slow = Router(workspace), Unready()
    thread = threading.Thread(target=router.use, args=(slow,))
    thread.start()
    assert slow.asked.wait(timeout=30)
    assert "delete_dashboard" in router.select("удали дашборд 5").tools
    assert router.embedder is None
    slow.go.set()
    thread.join(timeout=30)
    assert router.embedder == "unready@1"
    assert "delete_dashboard" in router.select("удали дашборд 5").tools


def test_a_catalogue_may_be_about_everyday_life(embedder):
    tools = [
        Entry("weather_forecast", {"en": "Forecast for a city"}, effect="read"),
        Entry("list_orders", {"en": "List the orders of a shop"}, effect="read"),
    ]
    router = Router(tools, embedder)
    assert router.select("погода в Москве на завтра").tools[:1] == ("weather_forecast",)
    assert router.select("tell me a joke").tools == ()
