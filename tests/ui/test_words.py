"""Languages and strings."""

import re
from pathlib import Path

import pytest

from agent.models.errors import ModelError
from tests.ui.house import OPTIONS
from tools.toolset import Role
from ui.cards import ENDS
from ui.lang import language
from ui.strings import FOLDER, strings, words

STATIC = Path(FOLDER).parent / "static"
FILES = {"audit.csv", "usage.csv"}  # looks like a key and is a file


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


@pytest.mark.parametrize(
    ("headers", "said", "lang"),
    [
        ({}, "удали дашборд Retail Pulse", "ru"),
        ({}, "delete Retail Pulse", "en"),
        ({"accept-language": "*"}, "удали", "ru"),
        ({"accept-language": "en"}, "удали", "en"),
    ],
)
def test_who_asks_for_no_language_is_answered_in_their_own(headers, said, lang):
    assert language({}, {}, headers, said) == lang
    assert language({"lang": "en"}, {}, headers, said) == "en"


def test_both_languages_have_every_sentence_with_the_same_gaps():
    for key, pair in strings().items():
        assert all(pair[lang].strip() for lang in ("en", "ru")), key
        gaps = [sorted(re.findall(r"\{(\w+)\}", pair[lang])) for lang in ("en", "ru")]
        assert gaps[0] == gaps[1], key


ROOT = STATIC.parent
ROLES = [role.value for role in Role]
MODEL_ERRORS = sorted({kind.code for kind in (ModelError, *ModelError.__subclasses__())})
OUR_ERRORS = ["internal", "too_many_steps", "too_many_turns", "too_many_running", "too_many_pending", "unavailable"]
# What a script or handler puts behind a prefix that it writes out: the prefix -> everything that may follow.
FAMILIES = {
    "role.": [*ROLES, *(f"{role}.can" for role in ROLES)],
    "card.risk.": ["danger", "change", "send"],
    "card.op.": ["add", "remove", "replace"],
    "banner.": ["demo", "db"],
    "nav.": ["chat", *(OPTIONS.pages)],
    "d.": ["approved", "denied", "edited", "asked", "refused", "unasked", "failed", "expired", "superseded"],
    "ended.": sorted(ENDS | {"other"}),
    "late.": ["approve", "deny", "edit"],
    "late.by.": ["approved", "denied", "expired", "superseded"],
    "audit.": ["when", "what", "who", "obj", "result"],
    "audit.kind.": ["asked", "shown", "decided", "sent", "came_back", "refused", "undo_sent", "undo_came_back"],
    "usage.": ["turns", "in", "cached", "reasoning", "out"],
    "error.": [*MODEL_ERRORS, *OUR_ERRORS, "empty", "too_long", "run_active", "not_found", "unauthenticated", "other"],
    "notice.": ["stopped", "context_cut", "model_length"],
    "router.tier.": ["keywords", "meaning", "both", "companion", "context"],
    "router.bad.": ["json", "field", "shape", "tool"],
    "signin.": ["wrong", "down"],
}


def literals(folder: Path, pattern: str) -> set[str]:
    """Every quoted text of the sources that has the form of a key, or of its beginning."""
    prefixes = {key.split(".")[0] for key in strings()}
    found = {
        text for file in folder.rglob(pattern) for text in re.findall(r"[\"`]([a-z]+\.[\w.{}]*)", file.read_text())
    }
    shaped = {text for text in found if text.split(".")[0] in prefixes and not text.endswith((".js", ".txt", ".json"))}
    return {text.split("{")[0] for text in shaped}


@pytest.mark.parametrize("pattern", ["*.js", "*.py"])
def test_every_key_that_the_page_names_is_in_the_catalogue(pattern):
    named = literals(ROOT, pattern)
    whole = {key for key in named if not key.endswith(".")}
    assert whole - strings().keys() - FILES == set()
    assert {key for key in named if key.endswith(".")} - FAMILIES.keys() == set()
    assert len(named) > (120 if pattern == "*.js" else 10)


def test_every_key_that_is_put_together_is_in_the_catalogue():
    put_together = {prefix + end for prefix, ends in FAMILIES.items() for end in ends}
    put_together |= {f"{page}.title" for page in OPTIONS.pages}
    assert put_together - strings().keys() == set()


def test_words_fills_the_gaps():
    assert words("batch.sign", "en", n=3) == "Sign 3 selected"


def test_no_script_builds_markup_from_text():
    for script in STATIC.rglob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script.read_text()), (
            script
        )
