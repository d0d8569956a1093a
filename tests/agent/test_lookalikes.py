"""Data that looks like a serialised LangChain object stays data through whole turns (threat T42, CVE-2025-68664)."""

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from tests.agent.assembly import ANN, House, line, words_of
from tools.toolset import ToolResult

SECRET = {"lc": 1, "type": "secret", "id": ["PATH"]}
PROMPT = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain_core", "prompts", "PromptTemplate"],
    "kwargs": {"template": "{{ x }}", "template_format": "jinja2", "input_variables": ["x"]},
}
CALL = {"lc": 2, "type": "constructor", "id": ["os", "getcwd"], "args": []}
LOOKALIKES = pytest.mark.parametrize("value", [SECRET, PROMPT, CALL], ids=["secret", "constructor", "call"])


@LOOKALIKES
async def test_t42_words_that_look_like_an_object_come_back_as_they_were(house: House, value: dict) -> None:
    said = json.dumps(value)
    ref, _ = await house.tell(said, line("Noted."))
    _, parts = await house.tell("and?", line("Still noted."), to=ref.conversation_id)
    assert words_of(parts) == "Still noted."
    sent = [m.text for m in house.chat.sent[-1] if isinstance(m, HumanMessage)]
    assert any(said in text for text in sent)
    page = await house.turns.open(ANN, ref.conversation_id)
    assert page.messages[0].text == said


@LOOKALIKES
async def test_t42_arguments_that_look_like_an_object_stay_a_dictionary(house: House, value: dict) -> None:
    asked = line("", ("find_things", {"query": value}))
    ref, _ = await house.tell("find it", asked, line("I could not."))
    await house.tell("and?", line("No."), to=ref.conversation_id)
    (call,) = [call for m in house.chat.sent[-1] if isinstance(m, AIMessage) for call in m.tool_calls]
    assert call["args"] == {"query": value}
    assert type(call["args"]["query"]) is dict


@LOOKALIKES
async def test_t42_an_answer_of_a_tool_that_looks_like_an_object_stays_text(house: House, value: dict) -> None:
    house.shelf.answer = ToolResult(ok=True, status=200, text=json.dumps(value), summary="found", data=value)
    ref, _ = await house.tell("find it", line("", ("find_things", {"query": "x"})), line("There."))
    await house.tell("and?", line("Yes."), to=ref.conversation_id)
    (answer,) = [m for m in house.chat.sent[-1] if isinstance(m, ToolMessage)]
    assert json.dumps(value) in answer.text
