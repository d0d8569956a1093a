"""`make audit` says that all is well only where every pin was asked about."""

import pytest

from tests.audit import learned, verdict

WELL = {"name": "joserfc", "version": "1.8.0", "vulns": []}
UNKNOWN = {"name": "uvicorn", "skip_reason": "Dependency not found on PyPI and could not be audited: uvicorn (0.54.0)"}
HOLE = {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["46.0.5"]}
ILL = {"name": "cryptography", "version": "46.0.4", "vulns": [HOLE]}


@pytest.mark.parametrize(
    ("packages", "status", "says"),
    [
        ([WELL], 0, "1 packages were asked about: none has a known hole"),
        ([WELL, WELL], 0, "1 packages"),
        ([ILL, WELL], 1, "cryptography 46.0.4: PYSEC-2026-1, CVE-2026-1; fixed in 46.0.5"),
        ([{**ILL, "vulns": [{**HOLE, "fix_versions": []}]}], 1, "no fix yet"),
        ([ILL, UNKNOWN], 1, "1 of 2 packages could not be asked about (uvicorn)"),
        ([WELL, UNKNOWN], 2, "1 of 2 packages could not be asked about (uvicorn)"),
        ([], 2, "no pin"),
    ],
)
def test_the_verdict_is_of_every_package(packages, status, says):
    told = verdict({"dependencies": packages, "fixes": []})
    assert told[0] == status
    assert says in "\n".join(told[1])


def test_who_reached_nobody_says_so():
    status, lines = learned(
        "", "Traceback ...\nrequests.exceptions.ConnectionError: Failed to resolve 'advisories.example'\n"
    )
    assert status == 2
    assert "Failed to resolve 'advisories.example'" in lines[0]
