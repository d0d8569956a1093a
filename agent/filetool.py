"""The tool by which the model reads the files of a chat: a toolset of its own.

A backend may have files too (the workspace's `read_attachment`); names, titles and descriptions say which is which.
"""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from langchain_core.tools import StructuredTool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from store import attachments
from store.attachments import Attachment
from store.person import person
from store.pool import Pool, lent
from tools.toolset import ArgumentError, Call, Effect, Preview, Problem, ToolResult, ToolSpec

NAME = "read_chat_file"
STRETCH = 20_000
DESCRIPTION = "Read the text of a file that the person sent with a message of this chat."


class ReadChatFile(BaseModel):
    """Which file of this conversation, and which part of its text."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    file: Annotated[str, Field(min_length=1, max_length=200, description="Name of the file, or words of it.")]
    offset: Annotated[int, Field(ge=0, le=10**9, description="First character to read.")] = 0
    limit: Annotated[int, Field(ge=1, le=STRETCH, description="How many characters.")] = STRETCH


async def _elsewhere(**_: object) -> str:
    raise LookupError("the toolset reads the file itself")


SPEC = ToolSpec(
    name=NAME,
    tool=StructuredTool.from_function(
        coroutine=_elsewhere,
        name=NAME,
        description=DESCRIPTION + " Long ones in parts.",
        args_schema=ReadChatFile,
    ),
    effect=Effect.READ,
    descriptions={
        "en": DESCRIPTION,
        "ru": "Прочитать текст файла, который человек прислал с сообщением этого чата.",
    },
    titles={"en": "Read a file of this chat", "ru": "Чтение файла из чата"},
    always_on=True,
)


class FileToolset:
    """`read_chat_file`, for the files of the conversation that the call comes from and of no other."""

    specs: Mapping[str, ToolSpec] = {NAME: SPEC}

    def __init__(self, pool: Pool):
        self._pool = pool

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments with defaults filled in; raises `ArgumentError`."""
        try:
            return ReadChatFile.model_validate(args).model_dump(mode="json")
        except ValidationError as error:
            raise ArgumentError(name, [dict(e) for e in error.errors(include_input=False)]) from None

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """Reading changes nothing, so nothing is asked."""
        raise LookupError(f"{name} only reads")

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """A part of the text of the one file that fits; else which files there are."""
        wanted = ReadChatFile.model_validate(args)
        async with lent(self._pool, person(call.tenant, call.subject)) as connection:
            files = await attachments.of_conversation(connection, call.tenant, call.subject, UUID(call.conversation_id))
        fitting = [file for file in files if wanted.file.casefold() in (file.name.casefold(), str(file.id))]
        fitting = fitting or [file for file in files if wanted.file.casefold() in file.name.casefold()]
        return _read(fitting[-1], wanted, call) if fitting else _missing(files, call)


def _read(file: Attachment, wanted: ReadChatFile, call: Call) -> ToolResult:
    text = file.text[wanted.offset : wanted.offset + wanted.limit]
    end = wanted.offset + len(text)
    rest = f"\n[{len(file.text) - end} more characters; go on with offset {end}]" if end < len(file.text) else ""
    more = "\n[the file holds more text than could be kept]" if file.cut and not rest else ""
    data = {"name": file.name, "size": file.size, "characters": len(file.text)}
    return ToolResult(ok=True, text=f"{text}{rest}{more}" or "[nothing from there on]", summary=file.name, data=data)


def _missing(files: list[Attachment], call: Call) -> ToolResult:
    there = ", ".join(sorted({file.name for file in files}))
    title = {"en": "There is no such file here", "ru": "Такого файла здесь нет"}[call.lang]
    detail = f"Attached to this conversation: {there}." if there else "Nothing is attached to this conversation."
    problem = Problem(status=404, code="not_found", title=title, detail=detail)
    return ToolResult(ok=False, status=404, text=f"{title}. {detail}", summary=title, problem=problem)
