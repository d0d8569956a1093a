"""The card of every changing tool, drawn from the real workspace's dry run, which leaves no trace."""

import re

import pytest

from tests.tools.wishes import CHANGES, Args, args_of
from tests.tools.workspace import Workspace

pytestmark = pytest.mark.asyncio(loop_scope="module")
CYRILLIC = re.compile("[а-яё]", re.I)
DESTRUCTIVE = {"delete_dashboard", "delete_dataset", "run_migration", "restore_backup", "delete_backup"} | {
    "cancel_task",
    "rollback_commit",
}
EVERY = pytest.mark.parametrize("name", list(CHANGES))


@EVERY
async def test_a_preview_is_a_whole_card_and_changes_nothing(untouched: Workspace, name: str) -> None:
    args = await args_of(untouched, name)
    events = (await untouched.run("list_audit_events")).data["total"]
    cards = {lang: await untouched.ask(name, lang=lang, **args) for lang in ("en", "ru")}
    assert (await untouched.run("list_audit_events")).data["total"] == events
    for lang, card in cards.items():
        assert card.refusal is None
        assert card.title.endswith("?")
        words = [re.sub("“.*?”", "", text) for text in (card.title, card.approve, card.lead)]
        assert [bool(CYRILLIC.search(text)) for text in words] == [lang == "ru"] * 3
        assert card.lead.endswith(".")
        assert "!" not in card.title + card.lead
        assert card.approve not in {"Approve", "OK", "Yes", "Confirm"}
        assert card.evidence
        assert (card.risk == "danger") == (name in DESTRUCTIVE)
    for lang, other in (("en", "ru"), ("ru", "en")):
        beside, own = cards[lang].others[other], cards[other]
        assert (beside.title, beside.approve, beside.etag) == (own.title, own.approve, own.etag)
        assert [block["type"] for block in beside.evidence] == [block["type"] for block in own.evidence]
    assert cards["en"].etag == cards["ru"].etag
    assert (cards["en"].etag is None) == (name in {"create_dashboard", "start_task"})


CHANGED_IN_PLACE = ["update_dashboard", "delete_dashboard", "refresh_dataset", "delete_dataset", "delete_backup"]
IN_AN_ENVIRONMENT = [*CHANGED_IN_PLACE, "start_task", "cancel_task", "undo_change"]


@pytest.mark.parametrize("name", IN_AN_ENVIRONMENT)
async def test_a_card_says_in_its_title_and_first_where_the_thing_lives(untouched: Workspace, name: str) -> None:
    args = await args_of(untouched, name)
    for lang, on, label in (("en", "on", "Environment"), ("ru", "на", "Окружение")):
        card = await untouched.ask(name, lang=lang, **args)
        place = re.search(f" {on} (dev|stage|prod)\\?$", card.title)
        assert place, card.title
        facts = next(block["items"] for block in card.evidence if block["type"] == "facts")
        assert facts[0] == [label, place[1]]


async def test_namesakes_are_told_apart_by_their_titles(untouched: Workspace) -> None:
    found = (await untouched.run("search_dashboards", text="Retail Pulse")).data["rows"]
    ids = [row[0] for row in found if row[1] == "Retail Pulse"]
    titles = {(await untouched.ask("delete_dashboard", dashboard_id=id_)).title for id_ in ids}
    assert {
        f"Delete the dashboard “Retail Pulse” ({id_}) on {place}?"
        for id_, place in zip(sorted(ids), ("dev", "stage", "prod"), strict=True)
    } == titles


@EVERY
async def test_a_viewer_is_refused_before_anything_is_asked(untouched: Workspace, name: str) -> None:
    args = await args_of(untouched, name)
    card = await untouched.ask(name, "vera", **args)
    assert card.refusal is not None
    assert card.refusal.problem is not None
    assert (card.refusal.status, card.refusal.problem.code) == (403, "role_required")
    result = await untouched.run(name, "vera", **args)
    assert (result.ok, result.status, result.summary) == (False, 403, "Not allowed")
    assert "Nothing was changed" in result.text


CHANGED_MEANWHILE = [name for name in CHANGES if name not in {"create_dashboard", "start_task"}]


@pytest.mark.parametrize("name", CHANGED_MEANWHILE)
async def test_another_revision_than_the_one_shown_stops_it(untouched: Workspace, name: str) -> None:
    args = await args_of(untouched, name)
    result = await untouched.run(name, call=untouched.call("anna", if_match='"seen-long-ago"'), **args)
    assert result.problem is not None
    assert (result.status, result.problem.code) == (412, "revision_changed")


@pytest.mark.parametrize(
    ("name", "changes", "typed"),
    [
        ("restore_backup", {}, "prod"),
        ("run_migration", {}, "prod"),
        ("run_migration", {"target": "dev"}, None),
        ("rollback_commit", {}, None),
        ("delete_dataset", {}, "fact_leads"),
        ("delete_dashboard", {}, None),
    ],
)
async def test_the_most_destructive_calls_are_signed_by_typing(
    untouched: Workspace, name: str, changes: Args, typed: str | None
) -> None:
    card = await untouched.ask(name, **(await args_of(untouched, name) | changes))
    assert card.refusal is None
    assert card.type_to_sign == typed


async def test_deleting_a_backup_and_a_rollback_of_prod_are_typed(untouched: Workspace) -> None:
    backup = (await untouched.first("list_backups", environment="dev"))["id"]
    assert (await untouched.ask("delete_backup", backup_id=backup)).type_to_sign == backup
    commits = (await untouched.run("list_changes", environment="prod")).data["rows"]
    commit = next(row[0] for row in commits if row[-1] == "commit")
    assert (await untouched.ask("rollback_commit", environment="prod", commit=commit)).type_to_sign == "prod"


async def test_the_card_of_a_document_shows_each_place(untouched: Workspace) -> None:
    card = await untouched.ask("apply_document_patch", lang="ru", **await args_of(untouched, "apply_document_patch"))
    block = card.evidence[-1]
    assert block["type"] == "jsonpath"
    assert block["changes"] == [{"op": "add", "path": "/owner_team", "before": None, "after": "returns"}]
    assert card.approve == "Применить 1 изменение"
    assert "Ревизия 2 останется в истории." in card.lead


async def test_what_is_lost_stands_first(untouched: Workspace) -> None:
    card = await untouched.ask("delete_dataset", dataset_id=2106)
    assert [block["type"] for block in card.evidence] == ["list", "facts", "list"]
    assert "will break" in card.evidence[0]["items"][0]["name"]
    rollback = await untouched.ask("rollback_commit", environment="dev", commit="a81f0e")
    groups = [block for block in rollback.evidence if block["type"] == "bulk"]
    told = [(count["label"], count["n"]) for block in groups for count in block["counts"]]
    order = [label for label in ("To delete", "To overwrite", "To create") if label in dict(told)]
    assert [label for label, _ in told] == order != []
    assert all(len(block["names"]) == block["total"] == block["counts"][0]["n"] for block in groups)


REFUSED = [
    ("delete_dashboard", {"dashboard_id": 999_999}, 404, "dashboard_not_found"),
    ("delete_backup", {"backup_id": "bk-none"}, 404, "backup_not_found"),
    ("grant_role", {"user_id": "nobody", "role": "admin"}, 404, "user_not_found"),
    ("commit_changes", {"environment": "stage", "message": "x"}, 409, "nothing_to_commit"),
    ("update_dashboard", {"dashboard_id": 61, "owner": "Nobody At All"}, 422, "unknown_owner"),
]


@pytest.mark.parametrize(("name", "args", "status", "code"), REFUSED)
async def test_a_refused_dry_run_becomes_the_result(
    untouched: Workspace, name: str, args: Args, status: int, code: str
) -> None:
    card = await untouched.ask(name, lang="ru", **args)
    assert card.refusal is not None
    assert card.refusal.problem is not None
    assert (card.refusal.status, card.refusal.problem.code) == (status, code)
    assert CYRILLIC.search(card.refusal.summary)
    assert not card.evidence
