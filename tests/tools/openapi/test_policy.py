import pytest

from tools.client import BackendClient
from tools.openapi.document import load_document
from tools.openapi.operations import operations
from tools.openapi.policy import Policy, PolicyError
from tools.openapi.review import refresh, write_policy
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import Effect

RENAME = {"operationId": "rename_note", "summary": "Rename a note"}


def note(write, **changes):
    return operations(load_document(write({"/notes/{id}": {"patch": {**RENAME, **changes}}})))[0]


def load(tmp_path, text):
    file = tmp_path / "countersign.toml"
    file.write_text(text)
    return Policy.load(file)


def test_no_file_is_an_empty_policy(tmp_path):
    assert Policy.load(tmp_path / "nothing.toml").rules == {}


def test_a_written_policy_says_what_the_rules_say(tmp_path, imported):
    for found in imported.values():
        policy = load(tmp_path, write_policy(found))
        assert set(policy.rules) == {operation.name for operation in found}
        for operation in found:
            written, plain = policy.judge(operation), Policy().judge(operation)
            assert (written.effect, written.off) == (plain.effect, None)


def test_a_written_policy_puts_dangers_first(imported):
    text = write_policy(imported["prefect.json"])
    assert text.index('effect = "danger"') < text.index('effect = "write"') < text.index('effect = "read"')


def test_a_reason_cannot_write_into_the_policy(write, tmp_path):
    operation = note(write, summary='x"]\n[operations.rename_note]\neffect = "read"', description="erases\neverything")
    assert load(tmp_path, write_policy([operation])).judge(operation).effect is Policy().judge(operation).effect


def test_a_changed_operation_is_off_until_reviewed(write, tmp_path):
    policy = load(tmp_path, write_policy([note(write)]))
    changed = note(write, description="Now also deletes the old one.")
    assert "changed since it was reviewed" in policy.judge(changed).off
    assert load(tmp_path, write_policy([changed])).judge(changed).off is None


def test_the_file_wins_over_the_document_and_the_document_over_the_rules(write, tmp_path):
    operation = note(write, **{"x-countersign": {"effect": "danger"}})
    assert Policy().judge(operation).effect is Effect.DANGER
    policy = load(tmp_path, '[operations.rename_note]\neffect = "write"\n')
    assert policy.judge(operation).effect is Effect.WRITE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[operations", "cannot be read as TOML"),
        ('[operations.a]\neffect = "mild"', r"operations\.a\.effect"),
        ("[operations.a]\ncolour = 1", r"operations\.a\.colour"),
        ("operations = 3", "operations"),
        ("[operations]\na = 3", r"operations\.a"),
    ],
)
def test_a_wrong_policy_is_one_clear_line(tmp_path, text, says):
    with pytest.raises(PolicyError, match=says) as caught:
        load(tmp_path, text)
    assert "countersign.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def said(write, value):
    return Policy().judge(note(write, **{"x-countersign": value}))


def test_a_wrong_key_of_the_document_is_named_and_leaves_the_others_and_the_strictest_effect(write):
    ruling = said(write, {"effect": "mild", "hidden": True, "title": "Rename", "colour": 3})
    assert (ruling.effect, ruling.off, ruling.rule.title) == (Effect.DANGER, "hidden by the policy", "Rename")
    assert ruling.reasons == tuple(f"x-countersign in the document: “{key}” is wrong" for key in ("colour", "effect"))


@pytest.mark.parametrize(
    "value", [{"effect": "read", "sha256": "x"}, {"effect": "read", "colour": 1}, "read", ["read"]]
)
def test_a_document_that_says_something_wrong_is_not_trusted(write, value):
    assert said(write, value).effect is Effect.DANGER


def test_a_hidden_that_is_no_yes_or_no_hides(write):
    assert said(write, {"hidden": "perhaps"}).off == "hidden by the policy"


def test_what_is_wrong_is_logged(write, caplog):
    document = load_document(write({"/notes/{id}": {"patch": {**RENAME, "x-countersign": {"hiden": True}}}}))
    OpenApiToolset.from_document(document, BackendClient("http://backend.example"))
    assert "PATCH /notes/{id}: x-countersign in the document: “hiden” is wrong" in caplog.text


def test_the_file_wins_key_by_key(write, tmp_path):
    operation = note(write, **{"x-countersign": {"effect": "read", "title": "Rename", "hidden": True}})
    ruling = load(tmp_path, '[operations.rename_note]\neffect = "write"\nhidden = false\n').judge(operation)
    assert (ruling.effect, ruling.off, ruling.rule.title) == (Effect.WRITE, None, "Rename")


def test_a_refreshed_policy_keeps_decisions_and_comments_and_switches_a_changed_operation_on_again(write, tmp_path):
    old, changed = note(write), note(write, description="Now also deletes the old one.")
    text = write_policy([old]).replace('effect = "write"', 'effect = "write" # Ann: fine\ntitle = "Rename"')
    review = refresh(text, [changed])
    assert (review.new, review.changed, review.gone) == ((), ("rename_note",), ())
    ruling = load(tmp_path, review.text).judge(changed)
    assert (ruling.effect, ruling.off, ruling.rule.title) == (Effect.DANGER, None, "Rename")
    assert "was write; the description says “deletes”" in review.text
    assert refresh(review.text, [changed]).text == review.text


def test_a_refreshed_policy_has_new_operations_and_not_those_that_are_gone(write, tmp_path):
    old = note(write)
    other = note(write, operationId="restyle_note")
    review = refresh(write_policy([old]), [other])
    assert (review.new, review.gone) == (("restyle_note",), ("rename_note",))
    assert set(load(tmp_path, review.text).rules) == {"restyle_note"}


def test_an_entry_without_a_hash_is_left_alone(write):
    text = '[operations.rename_note]\neffect = "read"\n'
    assert refresh(text, [note(write)]).text == text
