"""Answers of unknown backends: what becomes of lists, objects, texts and failures; what a card shows of them."""

import json

import pytest

from tests.tools.calls import make_call
from tools.client import Answer, BackendClient
from tools.context import Context, current
from tools.openapi.results import MOST_COLUMNS, MOST_ROWS, changed_fields, result_of, rows_of
from tools.text import MODEL_LIMIT
from tools.toolset import Problem


@pytest.fixture(autouse=True)
def a_call(client: BackendClient):
    token = current.set(Context(client, make_call()))
    yield
    current.reset(token)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([1, 2], ([1, 2], 2)),
        ({"items": [1], "total": 40}, ([1], 40)),
        ({"data": [1], "count": 7}, ([1], 7)),
        ({"results": [1], "total": True}, ([1], 1)),
        ({"items": [1], "data": [2]}, (None, 0)),
        ({"name": "x"}, (None, 0)),
        ("text", (None, 0)),
    ],
)
def test_where_the_rows_are(body, expected):
    assert rows_of(body) == expected


def test_a_wide_and_long_list_is_a_narrow_table_and_whole_rows():
    rows = [{**{f"field{i}": "v" * 40 for i in range(20)}, "name": f"n{n}"} for n in range(300)]
    result = result_of(Answer(200, rows), "en")
    assert len(result.data["columns"]) == MOST_COLUMNS
    assert (result.data["columns"][0], len(result.data["rows"]), result.data["total"]) == ("name", MOST_ROWS, 300)
    told = json.loads(result.text)
    assert told["total"] == 300
    assert 0 < len(told["items"]) < 300
    assert len(result.text) <= MODEL_LIMIT


def test_nested_values_are_text_in_a_cell():
    result = result_of(Answer(200, [{"id": 1, "owner": {"name": "x"}, "note": "y" * 900}]), "en")
    assert result.data["columns"] == ["id", "note"]
    assert len(result.data["rows"][0][1]) < 300


def test_hidden_characters_are_shown_to_people_and_dropped_for_the_model():
    result = result_of(Answer(200, {"name": "a\u202eb"}), "en")
    assert result.data == {"name": "a\\u202Eb"}
    assert json.loads(result.text) == {"name": "ab"}


def test_a_text_an_empty_and_a_cut_answer():
    assert result_of(Answer(200, "plain\x1b[31m"), "en").text == "plain"
    assert result_of(Answer(204), "en").text == "Done; no content."
    assert result_of(Answer(200, "begin", truncated=True), "en").text.endswith("[the answer was cut at the size limit]")


def test_an_unknown_outcome_says_so():
    result = result_of(Answer(None, problem=Problem(code="timeout", title="late"), outcome_unknown=True), "en")
    assert (result.ok, result.outcome_unknown, result.summary) == (False, True, "outcome unknown")
    assert "Do not send it again" in result.text


def test_changed_fields_leave_out_what_stays():
    rows, unchanged = changed_fields({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 6})
    assert rows == [{"field": "b", "before": 2, "after": 5}, {"field": "d", "before": None, "after": 6}]
    assert unchanged == 2


def test_without_the_state_before_every_field_is_new():
    assert changed_fields(None, {"a": 1}) == ([{"field": "a", "before": None, "after": 1}], 0)
