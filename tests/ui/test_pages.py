"""The pages beside the chat and what they ask for: whose entries, whose cards, which files."""

import csv
import io
import uuid

import pytest

from tests.ui.conftest import sign_in
from ui.pages.files import csv_lines


@pytest.fixture
def entries(house):
    house.audit.links.clear()
    mine, other = uuid.uuid4(), uuid.uuid4()
    house.audit.add("asked", "test|ilya", "Ilya", "delete_dashboard", mine, args={"name": "=HYPERLINK(1)"})
    house.audit.add("decided", "test|ilya", "Ilya", "delete_dashboard", mine, decision="approved")
    house.audit.add("asked", "test|anna", "Anna", "grant_role", other, args={})
    yield
    house.audit.links.clear()


async def test_an_admin_sees_the_tenant_and_others_what_is_theirs(http, entries):
    await sign_in(http, "anna")
    everything = (await http.get("/ui/audit")).json()
    assert [entry["tool"] for entry in everything["entries"]] == ["grant_role", "delete_dashboard", "delete_dashboard"]
    await sign_in(http, "ilya")
    own = (await http.get("/ui/audit")).json()
    assert {entry["owner"] for entry in own["entries"]} == {"test|ilya"}
    assert own["all"] is False


async def test_the_csv_holds_every_entry_and_no_formula(http, house, entries):
    for _ in range(1100):
        house.audit.add("sent", "test|ilya", "=cmd|' /C calc'!A0", "refresh_dataset")
    await sign_in(http, "ilya")
    answer = await http.get("/ui/audit.csv")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))
    assert len(rows) == 1102
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


async def test_a_number_of_the_csv_stays_a_number():
    async def rows():
        yield {"value": -1, "reason": "-1", "cost": None}

    assert [line async for line in csv_lines(("value", "reason", "cost"), rows())][1] == "-1,'-1,\r\n"


async def test_the_json_is_one_array(http, entries):
    await sign_in(http, "vera")
    assert (await http.get("/ui/audit.json")).json() == []
    await sign_in(http, "anna")
    assert [entry["seq"] for entry in (await http.get("/ui/audit.json")).json()] == [3, 2, 1]


async def test_a_page_leads_to_the_sign_in_and_holds_no_data(http):
    answer = await http.get("/audit", headers={"accept": "text/html"})
    assert answer.headers["location"] == "/signin?next=%2Faudit"
    await sign_in(http)
    page = await http.get("/audit", headers={"accept": "text/html", "accept-language": "ru"})
    assert '<html lang="ru">' in page.text
    assert "<script>" not in page.text


async def test_waiting_cards_of_all_conversations(http, house):
    await sign_in(http, "vera")
    assert (await http.get("/ui/approvals")).json() == {"waiting": []}


async def test_a_message_is_routed_and_nothing_runs(http, house):
    await sign_in(http, "anna")
    answer = await http.post("/ui/route", json={"query": "delete sales"}, headers={"origin": "http://chat.test"})
    rows = answer.json()["rows"]
    assert [(row["tool"], row["passed"], row["sign"]) for row in rows] == [
        ("delete_dashboard", True, True),
        ("list_tasks", False, False),
    ]
    assert house.turns.effects == []


async def test_an_admin_hears_what_the_router_says_of_itself(http):
    await sign_in(http, "anna")
    answer = await http.post("/ui/route", json={"query": "delete"}, headers={"origin": "http://chat.test"})
    assert answer.json()["notice"] == "The embedding model is away."


HOME = {"origin": "http://chat.test"}


@pytest.mark.parametrize("username", ["vera", "ilya"])
async def test_for_others_than_admins_there_is_no_router(http, username):
    await sign_in(http, username)
    assert (await http.get("/router", headers={"accept": "text/html"})).status_code == 404
    for path, body in (("/ui/route", {"query": "delete sales"}), ("/ui/route/labelled", {"lines": "{}"})):
        answer = await http.post(path, json=body, headers=HOME)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "router" not in (await http.get("/ui/shell")).json()["pages"]


async def test_an_admin_finds_the_router(http):
    await sign_in(http, "anna")
    assert (await http.get("/router", headers={"accept": "text/html"})).status_code == 200
    assert "router" in (await http.get("/ui/shell")).json()["pages"]


async def test_nobody_measures_without_a_sign_in(http):
    answer = await http.post("/ui/route/labelled", json={"lines": "{}"}, headers=HOME)
    assert answer.status_code == 401


async def test_labelled_messages_give_figures_and_misses(http):
    await sign_in(http, "anna")
    lines = """{"query": "delete sales", "needed": ["delete_dashboard"], "kind": "plain"}

        {"query": "what runs now", "needed": ["list_tasks"], "kind": "indirect"}
        {"query": "delete my alarm", "needed": [], "forbidden": ["delete_dashboard"], "kind": "outofscope"}"""
    answer = (await http.post("/ui/route/labelled", json={"lines": lines}, headers=HOME)).json()
    assert answer["figures"]["all_needed_recall"] == 0.5
    assert answer["figures"]["forbidden_offered"] == 1.0
    assert [(m["line"], m["missing"], m["harmful"]) for m in answer["misses"]] == [
        (3, ["list_tasks"], []),
        (4, [], ["delete_dashboard"]),
    ]


async def test_every_bad_line_is_named_by_its_number_in_the_language_of_the_person(http):
    await sign_in(http, "anna")
    lines = """{"query": "a"}
        not json
        {"query": "b", "needed": []}
        {"query": "c", "needed": "x"}
        {"query": "d", "needed": ["fly"]}"""
    answer = await http.post("/ui/route/labelled", json={"lines": lines}, headers=HOME)
    assert answer.status_code == 422
    assert [error["line"] for error in answer.json()["errors"]] == [1, 2, 4, 5]
    texts = [error["text"] for error in answer.json()["errors"]]
    assert "needed" in texts[0]
    assert "JSON" in texts[1]
    assert "fly" in texts[3]
    russian = await http.post("/ui/route/labelled", json={"lines": lines}, headers=HOME | {"accept-language": "ru"})
    assert "нет поля" in russian.json()["errors"][0]["text"]


async def test_empty_and_endless_files_are_refused_with_a_reason(http):
    await sign_in(http, "anna")
    nothing = await http.post("/ui/route/labelled", json={"lines": "\n \n"}, headers=HOME)
    many = await http.post("/ui/route/labelled", json={"lines": '{"query":"a","needed":[]}\n' * 1001}, headers=HOME)
    assert (nothing.status_code, many.status_code) == (422, 422)
    assert "at least one line" in nothing.json()["text"]
    assert "1001" in many.json()["text"]
