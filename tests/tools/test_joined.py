"""Several toolsets as one."""

import json

import pytest

from agent.parts import tools_of
from agent.settings import ConfigError, load_settings
from tools.always import ALWAYS
from tools.client import BackendClient
from tools.joined import JoinedToolset, NameClashError
from tools.native import NativeToolset


def test_two_sets_with_one_name_are_refused_by_the_names_of_both():
    client = BackendClient("http://backend.example")
    one = NativeToolset(ALWAYS, client)
    with pytest.raises(NameClashError, match=r"the built-in tool find_tools and .* both called find_tools") as caught:
        JoinedToolset(NativeToolset([s for s in ALWAYS if s.name == "find_tools"], client), one)
    assert "[operations.find_tools] of countersign.toml" in str(caught.value)


def test_a_clash_with_a_built_in_tool_stops_the_start_in_one_line(tmp_path):
    responses = {"200": {"description": "ok"}}
    paths = {"/tools": {"get": {"operationId": "find_tools", "responses": responses}}}
    file = tmp_path / "api.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}))
    settings = load_settings(
        backend_url="http://backend.example",
        openapi_url=str(file),
        policy_file=tmp_path / "countersign.toml",
        sign_in="demo",
    )
    client = BackendClient("http://backend.example")
    with pytest.raises(ConfigError, match=r"GET /tools and the built-in tool find_tools") as caught:
        tools_of(settings, client)
    assert "\n" not in str(caught.value)
    settings.policy_file.write_text("[operations.find_tools]\nhidden = true\n")
    assert set(tools_of(settings, client).specs) == {spec.name for spec in ALWAYS}
