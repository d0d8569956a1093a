"""The page of usage over HTTP: whose rows, which sums, and the file."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest

from store.usage import Spent
from tests.ui.conftest import sign_in

ANNA, ILYA = "test|anna", "test|ilya"


@pytest.fixture(autouse=True)
def counted(house):
    today = datetime.now(UTC).date()
    rows = [
        Spent(today - timedelta(days=40), "m", ANNA, "Anna", 1, 1, 7, 0, 0, 1),
        Spent(today - timedelta(days=1), "=m", ILYA, None, 3, 2, 1000, 600, 20, 50),
        Spent(today, "m", ANNA, "=Anna", 2, 1, 2_000_000, 0, 0, 100_000),
    ]
    house.usage.rows = rows
    yield
    house.usage.rows = []


async def test_an_admin_sees_everybody_and_others_themselves(http):
    await sign_in(http, "anna")
    everything = (await http.get("/ui/usage")).json()
    assert (everything["all"], [row["input"] for row in everything["days"]]) == (True, [1000, 2_000_000])
    assert [(row["name"], row["output"]) for row in everything["people"]] == [("=Anna", 100_000), ("ilya", 50)]
    assert everything["days"][1]["cost"] == 2.1
    await sign_in(http, "ilya")
    own = (await http.get("/ui/usage", params={"days": 7})).json()
    assert (own["all"], own["people"]) == (False, [])
    assert [(row["model"], row["cached"], row["turns"]) for row in own["days"]] == [("=m", 600, 2)]
    assert (datetime.fromisoformat(own["until"]) - datetime.fromisoformat(own["since"])).days == 6


async def test_nobody_sees_nothing_and_a_period_has_bounds(http):
    for path in ("/ui/usage", "/ui/usage.csv"):
        assert (await http.get(path)).status_code == 401
    await sign_in(http)
    assert (await http.get("/ui/usage", params={"days": 0})).status_code == 422
    assert (await http.get("/ui/usage", params={"days": 4000})).status_code == 422


async def test_the_file_holds_every_row_of_the_period_and_no_formula(http):
    await sign_in(http, "anna")
    answer = await http.get("/ui/usage.csv", params={"days": 365})
    assert 'filename="usage.csv"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))
    assert [(row["person"], row["model"], row["name"]) for row in rows] == [
        (ANNA, "m", "Anna"),
        (ILYA, "'=m", "ilya"),
        (ANNA, "m", "'=Anna"),
    ]
    await sign_in(http, "vera")
    assert len((await http.get("/ui/usage.csv")).text.splitlines()) == 1
