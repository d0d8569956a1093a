"""What the tree promises of itself: files that can be read, and a default install without torch and registry hosts."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = {".py", ".js", ".mjs", ".css", ".sql", ".sh"}
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-extras.lock")


def files() -> list[Path]:
    """The files that git keeps."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def test_no_file_is_longer_than_four_hundred_lines():
    sources = [path for path in files() if path.suffix in TEXT]
    long = {str(path.relative_to(ROOT)): n for path in sources if (n := path.read_bytes().count(b"\n")) > 400}
    assert len(sources) > 500
    assert long == {}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_everything_and_names_no_registry(name: str):
    pins = [line for line in (ROOT / name).read_text().splitlines() if line and not line.lstrip().startswith("#")]
    assert len(pins) > 5
    assert [pin for pin in pins if "==" not in pin or "/" in pin or pin.startswith("-")] == []


def test_no_file_names_the_host_of_a_registry():
    hosts = [
        f"{name}.{end}" for name, end in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"))
    ]
    held = {path: path.read_bytes().lower() for path in files()}
    assert [str(path.relative_to(ROOT)) for path, text in held.items() if any(h.encode() in text for h in hosts)] == []


def test_the_default_install_has_no_torch():
    names = {line.partition("==")[0] for line in (ROOT / "requirements.lock").read_text().splitlines()}
    assert "gradio" in names
    assert not names & {"torch", "sentence-transformers", "mcp", "opentelemetry-sdk"}
