"""What a query rules out, and what its clauses lend each other."""

import pytest

from router import Router
from router.reading import Reading


def read(router: Router, query: str) -> Reading:
    return router._read(query, ())[0]


def ruled_out(router: Router, query: str) -> set[str]:
    return {word.meant for word in read(router, query).words if word.out}


@pytest.mark.parametrize(
    ("query", "out"),
    [
        ("не удаляй борд, просто переименуй", {"удаляй", "борд"}),
        ("удалять не надо, покажи", {"удалять", "не", "надо"}),
        ("история коммитов, без отката", {"отката"}),
        ("do not restore, which backup is the newest", {"restore"}),
        ("never cancel task 5; show its log", {"cancel", "task", "5"}),
        ("tag it instead of deleting the board", {"deleting", "board"}),
        ("take a backup, no maintenance please", {"maintenance"}),
        ("перенеси борд, не удаляя исходник", {"удаляя", "исходник"}),
        ("yt elfkzq lfi,jhl", {"не", "удаляй", "дашборд"}),
        ("ne udalyaj bord", {"не", "удаляй", "борд"}),
    ],
)
def test_negation_reaches_over_the_right_words(keywords_only: Router, query: str, out: set[str]):
    found = ruled_out(keywords_only, query)
    assert out - {"не"} <= found
    assert not found & {"переименуй", "покажи", "история", "newest", "show", "log", "tag", "take", "backup", "перенеси"}


@pytest.mark.parametrize(
    "query",
    [
        "датасет не обновляется со вчера",
        "prod is not responding",
        "she can't edit boards",
        "цифры не сходятся",
        "страшно катить релиз без подстраховки",
        "the board has not been updated",
    ],
)
def test_a_denied_fact_rules_nothing_out(keywords_only: Router, query: str):
    reading = read(keywords_only, query)
    assert not reading.cautious
    assert not any(word.out for word in reading.words)


def test_a_clause_that_names_no_thing_takes_the_thing_before_it(keywords_only: Router):
    reading = read(keywords_only, "прочитай контракт, поправь там срок")
    assert "@document" in reading.parts[1].terms


def test_what_is_ruled_out_still_says_what_the_query_is_about(keywords_only: Router):
    reading = read(keywords_only, "do not delete dashboard 305, only rename it")
    assert "@dashboard" in reading.parts[-1].terms


@pytest.mark.parametrize("query", ["who deleted the dataset", "если перенести борд, что сломается"])
def test_an_act_that_is_only_told_of_is_not_asked_for(keywords_only: Router, query: str):
    assert not read(keywords_only, query).parts[0].asked


@pytest.mark.parametrize(
    "query", ["", " ", "🙂", "\ud800", "'", "-" * 5000, "a" * 100_000, "не", "удали " * 20_000, "\x00\u202e"]
)
def test_any_text_is_read(router: Router, query: str):
    assert router.select(query) is not None
    assert router.find(query) is not None
