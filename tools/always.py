"""The tools that are always offered. They have no backend: the graph answers them itself."""

from typing import Annotated

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, Field

from tools.toolset import Effect, ToolSpec


class _Args(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class ShowCapabilities(_Args):
    """What the person wants to know of."""

    topic: (
        Annotated[str, Field(max_length=200, description="A topic, such as backups; everything without one.")] | None
    ) = None


class QuestionChoice(_Args):
    """One answer to pick."""

    value: Annotated[str, Field(min_length=1, max_length=200, description="What is answered when it is picked.")]
    label: Annotated[str, Field(min_length=1, max_length=120, description="What the person reads.")]
    hint: Annotated[str, Field(max_length=200, description="What tells it from the others.")] | None = None


class AskUserQuestion(_Args):
    """A question and up to four answers to pick from."""

    question: Annotated[str, Field(min_length=1, max_length=500, description="The question, in the person's language.")]
    choices: Annotated[
        list[QuestionChoice],
        Field(
            max_length=4,
            description="Up to four answers to pick from.",
            examples=[[{"value": "net", "label": "Net revenue", "hint": "after refunds"}]],
        ),
    ] = []
    free: Annotated[bool, Field(description="Whether the person may answer in other words.")] = True


class FindTools(_Args):
    """What a tool should be able to do."""

    description: Annotated[str, Field(min_length=1, max_length=300, description="What you need to do, in plain words.")]


async def _answered_by_the_graph(**_: object) -> str:
    raise LookupError("the graph answers this tool; it cannot be run")


def _tool(name: str, description: str, schema: type[BaseModel]) -> BaseTool:
    return StructuredTool.from_function(
        coroutine=_answered_by_the_graph, name=name, description=description, args_schema=schema
    )


def _spec(tool: BaseTool, ru: str, titles: tuple[str, str]) -> ToolSpec:
    return ToolSpec(
        name=tool.name,
        tool=tool,
        effect=Effect.READ,
        descriptions={"en": tool.description, "ru": ru},
        titles={"en": titles[0], "ru": titles[1]},
        always_on=True,
    )


ALWAYS: tuple[ToolSpec, ...] = (
    _spec(
        _tool(
            "show_capabilities",
            "Say what you can do here, as a list of tools the person may use; on one topic if given.",
            ShowCapabilities,
        ),
        "Показать, что здесь можно сделать.",
        ("Listed capabilities", "Список возможностей"),
    ),
    _spec(
        _tool(
            "ask_user_question",
            "Ask the person one question when something needed is missing or ambiguous, instead of guessing.",
            AskUserQuestion,
        ),
        "Задать человеку вопрос, когда чего-то не хватает или возможны разные толкования.",
        ("Asked a question", "Вопрос"),
    ),
    _spec(
        _tool(
            "find_tools",
            "Get more tools by a description of what you need to do, when none of the offered ones fits.",
            FindTools,
        ),
        "Найти другие инструменты по описанию того, что нужно сделать.",
        ("Looked for tools", "Поиск инструментов"),
    ),
)
