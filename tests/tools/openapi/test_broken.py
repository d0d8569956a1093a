"""One broken operation takes nothing but itself away, and is never lost silently."""

import json
import logging

import pytest

from tools.__main__ import main
from tools.client import BackendClient
from tools.openapi.document import DocumentError, load_document
from tools.openapi.operations import survey
from tools.openapi.policy import Policy
from tools.openapi.review import refresh, write_policy
from tools.openapi.toolset import OpenApiToolset

GOOD = {"operationId": "list_notes", "responses": {}}


def taking(ref: str) -> dict:
    return {"operationId": "add_note", "requestBody": {"content": {"application/json": {"schema": {"$ref": ref}}}}}


def document(tmp_path, paths: dict, **schemas):
    path = tmp_path / "api.json"
    made = {"openapi": "3.1.0", "info": {}, "paths": paths, "components": {"schemas": schemas}}
    path.write_text(json.dumps(made))
    return path


@pytest.fixture
def mixed(tmp_path):
    """A sound operation, and each way of being broken; two of them by the same schema."""
    inner = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Gone"}}}
    first, second = taking("#/components/schemas/Inner"), taking("#/components/schemas/Inner")
    paths = {
        "/notes": {"get": GOOD, "post": first},
        "/again": {"post": {**second, "operationId": "again"}},
        "/far": {"post": {**taking("https://evil.example/x.json"), "operationId": "far"}},
        "/nameless": {"get": {"operationId": "nameless", "parameters": [{"in": "query"}]}},
        "/list": {"get": ["no object"]},
        "/lost": {"$ref": "#/components/pathItems/lost"},
        "slashless": {"get": {}},
        "x-more": {"anything": 1},
    }
    return document(tmp_path, paths, Inner=inner)


def test_the_sound_operations_are_imported_and_the_broken_ones_say_why(mixed):
    found = survey(load_document(str(mixed)))
    assert [operation.name for operation in found.sound] == ["list_notes"]
    reasons = {broken.name: broken.reason for broken in found.broken}
    assert set(reasons) == {"add_note", "again", "far", "nameless", "get /list", "/lost", "slashless"}
    assert "Gone" in reasons["add_note"]
    assert reasons["add_note"] == reasons["again"]
    assert "another place" in reasons["far"]


def test_a_toolset_has_them_off_and_the_log_names_each(mixed, caplog):
    with caplog.at_level(logging.WARNING):
        toolset = OpenApiToolset.from_document(load_document(str(mixed)), BackendClient("http://127.0.0.1:9"))
    assert list(toolset.specs) == ["list_notes"]
    assert len(toolset.off) == 7
    assert "Gone" in toolset.off["add_note"]
    assert sum("is off" in record.getMessage() for record in caplog.records) == 7


def test_the_list_shows_them_as_off(mixed, capsys):
    main(["list", "--openapi", str(mixed)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    assert any(line.split()[:2] == ["add_note", "off"] and "Gone" in line for line in lines)
    main(["list", "--json", "--openapi", str(mixed)])
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in rows if "off" in row} >= {"add_note", "far", "/lost"}


def test_a_review_keeps_the_words_on_an_operation_that_broke(tmp_path, capsys):
    fine = document(tmp_path, {"/notes": {"get": GOOD, "post": taking("#/components/schemas/Note")}}, Note={})
    text = write_policy(survey(load_document(str(fine))).sound)
    policy = tmp_path / "countersign.toml"
    policy.write_text(text)
    document(tmp_path, {"/notes": {"get": GOOD, "post": taking("#/components/schemas/Gone")}})
    main(["import", str(fine), "--out", str(policy)])
    assert "off: POST /notes" in capsys.readouterr().out
    assert set(Policy.load(policy).rules) == {"list_notes", "add_note"}
    assert refresh(text, []).gone == ("add_note", "list_notes")


def test_a_document_without_a_sound_operation_is_refused(tmp_path):
    path = document(tmp_path, {"/notes": {"post": taking("#/components/schemas/Gone")}})
    with pytest.raises(DocumentError, match=r"POST /notes: .*Gone"):
        survey(load_document(str(path)))
