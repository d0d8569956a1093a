"""Cards under attack: what a person signs shows everything, in order, and nothing that a model wrote."""

import json
from typing import Any

import pytest

from tests.tools.calls import make_call
from tests.tools.recorder import Recorder, problem, reply
from tools.cards import MOST_CHANGES, VALUE_LIMIT, Card, DryRun, draw, evidence
from tools.catalogue import workspace_toolset
from tools.client import Answer, BackendClient
from tools.language import moment, number, plural, size
from tools.toolset import Preview

BIDI, ZERO_WIDTH, TAG = "\u202e", "\u200b", "\U000e0041"
HIDDEN = f"safe{BIDI}evil{ZERO_WIDTH}{TAG}\x1b[2K\nname"


def told(**changes: Any) -> dict[str, Any]:
    """A dry run's answer of the workspace."""
    plain = {
        "operation": "delete_dashboard",
        "resource": {"type": "dashboard", "id": "61", "name": "Weekly Funnel"},
        "etag": '"dashboard-61-1"',
        "changes": [],
        "counts": {},
        "first_names": [],
        "warnings": [],
        "reversible": True,
        "irreversible_note": None,
    }
    return plain | changes


def hidden_in(value: object) -> list[str]:
    """Characters without a glyph anywhere in a card."""
    text = json.dumps(value, ensure_ascii=False)
    return [c for c in text if not c.isprintable()]


@pytest.mark.parametrize("lang", ["en", "ru"])
async def test_hidden_characters_are_shown_everywhere(client: BackendClient, recorder: Recorder, lang) -> None:
    hostile = told(
        resource={"type": "dashboard", "id": HIDDEN, "name": HIDDEN},
        changes=[{"field": HIDDEN, "before": HIDDEN, "after": [HIDDEN]}, {"field": "x", "before": {HIDDEN: HIDDEN}}],
        counts={HIDDEN: 3},
        first_names=[HIDDEN],
        warnings=[HIDDEN],
        reversible=False,
        irreversible_note=HIDDEN,
    )
    recorder.answers(reply(hostile))
    tools = workspace_toolset(client)
    for name, args in [
        ("update_dashboard", {"dashboard_id": 1, "name": HIDDEN}),
        ("create_dashboard", {"name": HIDDEN, "environment": "dev"}),
        ("delete_dataset", {"dataset_id": 1}),
        ("set_maintenance_mode", {"environment": "dev", "enabled": True, "message": HIDDEN}),
        ("commit_changes", {"environment": "dev", "message": HIDDEN}),
        ("create_backup", {"environment": "dev", "note": HIDDEN}),
        ("start_task", {"kind": "validate_dashboard", "target_id": 1}),
    ]:
        card = await tools.preview(name, args, make_call(lang=lang))
        assert hidden_in(card.model_dump(mode="json")) == [], name
        assert "\\u202E" in card.model_dump_json().replace("\\\\", "\\")


async def test_markup_in_a_name_stays_text(client: BackendClient, recorder: Recorder) -> None:
    markup = '<img src=x onerror="alert(1)">![a](http://evil.test/?q)'
    recorder.answers(reply(told(resource={"type": "dashboard", "id": "1", "name": markup})))
    card = await workspace_toolset(client).preview("delete_dashboard", {"dashboard_id": 1}, make_call())
    assert card.title == f"Delete the dashboard “{markup}” (1)?"


async def test_a_name_of_two_alphabets_is_pointed_out_first(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(reply(told(resource={"type": "dataset", "id": "1", "name": "prоd_sales"})))
    card = await workspace_toolset(client).preview("delete_dataset", {"dataset_id": 1}, make_call())
    assert card.evidence[0] == {"type": "list", "items": [{"name": "Two alphabets in one word: prоd", "meta": ""}]}


def test_long_values_are_cut_with_a_mark_and_hide_nothing_after_them() -> None:
    long = "x" * 100_000
    changes = [{"field": "description", "before": long, "after": long}, {"field": "owner", "before": "a", "after": "b"}]
    run = DryRun({"note": long}, told(changes=changes, warnings=[long], first_names=[long]), "en")
    blocks = evidence(run, Card("t", "a", facts=[("Note", long)]))
    assert len(json.dumps(blocks)) < 10_000
    assert blocks[-2]["rows"][1] == {"field": "Owner", "before": "a", "after": "b"}
    assert blocks[-2]["rows"][0]["before"].endswith("…")
    assert len(blocks[-2]["rows"][0]["before"]) == VALUE_LIMIT


def test_thousands_of_changes_do_not_make_an_endless_card() -> None:
    changes = [{"field": f"/a/{n}", "before": n, "after": n + 1} for n in range(5_000)]
    run = DryRun({}, told(resource={"type": "document", "id": "d", "name": "D"}, changes=changes), "en")
    block = evidence(run, Card("t", "a"))[0]
    assert len(block["changes"]) == MOST_CHANGES + 1
    assert block["changes"][-1]["path"] == "… 4,900 more"


def test_more_things_than_names_are_a_bulk_block() -> None:
    counts = {"dashboards_created": 120, "dashboards_updated": 8, "datasets_created": 3}
    run = DryRun({}, told(counts=counts, first_names=["a", "b"]), "ru")
    block = evidence(run, Card("t", "a", total=128))[0]
    assert (block["type"], block["total"], block["first"]) == ("bulk", 128, ["a", "b"])
    assert block["counts"][0] == {"label": "Перезаписать дашбордов", "n": 8}


def test_names_stand_under_what_happens_to_them() -> None:
    counts = {"created": 1, "updated": 12, "deleted": 0, "datasets_created": 2}
    groups = {"created": ["new"], "updated": [f"u{i}" for i in range(11)], "deleted": []}
    run = DryRun({}, told(counts=counts, groups=groups, first_names=["new", "u1"]), "ru")
    facts, updated, created = evidence(run, Card("t", "a", total=13))
    assert facts["items"] == [["Создать датасетов", 2]]
    assert updated["counts"] == [{"label": "Перезаписать", "n": 12}]
    assert (updated["names"], updated["total"]) == (groups["updated"], 12)
    assert (created["counts"], created["names"]) == ([{"label": "Создать", "n": 1}], ["new"])


def test_counts_of_nothing_are_still_shown() -> None:
    run = DryRun({}, told(counts={"created": 0, "deleted": 0}, groups={"created": [], "deleted": []}), "en")
    assert evidence(run, Card("t", "a")) == [{"type": "facts", "items": [["To delete", 0], ["To create", 0]]}]


@pytest.mark.parametrize("lang", ["en", "ru"])
async def test_the_card_of_a_restore_says_once_what_is_lost(client: BackendClient, recorder: Recorder, lang) -> None:
    note = {"en": "Everything after noon is lost.", "ru": "Всё после полудня пропадёт."}[lang]
    recorder.answers(reply(told(reversible=False, irreversible_note=note)))
    args = {"environment": "dev", "backup_id": "bk-1"}
    card = await workspace_toolset(client).preview("restore_backup", args, make_call(lang=lang))
    assert isinstance(card, Preview)
    lead = card.lead
    assert lead.endswith(note)
    assert lead.count("lost") + lead.count("пропад") == 1


def test_a_bulk_block_shows_ten_names_and_holds_them_all() -> None:
    names = [f"n{i}" for i in range(128)]
    block = evidence(DryRun({}, told(counts={"dashboards": 128}, first_names=names), "en"), Card("t", "a"))[0]
    assert (block["type"], block["total"], block["names"]) == ("bulk", 128, names)
    assert block["first"] == names[:10]


def test_places_of_a_document() -> None:
    changes = [
        {"field": "/a", "before": None, "after": [1]},
        {"field": "/b", "before": {"c": 1}, "after": None},
        {"field": "", "before": 1, "after": 2},
    ]
    run = DryRun({}, told(resource={"type": "document", "id": "d", "name": "D"}, changes=changes), "en")
    block = evidence(run, Card("t", "a"))[0]
    assert (block["type"], block["doc"]) == ("jsonpath", "D")
    assert [(c["op"], c["path"]) for c in block["changes"]] == [("add", "/a"), ("remove", "/b"), ("replace", "/")]


def test_the_way_back_is_said() -> None:
    def lead(lang, card: Card | None = None, **changes: Any) -> str:
        return draw(lambda _: card or Card("t", "a"), {}, Answer(200, told(**changes)), lang).lead

    assert lead("en") == "Can be undone until something newer touches it."
    assert lead("ru") == "Можно отменить, пока этого не коснулось что-то новее."
    assert lead("en", reversible=False) == "This cannot be undone."
    assert lead("en", reversible=False, irreversible_note="Gone for good.") == "Gone for good."
    assert lead("en", Card("t", "a", lead="It stops.", back="Start it again.")) == "It stops. Start it again."


def test_an_answer_without_anything_still_makes_a_card() -> None:
    card = draw(lambda run: Card(run.title_name, "a"), {}, Answer(200, "not json"), "en")
    assert (card.title, card.evidence, card.resource, card.etag) == ("“”", [], None, None)


async def test_a_refusal_carries_no_evidence(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(problem(403, "role_required", detail=f"Ask {HIDDEN} nicely"))
    card = await workspace_toolset(client).preview("delete_dashboard", {"dashboard_id": 1}, make_call())
    assert card.refusal is not None
    assert card.refusal.status == 403
    assert card.evidence == []
    assert hidden_in(card.refusal.problem.model_dump() if card.refusal.problem else {}) == []


@pytest.mark.parametrize(
    ("count", "words"),
    [
        *((1, "1 дашборд"), (2, "2 дашборда"), (5, "5 дашбордов"), (11, "11 дашбордов"), (21, "21 дашборд")),
        *((22, "22 дашборда"), (112, "112 дашбордов"), (0, "0 дашбордов"), (1_284, "1\u00a0284 дашборда")),
    ],
)
def test_russian_counts(count: int, words: str) -> None:
    assert plural("ru", count, ("dashboard", "dashboards"), ("дашборд", "дашборда", "дашбордов")) == words


def test_numbers_sizes_and_times() -> None:
    assert plural("en", 1, ("dashboard", "dashboards"), ("", "", "")) == "1 dashboard"
    assert (number("en", 1284.5), number("ru", 1284.5)) == ("1,284.5", "1\u00a0284,5")
    assert (size("en", 999), size("en", 4_067_844_160), size("ru", 1_500)) == ("999 B", "4.1 GB", "1,5 кБ")
    assert moment("ru", "2026-11-30T20:14:07+03:00") == "30 ноя 2026, 17:14 UTC"
    assert moment("en", "someday\u202e") == "someday\\u202E"
