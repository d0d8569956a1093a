"""What the pages tell a reader to run or open is there, and the example of a tool works."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.calls import KEY, make_call
from tests.tools.recorder import Recorder, reply, serving
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.native import NativeToolset
from tools.toolset import Effect, ToolSpec
from ui.signin_provider import CALLBACK

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "docs/operations.md", "docs/security.md", "docs/sign-in.md", "docs/roadmap.md")
PAGE = pytest.mark.parametrize("page", PAGES)
CODE = re.compile(r"```\w*\n(.*?)```|`([^`\n]+)`", re.S)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# Made while it runs, in DATA_DIR.
MADE = ("postgres.log", "workspace/backend.log")
FILE = re.compile(r"^(?:[\w.-]+/)*[\w-]+\.(?:py|md|json|yaml|toml|lock|sh|log)$|^(?:[\w-]+/)+$")


def read(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def code(page: str) -> list[str]:
    """What a page shows as code, blocks and inline."""
    return [block or inline for block, inline in CODE.findall(read(page))]


def commands(page: str, pattern: str) -> set[str]:
    return {name for text in code(page) for name in re.findall(pattern, text)}


@PAGE
def test_every_make_target_exists(page: str) -> None:
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.M))
    assert commands(page, r"\bmake ([\w-]+)") <= targets


@PAGE
def test_every_module_that_is_run_exists(page: str) -> None:
    for name in commands(page, r"python -m ([\w.]+)"):
        spec = importlib.util.find_spec(name)
        assert spec is not None, name
        runs = f"{name}.__main__" if spec.submodule_search_locations else name
        assert importlib.util.find_spec(runs), f"{name} cannot be run"


@pytest.mark.parametrize(
    "command", ["store verify-audit", "router eval", "router explain", "router calibrate", "tools list"]
)
def test_every_command_that_is_told_knows_its_name(command: str) -> None:
    module, verb = command.split()
    assert any(f"{module} {verb}" in read(page) or verb in read(page) for page in PAGES)
    told = subprocess.run([sys.executable, "-m", module, verb, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


@PAGE
def test_every_file_that_is_named_exists(page: str) -> None:
    named = {text for text in code(page) if FILE.match(text) and text not in MADE}
    assert not [name for name in named if not (ROOT / name).exists()]


@PAGE
def test_every_link_leads_to_a_page(page: str) -> None:
    links = LINK.findall(read(page))
    assert not [link for link in links if not ((ROOT / page).parent / link).exists()]


def test_every_test_that_proves_a_defence_exists() -> None:
    proofs = re.findall(r"`([\w/]+\.py)::(\w+)`", read("docs/security.md"))
    assert len(proofs) > 50
    assert not [(file, test) for file, test in proofs if f"def {test}(" not in read(f"tests/{file}")]


def test_the_settings_of_the_pages_exist() -> None:
    known = set(re.findall(r"^\| `([A-Z_]+)`", read("docs/configuration.md"), re.M))
    elsewhere = {"USER_JWT", "CHAT_URL", "POSTGRES_PASSWORD", "DANGER", "TOOLS", "ARGS", "TENANT:SEQ:HASH"}
    elsewhere |= {"OTEL_EXPORTER_OTLP_HEADERS"}  # read by the exporter itself
    elsewhere |= {"FORWARDED_ALLOW_IPS"}  # read by uvicorn itself
    named = {text for page in PAGES for text in code(page) if re.fullmatch(r"[A-Z]+(_[A-Z]+)*", text)}
    assert named - elsewhere <= known


async def test_the_example_of_a_tool_runs() -> None:
    spec = example()
    recorder = Recorder()
    recorder.answers(reply({"items": [{"id": 7, "title": "Thumbnails", "log": "long"}], "total": 1}))
    async with serving(recorder.app()) as url:
        client = BackendClient(url, ServiceIdentity(KEY))
        result = await NativeToolset([spec], client).call(spec.name, {}, make_call())
        await client.aclose()
    assert (spec.name, spec.effect, spec.titles["ru"]) == ("list_running_tasks", Effect.READ, "Идущие задачи")
    assert (recorder.seen[0].path, recorder.seen[0].query) == ("/tasks", "state=running")
    assert json.loads(result.text)["items"] == [{"id": 7, "title": "Thumbnails"}]


def example() -> ToolSpec:
    """The tool of CONTRIBUTING.md."""
    block = re.search(r"```python\n(.*?)```", read("CONTRIBUTING.md"), re.S)
    assert block
    names: dict[str, ToolSpec] = {}
    exec(compile(block[1], "CONTRIBUTING.md", "exec"), names)
    return names["SPEC"]


def test_the_space_opens_the_port_and_the_callback_that_are_there() -> None:
    front = read("deploy/space/README.md").split("---")[1]
    told = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert (told["sdk"], told["hf_oauth"], told["hf_oauth_redirect_path"]) == ("docker", "true", CALLBACK)
    assert f"EXPOSE {told['app_port']}" in read("Dockerfile").splitlines()
    assert len(told["short_description"]) <= 60
