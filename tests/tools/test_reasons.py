"""Why a call is dangerous, in the reader's language."""

import re

import pytest

from tools.catalogue import WORKSPACE
from tools.reasons import spoken


def test_every_reason_of_the_workspace_is_told_in_russian():
    reasons = {reason for spec in WORKSPACE for reason in spec.reasons}
    assert len(reasons) > 4
    for reason in reasons:
        assert not re.search("[a-z]", spoken("ru", reason)), reason
        assert spoken("en", reason) == reason


@pytest.mark.parametrize(
    ("reason", "russian"),
    [
        ("GET, but the name says “purge”", "GET, но в имени есть «purge»"),
        ("the method is DELETE", "метод DELETE"),
        ("countersign.toml says danger", "так решено в countersign.toml"),
        ("something new {0}", "something new {0}"),
    ],
)
def test_a_reason_keeps_the_words_of_the_document(reason, russian):
    assert spoken("ru", reason) == russian
