"""The catalogue: every tool is there, dangerous where it must be, and described in both languages."""

import json
import re
import subprocess
import sys

import pytest

from tools.always import ALWAYS
from tools.catalogue import WORKSPACE
from tools.labels import form_schema
from tools.listing import listing
from tools.toolset import Effect, Role, ToolSpec

READS = """list_environments check_environment_health search_dashboards get_dashboard search_datasets get_dataset
    plan_migration list_backups list_tasks get_task list_changes list_users read_document read_attachment
    list_audit_events""".split()
WRITES = """create_dashboard update_dashboard refresh_dataset create_backup start_task commit_changes
    apply_document_patch undo_change""".split()
DANGERS = """set_maintenance_mode delete_dashboard delete_dataset run_migration restore_backup delete_backup cancel_task
    rollback_commit grant_role revoke_role""".split()
ROLES = {
    Role.ADMIN: "set_maintenance_mode delete_dataset restore_backup delete_backup rollback_commit "
    "grant_role revoke_role",
    Role.EDITOR: "create_dashboard update_dashboard delete_dashboard run_migration create_backup cancel_task "
    "commit_changes apply_document_patch undo_change",
    Role.ANALYST: "refresh_dataset start_task",
}
CYRILLIC = re.compile("[а-яё]", re.I)
ALL = pytest.mark.parametrize("spec", [*WORKSPACE, *ALWAYS], ids=lambda spec: spec.name)
OURS = pytest.mark.parametrize("spec", WORKSPACE, ids=lambda spec: spec.name)


def test_the_effects_are_those_of_the_list() -> None:
    effects = {spec.name: spec.effect.value for spec in WORKSPACE}
    wanted = {"read": READS, "write": WRITES, "danger": DANGERS}
    assert effects == {name: effect for effect, names in wanted.items() for name in names}
    assert len(WORKSPACE) == 33


def test_three_tools_are_always_on_and_only_read() -> None:
    assert [spec.name for spec in ALWAYS] == ["show_capabilities", "ask_user_question", "find_tools"]
    assert all(spec.always_on and spec.effect is Effect.READ for spec in ALWAYS)
    assert not any(spec.always_on for spec in WORKSPACE)


def test_the_weakest_role_of_each_tool() -> None:
    wanted = {name: role for role, names in ROLES.items() for name in names.split()}
    assert {spec.name: spec.min_role for spec in WORKSPACE if spec.min_role is not Role.VIEWER} == wanted


@ALL
def test_both_languages(spec: ToolSpec) -> None:
    for words in (spec.descriptions, spec.titles):
        assert not CYRILLIC.search(words["en"])
        assert CYRILLIC.search(words["ru"])
    assert len(spec.descriptions["en"]) <= 400


@OURS
def test_words_by_which_people_ask(spec: ToolSpec) -> None:
    assert len(spec.keywords["en"]) >= 10
    assert len(spec.keywords["ru"]) >= 10
    assert not CYRILLIC.search(" ".join(spec.keywords["en"]))


@ALL
def test_the_schema_is_one_that_providers_take(spec: ToolSpec) -> None:
    function = spec.json_schema()["function"]
    assert function["name"] == spec.name
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", spec.name)
    assert function["description"] == spec.descriptions["en"]
    assert function["parameters"]["type"] == "object"
    assert "$ref" not in json.dumps(function)
    for name, prop in function["parameters"]["properties"].items():
        told = prop.get("description") or "".join(b.get("description", "") for b in prop.get("anyOf", ()))
        assert told, f"{spec.name}.{name} has no description"


@OURS
def test_companions_exist_and_only_read(spec: ToolSpec) -> None:
    effects = {other.name: other.effect for other in WORKSPACE}
    assert all(effects[name] is Effect.READ for name in spec.companions)
    assert spec.name not in spec.companions


@pytest.mark.parametrize(
    ("name", "companion"),
    [
        ("delete_dashboard", "search_dashboards"),
        ("update_dashboard", "search_dashboards"),
        ("delete_dataset", "search_datasets"),
        ("run_migration", "plan_migration"),
        ("apply_document_patch", "read_document"),
        ("undo_change", "get_dashboard"),
        ("undo_change", "read_document"),
        ("grant_role", "list_users"),
        ("revoke_role", "list_users"),
        ("restore_backup", "list_backups"),
        ("delete_backup", "list_backups"),
        ("cancel_task", "list_tasks"),
        ("rollback_commit", "list_changes"),
        ("commit_changes", "list_changes"),
    ],
)
def test_an_act_brings_its_lookup(name: str, companion: str) -> None:
    assert companion in next(spec for spec in WORKSPACE if spec.name == name).companions


@OURS
def test_every_change_has_a_preview_and_every_danger_a_reason(spec: ToolSpec) -> None:
    assert (spec.preview is None) == (spec.effect is Effect.READ)
    assert bool(spec.reasons) == (spec.effect is Effect.DANGER)


@OURS
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_form_has_flat_fields_with_names_in_the_language(spec: ToolSpec, lang) -> None:
    schema = form_schema(spec, lang)
    for name, field in schema["properties"].items():
        assert "anyOf" not in field
        assert field["title"] != name
        assert bool(CYRILLIC.search(field["title"])) == (lang == "ru")
        assert lang == "en" or "description" not in field


def test_the_hash_covers_what_a_reviewer_relied_on() -> None:
    assert len({spec.sha256() for spec in (*WORKSPACE, *ALWAYS)}) == 36
    assert WORKSPACE[0].sha256() == WORKSPACE[0].sha256()


def test_the_list_on_the_command_line() -> None:
    run = subprocess.run([sys.executable, "-m", "tools", "list", "--json"], capture_output=True, text=True, check=True)
    rows = {row["name"]: row for row in json.loads(run.stdout)}
    assert len(rows) == 36
    assert (rows["delete_dataset"]["effect"], rows["delete_dataset"]["role"]) == ("danger", "admin")
    assert rows["delete_dataset"]["reasons"] == ["destroys data"]
    assert re.search(r"^delete_backup +danger +admin +destroys data$", listing(WORKSPACE), re.M)


def test_an_unknown_command_says_what_there_is() -> None:
    run = subprocess.run([sys.executable, "-m", "tools", "lst"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "choose from" in run.stderr
    assert "list" in run.stderr
