"""The command line, as a person runs it: a process of its own against a served shop."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.openapi.conftest import DATA
from tests.tools.openapi.shop import Shop, open_shop
from tools.__main__ import main
from tools.openapi.policy import Policy

ROOT = Path(__file__).parents[3]


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with open_shop() as opened:
        yield opened


async def run(*arguments: str) -> tuple[int, str, str]:
    """Exit status, output, errors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tools", *arguments, cwd=ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, error = await process.communicate()
    return process.returncode or 0, out.decode(), error.decode()


def source(shop: Shop) -> tuple[str, ...]:
    return ("--openapi", f"{shop.url}/openapi.json", "--header", f"Authorization: Bearer {shop.token}")


async def test_list_names_every_operation_with_reasons(shop):
    status, out, _ = await run("list", "--openapi", f"{shop.url}/openapi.json", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert status == 0
    assert len(rows) == 6
    assert rows["delete_item"] == {
        "name": "delete_item",
        "method": "DELETE",
        "path": "/items/{item_id}",
        "effect": "danger",
        "reasons": ["the method is DELETE"],
    }


def test_list_of_real_files_has_all_operations(capsys, imported):
    for name, found in imported.items():
        assert main(["list", "--openapi", str(DATA / name), "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [(r["method"], r["path"]) for r in rows] == [(o.method, o.path) for o in found]
        assert all(r["reasons"] and r["effect"] in {"read", "write", "danger"} for r in rows)


def test_list_as_a_table_and_without_a_document(capsys):
    assert main(["list", "--openapi", str(DATA / "fullstack_template.json")]) == 0
    assert "DELETE" in capsys.readouterr().out
    assert main(["list", "--json"]) == 0
    assert "always_on" in json.loads(capsys.readouterr().out)[0]


def test_show_tells_effect_reasons_and_arguments(capsys):
    main(["list", "--openapi", str(DATA / "fullstack_template.json"), "--json"])
    name = next(r["name"] for r in json.loads(capsys.readouterr().out) if r["method"] == "DELETE")
    assert main(["show", name, "--openapi", str(DATA / "fullstack_template.json")]) == 0
    out = capsys.readouterr().out
    assert "effect: danger (the method is DELETE)" in out
    assert json.loads(out.partition("arguments: ")[2])["type"] == "object"


async def test_try_reads(shop):
    status, out, _ = await run("try", "read_item", '{"item_id": 1}', *source(shop))
    assert (status, json.loads(out)["name"]) == (0, "Tea")


async def test_try_shows_a_change_and_sends_it_only_with_yes(shop):
    change = ("try", "change_item", '{"item_id": 1, "quantity": 5}', *source(shop))
    status, out, error = await run(*change)
    assert (status, shop.items[1]["quantity"]) == (2, 40)
    assert "quantity: 40 -> 5" in out
    assert error == "error: nothing was sent, because this changes something; add --yes to send it\n"
    assert (await run(*change, "--yes"))[0] == 0
    assert shop.items[1]["quantity"] == 5


async def test_try_tells_a_refusal(shop):
    status, out, error = await run("try", "delete_item", '{"item_id": 99}', *source(shop))
    assert (status, out) == (1, "")
    assert "there is no item 99" in error


async def test_import_writes_a_policy_that_list_then_follows(shop, tmp_path):
    file = tmp_path / "countersign.toml"
    url = f"{shop.url}/openapi.json"
    status, out, _ = await run("import", url, "--out", str(file))
    assert (status, out) == (0, f"{file}: 6 operations to review\n")
    assert len(Policy.load(file).rules) == 6
    file.write_text(file.read_text().replace("[operations.delete_item]", "[operations.delete_item]\nhidden = true"))
    _, out, _ = await run("list", "--openapi", url, "--policy", str(file), "--json")
    assert {r["name"]: r.get("off") for r in json.loads(out)}["delete_item"] == "hidden by the policy"
    file.write_text(file.read_text().replace('sha256 = "', 'sha256 = "0'))
    _, out, _ = await run("list", "--openapi", url, "--policy", str(file))
    assert "changed since it was reviewed; review it again" in out
    status, out, _ = await run("import", url, "--out", str(file))
    assert (status, out.splitlines()[0]) == (0, f"{file}: 0 new, 6 changed, 0 gone; review them")
    _, out, _ = await run("list", "--openapi", url, "--policy", str(file))
    assert "changed since" not in out
    assert Policy.load(file).rules["delete_item"].hidden


FILE = str(DATA / "fullstack_template.json")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["list", "--openapi", "nothing.json"], "No such file"),
        (["list", "--openapi", "127.0.0.1:8000/openapi.json"], "begins with http:// or https://"),
        (["list", "--openapi", "api.example.com/openapi.json"], "begins with http:// or https://"),
        (["list", "--openapi", "http://169.254.169.254/openapi.json"], "not an address that documents are read from"),
        (["list", "--openapi", "http://127.0.0.1:1/openapi.json"], "cannot be read"),
        (["list", "--openapi", __file__], "neither JSON nor YAML"),
        (["list", "--openapi", FILE, "--policy", __file__], "cannot be read as TOML"),
        (["show", "nothing", "--openapi", FILE], "no operation 'nothing'"),
        (["try", "nothing", "{}", "--openapi", FILE, "--backend", "http://127.0.0.1:1"], "no operation 'nothing'"),
        (["try", "nothing", "[1]", "--openapi", FILE], "JSON object"),
        (["try", "nothing", "{", "--openapi", FILE], "JSON object"),
        (["try", "nothing", "{}", "--openapi", FILE], "--backend"),
        (["try", "nothing", "{}", "--openapi", FILE, "--backend", "ftp://x"], "--backend"),
        (["try", "x", "{}", "--openapi", FILE, "--backend", "http://"], "--backend"),
        (["try", "x", "{}", "--openapi", FILE, "--backend", "127.0.0.1:8000"], "such as http://"),
        (["try", "x", "{}", "--openapi", FILE, "--backend", "http://127.0.0.1:1", "--header", "x"], "--header"),
        (["import", FILE, "--out", "/nowhere/countersign.toml"], "cannot write"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(capsys, arguments, says):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert says in error
    assert error.count("\n") == 1
