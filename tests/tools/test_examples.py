"""Examples of hard arguments reach the model, and cost few tokens."""

import json
from copy import deepcopy

from agent.models.usage import estimate_tools
from tools.always import ALWAYS
from tools.examples import exemplified
from tools.toolset import ToolSpec
from tools.workspace.documents import TOOLS, ApplyDocumentPatch

SPECS: dict[str, ToolSpec] = {spec.name: spec for spec in (*TOOLS, *ALWAYS)}
MARK = "For example: "


def described(tool: str, field: str) -> str:
    return SPECS[tool].json_schema()["function"]["parameters"]["properties"][field]["description"]


def test_a_patch_and_the_choices_of_a_question_come_with_an_example_that_is_valid():
    patch = json.loads(described("apply_document_patch", "patch").partition(MARK)[2])
    assert ApplyDocumentPatch.model_validate({"document_id": "d", "base_revision": 1, "patch": patch})
    choices = json.loads(described("ask_user_question", "choices").partition(MARK)[2])
    question = SPECS["ask_user_question"].tool.get_input_schema()
    assert question.model_validate({"question": "Which?", "choices": choices})


def test_examples_cost_at_most_sixty_tokens_a_tool_and_none_where_they_are_not_needed():
    for spec in SPECS.values():
        told = spec.json_schema()
        bare = deepcopy(told)
        for field in bare["function"]["parameters"]["properties"].values():
            field["description"] = field.get("description", "").partition(MARK)[0]
        cost = estimate_tools([told]) - estimate_tools([bare])
        assert (10 < cost <= 60) == (spec.name in {"apply_document_patch", "ask_user_question"}), (spec.name, cost)


def test_a_schema_that_is_no_model_stays_as_it_is():
    schema = {"function": {"parameters": {"properties": {"a": {"description": "A."}}}}}
    assert exemplified(deepcopy(schema), {"type": "object"}) == schema
