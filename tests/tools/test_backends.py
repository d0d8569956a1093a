"""Two more backends beside each other: two FastAPI services over HTTP, each with its own proof, policy and names."""

import asyncio
from pathlib import Path
from typing import Annotated

import pytest
from fastapi import FastAPI, Header
from joserfc.jwk import OKPKey
from pydantic import BaseModel

from agent.backends import open_backends
from agent.parts import tools_of
from agent.settings import ConfigError, load_settings
from tests.tools.calls import make_call
from tests.tools.recorder import serving
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.toolset import ArgumentError, Effect

AGENT = ServiceIdentity(OKPKey.generate_key("Ed25519"))
SECRETS = {"BOOKS_TOKEN": "books-secret", "TOOLS_KEY": "tools-secret", "TEAM": "blue"}


class Change(BaseModel):
    name: str


class Shelf:
    """A service with things; it keeps who asked."""

    def __init__(self, title: str):
        self.things = {1: {"name": title}}
        self.asked: list[dict] = []
        self.app = FastAPI(title=title)
        self.app.add_api_route("/things/{thing_id}", self.read, methods=["GET"], operation_id="read_thing")
        self.app.add_api_route("/things/{thing_id}", self.change, methods=["PATCH"], operation_id="update_thing")

    def read(
        self,
        thing_id: int,
        authorization: Annotated[str | None, Header(include_in_schema=False)] = None,
        x_api_key: Annotated[str | None, Header(include_in_schema=False)] = None,
        x_person: Annotated[str | None, Header(include_in_schema=False)] = None,
        x_team: Annotated[str | None, Header(include_in_schema=False)] = None,
    ) -> dict:
        self.asked.append({"auth": authorization, "key": x_api_key, "person": x_person, "team": x_team})
        return self.things[thing_id]

    def change(self, thing_id: int, change: Change) -> dict:
        self.things[thing_id] = change.model_dump()
        return self.things[thing_id]


def file(tmp_path: Path, books: str, tools: str) -> Path:
    path = tmp_path / "backends.toml"
    path.write_text(f"""
[books]
url = "{books}"
openapi = "{books}/openapi.json"
policy = "books.toml"
auth = "bearer"
secret = "BOOKS_TOKEN"

[tools]
url = "{tools}"
openapi = "{tools}/openapi.json"
user_header = "X-Person"
auth = "api_key"
secret = "TOOLS_KEY"
headers = {{X-Team = "TEAM"}}
""")
    (tmp_path / "books.toml").write_text('[operations.update_thing]\neffect = "danger"\n')
    return path


async def test_each_backend_has_its_own_names_proof_policy_and_person(tmp_path):
    books, tools = Shelf("Dune"), Shelf("Drill")
    async with serving(books.app) as books_url, serving(tools.app) as tools_url:
        opened = await asyncio.to_thread(open_backends, file(tmp_path, books_url, tools_url), AGENT, SECRETS)
        base = BackendClient("http://backend.example")
        toolset = tools_of(load_settings(), base, [other.toolset for other in opened])
        names = {name for name in toolset.specs if "__" in name}
        assert names == {f"{b}__{t}" for b in ("books", "tools") for t in ("read_thing", "update_thing")}
        assert toolset.specs["books__update_thing"].effect is Effect.DANGER
        assert toolset.specs["tools__update_thing"].effect is Effect.WRITE
        assert toolset.specs["books__update_thing"].reader == "books__read_thing"
        assert toolset.specs["books__read_thing"].json_schema()["function"]["name"] == "books__read_thing"

        assert "Dune" in (await toolset.call("books__read_thing", {"thing_id": 1}, make_call())).text
        assert "Drill" in (await toolset.call("tools__read_thing", {"thing_id": 1}, make_call())).text
        assert books.asked == [{"auth": "Bearer books-secret", "key": None, "person": None, "team": None}]
        person = make_call().user_jwt
        assert tools.asked == [{"auth": None, "key": "tools-secret", "person": person, "team": "blue"}]

        change = {"thing_id": 1, "name": "Saw"}
        assert "Drill" in (await toolset.preview("tools__update_thing", change, make_call())).title
        done = await toolset.call("tools__update_thing", change, make_call())
        assert (books.things[1]["name"], tools.things[1]["name"]) == ("Dune", "Saw")
        assert done.undo is not None
        await toolset.call(done.undo["tool"], done.undo["args"], make_call(if_match=done.undo["if_match"]))
        assert tools.things[1]["name"] == "Drill"
        with pytest.raises(ArgumentError, match="tools__update_thing"):
            toolset.validate("tools__update_thing", {"thing_id": "x"})
        for client in (base, *(other.client for other in opened if other.client)):
            await client.aclose()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a", "cannot be read as TOML"),
        ("[a]\nurl = 3", r"a\.url"),
        ("[a]\nurl = 'http://x.example'\nopenapi = 'x'\ncolour = 1", r"a\.colour"),
        ("[a-b]\nurl = 'http://x.example'\nopenapi = 'x'", "letters and digits"),
        ("[a]\nurl = 'http://x.example'\nopenapi = 'x'\nauth = 'bearer'", "needs `secret`"),
        ("[a]\nurl = 'http://x.example'\nopenapi = 'x'\nauth = 'bearer'\nsecret = 'NOPE'", "NOPE, which is not set"),
        (
            "[a]\nurl = 'http://x.example'\nopenapi = 'x'\nauth = 'bearer'\nsecret = 'TEAM'\n"
            "user_header = 'Authorization'",
            "two proofs",
        ),
    ],
)
def test_a_wrong_file_is_one_clear_line_without_secrets(tmp_path, text, says):
    path = tmp_path / "backends.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=says) as caught:
        open_backends(path, AGENT, SECRETS)
    assert "\n" not in str(caught.value).replace("\n(at", "(at")
    assert "blue" not in str(caught.value)
