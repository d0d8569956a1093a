"""What a tool returned as facts that a person reads."""

import pytest

from ui.facts import MOST, facts

DOCUMENT = {
    "id": "q2",
    "title": "Q2 margin",
    "revision": 2,
    "updated_at": "2026-08-23T11:20:28.151384Z",
    "updated_by": {"id": "anna", "name": "Anna", "name_ru": "Анна"},
    "tags": ["a", "b"],
    "content": {"period": "Q2"},
    "attachments": [{"id": 1}],
    "note": "",
    "last_seen": None,
    "etag": '"document-q2-2"',
    "own_field": False,
    "state": "running",
}


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        (
            "en",
            [["Id", "q2"], ["Title", "Q2 margin"], ["Revision", 2], ["Changed", "23 Aug 2026, 11:20 UTC"],
             ["Changed by", "Anna"], ["Tags", "a, b"], ["own field", False], ["State", "running"]],
        ),
        (
            "ru",
            [["Номер", "q2"], ["Название", "Q2 margin"], ["Ревизия", 2], ["Изменён", "23 авг 2026, 11:20 UTC"],
             ["Кем изменён", "Анна"], ["Теги", "a, b"], ["own field", False], ["Состояние", "выполняется"]],
        ),
    ],
)  # fmt: skip
def test_the_plain_facts_of_an_object_in_the_readers_language(lang, told):
    assert facts(DOCUMENT, lang) == told


def test_there_are_only_so_many_and_none_of_what_is_nested():
    assert len(facts({f"f{n}": n for n in range(40)}, "en")) == MOST
    assert facts({"items": [{"a": 1}], "inner": {"b": 2}}, "en") == []
