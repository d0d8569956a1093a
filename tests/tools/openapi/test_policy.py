import pytest

from tools.openapi.document import load_document
from tools.openapi.operations import operations
from tools.openapi.policy import Policy, PolicyError, write_policy
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
