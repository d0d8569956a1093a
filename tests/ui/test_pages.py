"""The pages beside the chat and what they ask for: whose entries, whose cards, which files."""

import csv
import io
import uuid

import pytest

from tests.ui.conftest import sign_in


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
    await sign_in(http, "vera")
    answer = await http.post("/ui/route", json={"query": "delete sales"}, headers={"origin": "http://chat.test"})
    rows = answer.json()["rows"]
    assert [(row["tool"], row["passed"], row["sign"]) for row in rows] == [
        ("delete_dashboard", True, True),
        ("list_tasks", False, True),
    ]
    assert house.turns.effects == []


async def test_what_the_router_says_of_itself_is_for_admins(http):
    said = []
    for person in ("vera", "ilya", "anna"):
        await sign_in(http, person)
        answer = await http.post("/ui/route", json={"query": "delete"}, headers={"origin": "http://chat.test"})
        said.append(answer.json()["notice"])
    assert said == [None, None, "The embedding model is away."]
