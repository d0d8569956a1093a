"""Cleaning text for models and logs, and showing what is hidden to people."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tools.text import clean_text, cut, mixed_words, visible, visible_text

ANYTHING = st.text(st.characters(codec=None), max_size=200)
HIDDEN = "\u202e\u2066\u200b\u00ad\ufeff\u2028\U000e0041\ue000\x1b\x00\u3164"


@given(ANYTHING)
def test_no_control_format_private_or_surrogate_character_survives(text: str) -> None:
    kept = {unicodedata.category(c) for c in clean_text(text) if c not in "\n\t\u200c\u200d"}
    assert not kept & {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
    clean_text(text).encode()


@given(ANYTHING)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


@given(ANYTHING)
def test_a_card_hides_nothing(text: str) -> None:
    shown = visible_text(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
    assert len(shown) >= len(text)


def test_terminal_sequences_go_whole() -> None:
    link = "\x1b]8;;http://evil.test\x07click\x1b]8;;\x1b\\"
    assert clean_text(f"\x1b[31mred\x1b[0m {link} \x9b1mbold \x1b(B") == "red click bold "


def test_plain_text_in_any_language_stays() -> None:
    for text in ("plain", "снег, ёлка", "日本語", "سلام", "می\u200cخواهم", "👨\u200d👩\u200d👧", "a\tb\nc"):
        assert clean_text(text) == text


def test_hidden_characters_become_escapes() -> None:
    assert visible_text("a\u202eb\n\U000e0041") == "a\\u202Eb\\u000A\\U000E0041"
    assert all(c not in visible_text(f"x{HIDDEN}y") for c in HIDDEN)
    assert visible({"k\u200b": ["\u202e", 1, None]}) == {"k\\u200B": ["\\u202E", 1, None]}


def test_a_cut_says_how_much_is_left() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("x" * 12_000, 8_000).endswith("\n[truncated, 8,000 of 12,000 characters]")


def test_a_word_of_two_alphabets_is_found() -> None:
    assert mixed_words("prоd_sales Выручка fact_заказы") == ["prоd"]
    assert mixed_words("Weekly Funnel, Воронка лидов 2, 1С") == []
