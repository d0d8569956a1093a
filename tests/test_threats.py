"""docs/security.md tells the truth: every row is there, names tests that exist and assert, and there are enough."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/security.md").read_text("utf-8")
ROW = re.compile(r"^\| (T\d\d) \|")
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
ROWS = [f"T{n:02}" for n in range(1, 61)]
ENOUGH = 120
ASSERTS = ("expect", "refused", "raises", "fail")

# The first release without a hole that this product would have had.
FLOORS = {
    "gradio": "6.25",  # any origin reflected with credentials
    "langchain-core": "1.2.5",  # CVE-2025-68664
    "langchain-openai": "1.1.14",  # CVE-2026-41488
    "langgraph-checkpoint": "4.3",  # CVE-2025-64439, CVE-2026-28277
    "joserfc": "1.4.2",  # CVE-2025-65015
    "starlette": "0.49.1",  # CVE-2025-62727
    "python-multipart": "0.0.22",  # CVE-2026-24486
    "cryptography": "46.0.5",  # CVE-2026-26007
    "h11": "0.16.0",  # CVE-2025-43859
}


def proofs() -> dict[str, list[tuple[str, str]]]:
    """The tests that each row names."""
    named: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in PAGE.partition("## Open")[0].splitlines():
        if found := ROW.match(line):
            named[found[1]] += TEST.findall(line)
    return named


PROOFS = proofs()
NAMED = sorted({test for tests in PROOFS.values() for test in tests})


def rows_of(section: str) -> set[str]:
    return set(re.findall(r"^\| (T\d\d) \|", section, re.M))


def test_every_row_is_told_and_a_row_without_a_test_is_open() -> None:
    defended, _, remaining = PAGE.partition("## Open")
    assert rows_of(defended) | rows_of(remaining) == set(ROWS)
    assert [row for row in rows_of(defended) if not PROOFS[row]] == []


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[f"{file}::{name}" for file, name in NAMED])
def test_a_named_test_asserts(file: str, name: str) -> None:
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == name]
    assert functions, "there is no such test"
    checks = [n for n in ast.walk(functions[0]) if isinstance(n, ast.Assert) or _called(n) in ASSERTS]
    assert checks, "the test asserts nothing"


def _called(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def test_the_named_tests_are_enough() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    told = subprocess.run(
        [*command, *(f"tests/{file}::{name}" for file, name in NAMED)], cwd=ROOT, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout[-2000:]
    cases = sum(int(n) for n in re.findall(r"^tests/\S+: (\d+)$", told.stdout, re.M))
    assert cases >= ENOUGH


@pytest.mark.parametrize(("package", "floor"), FLOORS.items(), ids=list(FLOORS))
def test_t56_no_pinned_package_is_older_than_its_fix(package: str, floor: str) -> None:
    lock = (ROOT / "requirements.lock").read_text()
    pinned = re.search(rf"^{re.escape(package)}(?:\[[^\]]*\])?==(\S+)$", lock, re.M | re.I)
    assert pinned, f"{package} is not pinned"
    assert Version(pinned[1]) >= Version(floor)
    assert Version(version(package)) >= Version(floor)
