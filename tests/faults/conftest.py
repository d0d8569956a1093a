"""A model server for the session, a plant for each test."""

import pytest

from tests.faults.plant import plant_on
from tests.wire.server import WireServer

THING = r"(?P<thing>d-\d+)"
DELETE = {"name": "delete_thing", "args": {"thing": "\\g<thing>"}}
RENAME = {"name": "rename_thing", "args": {"thing": "\\g<thing>", "name": "B"}}
FIND = {"name": "find_things", "args": {"query": "\\g<thing>"}}
RULES = [
    {"user": f"delete {THING}", "reply": {"text": "Looking first.", "calls": [FIND, DELETE]}},
    {"user": "delete", "tool": f"done.*?{THING}", "reply": "It is done: \\g<thing> has been deleted for good."},
    {"user": f"rename {THING}", "reply": {"calls": [RENAME]}},
    {"user": "rename", "tool": "done", "reply": "Renamed, as you asked."},
    {"user": f"find {THING}", "reply": {"calls": [FIND]}},
    {"user": "find", "tool": "items", "reply": "Here is what I found."},
    {"user": "say (?P<words>.+)", "reply": "You said \\g<words>, and I say it again."},
    {"user": ".", "tool": ".+", "reply": "It did not work: \\g<0>"},
]


@pytest.fixture(scope="session")
def model_server():
    """One scripted model for all tests."""
    with WireServer() as server:
        yield server


@pytest.fixture
def model(model_server):
    """The scripted model, with the usual rules."""
    model_server.script.clear()
    model_server.requests.clear()
    model_server.script.load({"rules": RULES})
    return model_server


@pytest.fixture
async def plant(database_url, model, tmp_path):
    """A plant without traps."""
    async with plant_on(database_url, model, tmp_path) as made:
        yield made
