"""Words, stems, layouts, transliteration and typos."""

import pytest

from router.keywords import vocabulary_of
from router.layout import swap_layout, to_cyrillic
from router.lexicon import packaged_lexicon
from router.spelling import Spelling
from router.text import name_words, plain, shape, words


@pytest.fixture(scope="module")
def spelling(workspace) -> Spelling:
    return Spelling(packaged_lexicon(), vocabulary_of(workspace))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("lfi,jhl", "дашборд"), ("elfkb", "удали"), ("cntql;", "стейдж"), ("вудуеу", "delete"), ("вфыр", "dash")],
)
def test_the_other_layout_is_read_key_by_key(typed: str, meant: str):
    assert swap_layout(typed) == meant


def test_swapping_the_layout_twice_gives_the_text_back():
    text = "Удали дашборд «Ёлка», shift+HOME; [ok]"
    assert swap_layout(swap_layout(text)) == text


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("udali", "удали"),
        ("zhivoj", "живой"),
        ("udalyai", "удаляй"),
        ("okruzheniya", "окружения"),
        ("bekap proda", "бекап прода"),
    ],
)
def test_transliteration_follows_the_common_schemes(typed: str, meant: str):
    assert to_cyrillic(typed) == meant


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("delete_dashboard", ["delete", "dashboard"]),
        ("MusicTool", ["music", "tool"]),
        ("PDF&URLTool", ["pdf", "url", "tool"]),
        ("getHTTPStatus", ["get", "http", "status"]),
    ],
)
def test_identifiers_fall_into_words(name: str, expected: list[str]):
    assert name_words(name) == expected


def test_hyphens_part_words_but_not_ids():
    assert words("дата-контракт из bk-204, owner'а и don't") == [
        "дата",
        "контракт",
        "из",
        "bk-204",
        "owner",
        "и",
        "don't",
    ]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("12", "number"),
        ("fact_orders", "snake"),
        ("p.vlasov", "login"),
        ("4fa91c2", "hash"),
        ("3%", "percent"),
        ("bk-7", "id"),
    ],
)
def test_ids_are_known_by_their_shape(token: str, expected: str):
    assert shape(token) == expected


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("delte", "delete"),
        ("дашброд", "дашборд"),
        ("востанови", "восстанови"),
        ("maintainance", "maintenance"),
        ("bekap", "бекап"),
        ("taks", "task"),
    ],
)
def test_typos_are_repaired_to_words_of_the_catalogue(spelling: Spelling, typed: str, meant: str):
    assert spelling.repair(typed, False)[0] == meant


@pytest.mark.parametrize("word", ["reliable", "blender", "погода", "visit", "kubernetes", "xq"])
def test_real_and_unknown_words_stay_as_they_are(spelling: Spelling, word: str):
    assert spelling.repair(word, False) == (word, 1.0)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("gjrf;b lfi,jhls gj kjubcnbrt", "покажи дашборды по логистике"),
        ("elfkb ,'rfg cntql;f pf 3 vfz", "удали бэкап стейджа за 3 мая"),
        ("yt elfkzq lfnfctn", "не удаляй датасет"),
        ("дшые ифслгзы ща ыефпу", "list backups of stage"),
        ("gjrf;b кто админ на проде", "покажи кто админ на проде"),
    ],
)
def test_slips_of_the_layout_are_put_right(spelling: Spelling, typed: str, meant: str):
    assert spelling.fix_layout(typed) == meant


@pytest.mark.parametrize("text", ["show the runbook", "покажи рунубк", "what is up, doc?", "Ünïcödé 你好 🙂", ""])
def test_text_in_its_own_layout_is_left_alone(spelling: Spelling, text: str):
    assert spelling.fix_layout(plain(text)) == plain(text)
