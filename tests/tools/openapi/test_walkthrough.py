"""The commands of docs/connect-your-backend.md print what the page says."""

import asyncio
import os
import re
import sys
from pathlib import Path

from tests.tools.openapi.shop import open_shop
from tools.openapi.policy import Policy

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "connect-your-backend.md"
MARK = "=== next ==="


def console(page: str) -> list[tuple[str, str]]:
    """The commands of the page with what it says they print."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", page, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


async def in_a_shell(commands: list[str], folder: Path) -> list[str]:
    """What each command prints, output and errors together, in one shell."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = await asyncio.create_subprocess_exec(
        "bash", "-c", "exec 2>&1\n" + "".join(f"{command}\necho '{MARK}'\n" for command in commands), cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await shell.communicate()
    return out.decode().split(f"{MARK}\n")[:-1]


async def test_the_walk_through_is_true(tmp_path):
    said = console(PAGE.read_text("utf-8"))
    assert len(said) == 10
    async with open_shop() as shop:
        commands = [command.replace("http://127.0.0.1:8000", shop.url) for command, _ in said]
        printed = await in_a_shell(commands, tmp_path)
    assert printed == [output for _, output in said]
    assert len(Policy.load(tmp_path / "countersign.toml").rules) == 6
