"""Languages and strings."""

import re
from pathlib import Path

import pytest

from ui.lang import language
from ui.strings import FOLDER, strings, words

STATIC = Path(FOLDER).parent / "static"


@pytest.mark.parametrize(
    ("query", "cookies", "headers", "lang"),
    [
        ({"lang": "ru"}, {"cs_lang": "en"}, {}, "ru"),
        ({}, {"cs_lang": "ru"}, {"accept-language": "en"}, "ru"),
        ({}, {}, {"accept-language": "ru-RU,ru;q=0.9,en;q=0.8"}, "ru"),
        ({}, {}, {"accept-language": "de,en;q=0.9,ru;q=0.8"}, "en"),
        ({}, {}, {"accept-language": "en;q=0.1, ru;q=0.2"}, "ru"),
        ({"lang": "xx"}, {"cs_lang": "<script>"}, {"accept-language": ";;q=,"}, "en"),
        ({}, {}, {"accept-language": "ru;q=...,en"}, "en"),
    ],
)
def test_the_language_a_person_reads(query, cookies, headers, lang):
    assert language(query, cookies, headers) == lang


def test_both_languages_have_every_sentence_with_the_same_gaps():
    for key, pair in strings().items():
        assert all(pair[lang].strip() for lang in ("en", "ru")), key
        gaps = [sorted(re.findall(r"\{(\w+)\}", pair[lang])) for lang in ("en", "ru")]
        assert gaps[0] == gaps[1], key


def test_the_scripts_use_no_sentence_that_is_missing():
    used = set()
    for script in STATIC.rglob("*.js"):
        used |= set(re.findall(r'\bt\("([a-z0-9.]+)"[,)]', script.read_text()))
    assert len(used) > 80
    assert used - strings().keys() == set()


def test_words_fills_the_gaps():
    assert words("batch.sign", "en", n=3) == "Sign 3 selected"


def test_no_script_builds_markup_from_text():
    for script in STATIC.rglob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script.read_text()), (
            script
        )
