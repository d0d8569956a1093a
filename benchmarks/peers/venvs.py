"""The peers' own environments, made when they are first needed, in `benchmarks/.venvs`."""

import hashlib
import subprocess
import venv
from pathlib import Path

from benchmarks._lab.progress import say

CACHE = Path(__file__).parents[1] / ".venvs"
PATIENCE = 1800
_GRAPH = (
    "langgraph==1.2.24",
    "langgraph-checkpoint-postgres==3.2.0",
    "langchain-openai==1.7.4",
    "psycopg[binary,pool]",
)
PACKAGES = {
    "chainlit": ("chainlit==2.12.0", *_GRAPH),
    "langchain": ("langchain==1.5.2", "fastapi==0.165.0", "uvicorn==0.54.0", *_GRAPH),
}


def python(name: str) -> str:
    """The interpreter of a peer's environment; makes it first, once for each list of packages."""
    wanted = PACKAGES[name]
    folder = CACHE / f"{name}-{hashlib.sha256(' '.join(wanted).encode()).hexdigest()[:8]}"
    interpreter, done = folder / "bin" / "python", folder / ".installed"
    if not done.exists():
        say(f"installing {name} (once)")
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([interpreter, "-m", "pip", "install", "-qq", *wanted], check=True, timeout=PATIENCE)  # noqa: S603
        done.touch()
    return str(interpreter)


def version(interpreter: str, package: str) -> str:
    """The version of a package in an environment."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([interpreter, "-c", code], check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603
