"""What a model client knows of its provider: how much fits, what it is sent, what goes to whom."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from agent.guards import Limits
from agent.model import Ask, ModelClient
from agent.models.provider import Provider
from tests.agent.kit import SPECS, ScriptedChat, reply

SCHEMAS = [spec.json_schema() for spec in SPECS.values()]


@pytest.mark.parametrize(
    ("window", "low", "high"),
    [(None, 40_000, 40_000), (8_192, 3_500, 5_000), (200_000, 40_000, 40_000), (1_000, 1_000, 1_000)],
)
def test_the_budget_follows_the_window_when_it_is_known(window, low, high):
    client = ModelClient(ScriptedChat(), "m", Limits(), window=window)
    assert low <= client.budget(SCHEMAS) <= high


def test_the_window_of_a_known_model_is_known():
    assert ModelClient(Provider("gpt-4").chat(), "gpt-4").budget([]) < 8_192
    assert ModelClient(Provider("gpt-4o").chat(), "gpt-4o").budget([]) == 40_000


async def test_requests_that_share_a_beginning_say_so_only_where_it_is_understood():
    for hints, expected in ((True, "c1"), (False, None)):
        chat = ScriptedChat(replies=[reply("Hi.")])
        client = ModelClient(chat, "m", cache_hints=hints)
        await client.reply(Ask([HumanMessage("hello")], SCHEMAS, "en", lambda step: None, cache_key="c1"))
        assert chat.options[0].get("prompt_cache_key") == expected


def test_where_openai_itself_answers_is_known():
    assert Provider("m").is_openai
    assert Provider("m", base_url="https://api.openai.com/v1").is_openai
    assert not Provider("m", base_url="http://127.0.0.1:11434/v1").is_openai


def test_the_output_limit_has_the_name_that_each_server_knows():
    openai = Provider("m").chat()._get_request_payload([HumanMessage("x")])
    local = Provider("m", base_url="http://127.0.0.1/v1").chat()._get_request_payload([HumanMessage("x")])
    responses = Provider("m", "responses").chat()._get_request_payload([HumanMessage("x")])
    assert (openai["max_completion_tokens"], local["max_tokens"], responses["max_output_tokens"]) == (8192, 8192, 8192)
    assert "max_tokens" not in openai


def test_blocks_of_the_other_api_do_not_reach_chat_completions():
    blocks = [{"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "text", "text": "Hello.", "id": "msg_1"}]
    history = [SystemMessage("s"), HumanMessage("hi"), AIMessage(blocks), HumanMessage("again")]
    payload = Provider("m").chat()._get_request_payload(history)
    assert payload["messages"][2]["content"] == "Hello."


def test_thinking_goes_back_to_where_it_came_from():
    call = {"name": "find_things", "args": {}, "id": "c1"}
    thought = AIMessage(
        "", tool_calls=[call], additional_kwargs={"reasoning_content": "Hm.", "routes": {"c1": "execute"}}
    )
    payload = Provider("m").chat()._get_request_payload([HumanMessage("hi"), thought])
    assert payload["messages"][1]["reasoning_content"] == "Hm."
    assert "routes" not in str(payload)
