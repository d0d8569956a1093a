"""The scripted server itself: it follows rules, runs as a process, and refuses what strict providers refuse."""

import asyncio
import json
import subprocess
import sys

import httpx
import pytest

from tests.wire.script import Reply, Rule, Script
from tests.wire.strict import InvalidRequestError, check_chat, check_responses


def test_a_script_gives_replies_then_rules_then_the_rest():
    script = Script()
    script.load(
        {
            "replies": ["first"],
            "rules": [
                {"user": "delete (?P<id>\\d+)", "reply": {"calls": [{"name": "delete", "args": {"id": "\\g<id>"}}]}},
                {"tool": "done", "reply": "It is done.", "times": 1},
            ],
            "otherwise": "what?",
        }
    )
    assert script.next("anything", None).text == "first"
    assert script.next("please delete 42", None).calls[0].args == {"id": "42"}
    assert script.next("please delete 42", "done").text == "It is done."
    assert script.next("please delete 42", "done").text == "what?"


def test_an_exhausted_script_says_so():
    assert Script().next("hello", None).status == 500


def test_a_misspelt_reply_is_refused():
    with pytest.raises(ValueError, match="txet"):
        Reply.of({"txet": "hello"})
    with pytest.raises(TypeError):
        Rule.of({"reply": "x", "usr": "y"})


USER = {"role": "user", "content": "hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "r"}


def test_a_sound_history_passes():
    check_chat({"messages": [{"role": "system", "content": "s"}, USER, CALLING, RESULT]})


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([USER, CALLING], "expected last role"),
        ([USER, CALLING, USER], "did not have response messages: c1"),
        ([USER, RESULT], "must be a response to a preceding message"),
        ([USER, CALLING, RESULT, RESULT], "must be a response to a preceding message"),
        ([USER, USER], "must alternate"),
        ([USER, {"role": "assistant", "content": "a"}], "expected last role"),
        ([{"role": "assistant", "content": "a"}, USER], "must be the user's"),
        ([USER, {"role": "assistant", "content": ""}, USER], "must be non-empty"),
        ([{"role": "user", "content": " "}], "must be non-empty"),
        ([USER, {"role": "system", "content": "s"}, USER], "only allowed in front"),
        ([USER, {**CALLING, "tool_calls": [CALL, CALL]}, RESULT, RESULT], "duplicate tool call id"),
        (
            [USER, {**CALLING, "tool_calls": [{**CALL, "function": {"name": "t", "arguments": "{"}}]}, RESULT],
            "valid JSON",
        ),
    ],
)
def test_histories_that_some_provider_refuses_are_refused(messages, message):
    with pytest.raises(InvalidRequestError, match=message):
        check_chat({"messages": messages})


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [USER, {"type": "function_call", "call_id": "c", "name": "t", "arguments": "{}"}, USER],
            "did not have response",
        ),
        ([USER, {"type": "function_call_output", "call_id": "c", "output": "r"}], "No tool call found"),
        ([USER, {"type": "reasoning", "id": "r", "summary": []}, USER], "without its required item"),
    ],
)
def test_items_that_the_responses_api_refuses_are_refused(items, message):
    with pytest.raises(InvalidRequestError, match=message):
        check_responses({"input": items})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ({"name": "a b", "parameters": {"type": "object"}}, "invalid tool name"),
        ({"name": "x" * 65, "parameters": {"type": "object"}}, "invalid tool name"),
        ({"name": "t", "parameters": {"type": "array"}}, "must be of type 'object'"),
        ({"name": "t", "parameters": {"type": "object", "properties": {"a": {"type": "int"}}}}, "Invalid schema"),
        ({"name": "t", "description": "x" * 1025, "parameters": {"type": "object"}}, "longer than 1024"),
    ],
)
def test_tools_that_some_provider_refuses_are_refused(function, message):
    with pytest.raises(InvalidRequestError, match=message):
        check_chat({"messages": [USER], "tools": [{"type": "function", "function": function}]})


async def test_as_a_process_it_is_scripted_and_asked_over_http(tmp_path):
    script, port = tmp_path / "script.json", tmp_path / "port"
    script.write_text(json.dumps({"rules": [{"user": "hello", "reply": "Hello."}]}))
    command = [sys.executable, "-m", "tests.wire.server", "--port-file", str(port), "--script", str(script)]
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.DEVNULL)
    try:
        async with asyncio.timeout(30), httpx.AsyncClient() as http:
            while not (port.exists() and port.read_text()):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            base = f"http://127.0.0.1:{port.read_text()}"
            body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
            answer = await http.post(f"{base}/v1/chat/completions", json=body)
            assert answer.json()["choices"][0]["message"]["content"] == "Hello."
            assert (await http.post(f"{base}/script", json={"replies": ["One."]})).json()["replies"] == 1
            assert (await http.post(f"{base}/v1/responses", json={"model": "m", "input": "hello"})).json()["output"]
            seen = (await http.delete(f"{base}/requests")).json()
            assert [request["api"] for request in seen["requests"]] == ["chat", "responses"]
            assert len(seen["usage"]) == 2
    finally:
        process.kill()
        await process.wait()
