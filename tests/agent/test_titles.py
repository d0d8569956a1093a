"""Titles from first messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.titles import LONGEST, title_of


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("delete the Sales dashboard.", "Delete the Sales dashboard"),
        ("Привет! покажи дашборды", "Покажи дашборды"),
        ("Hello, please restart staging", "Restart staging"),
        ("hello", "Hello"),
        ("\n\n  **show**   `tasks`\nthen more", "Show tasks"),
        ("delete dataset tmp_ga4_backfill and __init__", "Delete dataset tmp_ga4_backfill and __init__"),
        ("why is load > 5*3 on node #4, path ~/logs | wc?", "Why is load > 5*3 on node #4, path ~/logs | wc?"),
        ("## Plan\n- drop it", "Plan"),
        ("> ~~old~~ ***new*** plan", "Old new plan"),
        ("see [the report](http://x.test/?a=b)", "See the report"),
        ("x" * 80, "X" + "x" * 58 + "…"),
        ("one two " * 20, "One two one two one two one two one two one two one two one…"),
        ("drop \u202esales\u200b now", "Drop \\u202Esales\\u200B now"),
        ("???\n\n", ""),
    ],
)
def test_title(message, title):
    assert title_of(message) == title


@given(st.text())
def test_title_is_one_short_line(message):
    title = title_of(message)
    assert len(title) <= LONGEST
    assert not set(title) & set("\n\t\0\u202e")
