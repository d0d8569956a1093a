"""The toolset: strict arguments, a context for each call, results instead of exceptions."""

import asyncio

import httpx
import pytest

from tests.tools.calls import USER_JWT, FakeTime, make_call
from tests.tools.recorder import Cut, Recorder, problem, reply
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.context import current
from tools.identity import ServiceIdentity
from tools.native import NativeToolset
from tools.toolset import ArgumentError

LISTS = reply({"items": [], "total": 0})


@pytest.fixture
def tools(client: BackendClient) -> NativeToolset:
    """The workspace's tools against the recorder."""
    return workspace_toolset(client)


def test_defaults_are_filled_in_and_absent_values_left_out(tools: NativeToolset) -> None:
    assert tools.validate("search_dashboards", {"text": " funnel ", "owner": None}) == {
        "text": "funnel",
        "limit": 20,
        "offset": 0,
    }
    assert tools.validate("list_backups", {"since": "2026-11-01"}) == {"since": "2026-11-01", "limit": 20, "offset": 0}
    assert tools.validate("get_dashboard", {"dashboard_id": "412"}) == {"dashboard_id": 412}


def test_validating_twice_gives_the_same(tools: NativeToolset) -> None:
    patch = [{"op": "replace", "path": "/a", "value": None}, {"op": "move", "path": "/b", "from": "/c"}]
    args = {"document_id": "returns-runbook", "base_revision": 2, "patch": patch}
    once = tools.validate("apply_document_patch", args)
    assert once == args
    assert tools.validate("apply_document_patch", once) == once


BAD = [
    ("delete_dashboard", {}, "dashboard_id"),
    ("delete_dashboard", {"dashboard_id": 0}, "dashboard_id"),
    ("delete_dashboard", {"dashboard_id": 2**53}, "dashboard_id"),
    ("delete_dashboard", {"dashboard_id": 1, "force": True}, "force"),
    ("list_tasks", {"limit": 1_000}, "limit"),
    ("set_maintenance_mode", {"environment": "production", "enabled": True}, "environment"),
    ("restore_backup", {"backup_id": "bk-1/../x", "environment": "dev"}, "backup_id"),
    ("rollback_commit", {"environment": "dev", "commit": "HEAD~1"}, "commit"),
    ("grant_role", {"user_id": "a b", "role": "editor"}, "user_id"),
    ("grant_role", {"user_id": "t.galeev", "role": "root"}, "role"),
    ("update_dashboard", {"dashboard_id": 1}, ""),
    ("update_dashboard", {"dashboard_id": 1, "name": "x" * 201}, "name"),
    ("run_migration", {"source": "dev", "target": "dev", "tag": "a"}, ""),
    ("run_migration", {"source": "dev", "target": "prod"}, ""),
    ("run_migration", {"source": "dev", "target": "prod", "dashboard_ids": list(range(1, 102))}, "dashboard_ids"),
    ("start_task", {"kind": "make_thumbnails", "tag": "a"}, ""),
    ("create_dashboard", {"name": "a\ud800b", "environment": "dev"}, "name"),
    ("apply_document_patch", {"document_id": "d", "base_revision": 1, "patch": []}, "patch"),
    ("apply_document_patch", {"document_id": "d", "base_revision": 1, "patch": [{"op": "add", "path": "/a"}]}, "patch"),
    ("apply_document_patch", {"document_id": "d", "base_revision": 1, "patch": [{"op": "test", "path": "a"}]}, "patch"),
    ("list_audit_events", {"since": "yesterday"}, "since"),
    ("ask_user_question", {"question": "?", "choices": [{"value": "a", "label": "a"}] * 5}, "choices"),
]


@pytest.mark.parametrize(("name", "args", "field"), BAD)
def test_what_does_not_fit_is_told_by_field(tools: NativeToolset, name: str, args: dict, field: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        tools.validate(name, args)
    errors = raised.value.errors
    assert field in {str(part) for error in errors for part in (error["loc"] or ("",))}
    assert all(error.keys() <= {"type", "loc", "msg"} for error in errors)


def test_a_patch_of_megabytes_or_without_a_number_is_refused(tools: NativeToolset) -> None:
    for value in ("x" * 70_000, float("nan")):
        patch = [{"op": "add", "path": "/a", "value": value}]
        with pytest.raises(ArgumentError):
            tools.validate("apply_document_patch", {"document_id": "d", "base_revision": 1, "patch": patch})


async def test_an_unknown_tool_is_a_key_error(tools: NativeToolset) -> None:
    with pytest.raises(KeyError):
        tools.validate("drop_everything", {})
    with pytest.raises(KeyError):
        await tools.call("drop_everything", {}, make_call())
    assert "drop_everything" not in tools.specs


async def test_a_patch_is_sent_as_rfc_6902_has_it(tools: NativeToolset, recorder: Recorder) -> None:
    recorder.answers(reply({"operation": "apply_document_patch", "message": "done", "result": {}, "change_id": 7}))
    patch = [{"op": "replace", "path": "/a", "value": None}, {"op": "move", "path": "/b", "from": "/c"}]
    args = {"document_id": "returns-runbook", "base_revision": 2, "patch": patch}
    result = await tools.call("apply_document_patch", args, make_call(if_match='"d-2"'))
    seen = recorder.seen[0]
    assert (seen.method, seen.path, seen.query) == ("PATCH", "/api/v1/documents/returns-runbook", "base_revision=2")
    assert seen.headers["content-type"] == "application/json-patch+json"
    assert seen.headers["if-match"] == '"d-2"'
    assert seen.json == patch
    assert result.undo == {"tool": "undo_change", "args": {"change_id": 7}}


async def test_repeatable_query_parameters(tools: NativeToolset, recorder: Recorder) -> None:
    recorder.answers(reply({"create": [], "update": [], "unchanged": []}))
    await tools.call("plan_migration", {"source": "dev", "target": "prod", "dashboard_ids": [3, 1]}, make_call())
    assert recorder.seen[0].query == "source=dev&target=prod&dashboard_ids=3&dashboard_ids=1"


async def test_two_calls_at_once_keep_their_people_apart(tools: NativeToolset, recorder: Recorder) -> None:
    recorder.answers(LISTS)
    tokens = [f"{USER_JWT}{n}" for n in range(8)]
    queries = [tools.call("search_dashboards", {"text": token[-1]}, make_call(user_jwt=token)) for token in tokens]
    await asyncio.gather(*queries)
    pairs = {(seen.query.rpartition("&")[2], seen.headers["x-user-jwt"]) for seen in recorder.seen}
    assert pairs == {(f"text={token[-1]}", token) for token in tokens}


async def test_the_context_is_gone_after_the_call(tools: NativeToolset, recorder: Recorder) -> None:
    recorder.answers(LISTS)
    await tools.call("list_environments", {}, make_call())
    with pytest.raises(LookupError):
        current.get()


async def test_an_unknown_outcome_is_said_to_both_readers(tools: NativeToolset, recorder: Recorder) -> None:
    recorder.answers(Cut())
    result = await tools.call("delete_dashboard", {"dashboard_id": 1}, make_call(lang="ru"))
    assert (result.ok, result.outcome_unknown) == (False, True)
    assert "may or may not have happened" in result.text
    assert "Nothing was changed" not in result.text
    assert result.summary == "исход неизвестен"


async def test_a_backend_out_of_reach_changed_nothing(service: ServiceIdentity, time: FakeTime) -> None:
    async def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    client = BackendClient(
        "http://backend.test", service, httpx.MockTransport(refuse), clock=time.clock, sleep=time.sleep
    )
    result = await workspace_toolset(client).call("delete_dashboard", {"dashboard_id": 1}, make_call())
    assert (result.ok, result.outcome_unknown, result.summary) == (False, False, "backend unreachable")
    assert "Nothing was changed" in result.text


@pytest.mark.parametrize("body", [[], "text", 7, None, {}, {"items": "many"}, {"items": [1, None, []]}])
async def test_an_answer_of_another_shape_is_a_result(tools: NativeToolset, recorder: Recorder, body: object) -> None:
    recorder.answers(reply(body))
    for name, args in [
        ("search_dashboards", {}),
        ("get_dashboard", {"dashboard_id": 1}),
        ("list_changes", {"environment": "dev"}),
        ("check_environment_health", {"environment": "dev"}),
        ("plan_migration", {"source": "dev", "target": "prod", "tag": "a"}),
        ("delete_dashboard", {"dashboard_id": 1}),
        ("read_document", {"document": "some words"}),
        ("read_attachment", {"attachment": "5"}),
    ]:
        result = await tools.call(name, args, make_call())
        assert isinstance(result.text, str)
        preview = await tools.preview(name, args, make_call())
        assert preview.title


async def test_a_value_that_cannot_be_sent_is_a_result(tools: NativeToolset, recorder: Recorder) -> None:
    result = await tools.call("list_environments", {}, make_call(user_jwt="a\nb"))
    assert result.problem is not None
    assert result.problem.code == "unsafe_value"
    preview = await tools.preview("delete_dashboard", {"dashboard_id": 1}, make_call(user_jwt="a\nb"))
    assert preview.refusal is not None
    assert recorder.seen == []


async def test_cancelling_a_call_cancels_it(tools: NativeToolset, recorder: Recorder) -> None:
    arrived, released = asyncio.Event(), asyncio.Event()

    async def hang():
        arrived.set()
        await released.wait()
        return reply({})

    recorder.answers(hang)
    calling = asyncio.create_task(tools.call("delete_dashboard", {"dashboard_id": 1}, make_call()))
    await arrived.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    released.set()


async def test_an_always_on_tool_is_no_business_of_the_backend(tools: NativeToolset, recorder: Recorder) -> None:
    assert tools.validate("ask_user_question", {"question": "Which one?"}) == {
        "question": "Which one?",
        "choices": [],
        "free": True,
    }
    with pytest.raises(LookupError, match="graph"):
        await tools.call("find_tools", {"description": "delete things"}, make_call())
    assert recorder.seen == []


async def test_a_refused_preview_is_a_refusal(tools: NativeToolset, recorder: Recorder) -> None:
    recorder.answers(problem(412, "revision_changed", title="It changed in between"))
    preview = await tools.preview("delete_dashboard", {"dashboard_id": 1}, make_call())
    assert preview.refusal is not None
    assert preview.refusal.summary == "It changed in between"
    assert recorder.seen[0].query == "dry_run=true"
