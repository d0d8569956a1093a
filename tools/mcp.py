"""The tools of an MCP server by the same door (Model Context Protocol; extra `mcp`).

A tool is dangerous unless its server calls it read-only and no word of it speaks of danger: an annotation is a claim of
the server, never a proof. A tool that is another than the one that was listed is not called.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.tools import StructuredTool
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextContent, Tool

from tools.client import ANSWER_LIMIT, Answer
from tools.language import say
from tools.openapi.document import Document, DocumentError, parse
from tools.openapi.effects import Facts, classify_claim
from tools.openapi.keywords import ExactValidator
from tools.openapi.names import tool_names
from tools.openapi.results import result_of
from tools.openapi.schemas import Schemas, slim, whole_numbers
from tools.results import failed_in
from tools.text import clean_text, visible, visible_text
from tools.toolset import ArgumentError, Call, Effect, Lang, Preview, Problem, ToolResult, ToolSpec

MOST_TOOLS = 500
DESCRIPTION_LIMIT = 400
TIMEOUT = 60.0
CHANGED = Problem(code="tool_changed", title="The server has changed this tool; start anew")
Connect = Callable[[], AbstractAsyncContextManager[Client]]


@dataclass(frozen=True)
class Offered:
    """One tool of the server, as it was listed."""

    wire: str
    spec: ToolSpec
    validator: Any
    fingerprint: str


class McpToolset:
    """The tools of one server. Each call has a connection of its own; no person's token is sent."""

    def __init__(self, connect: Connect, offered: Mapping[str, Offered]):
        self._connect = connect
        self._offered = offered

    @classmethod
    async def open(cls, connect: Connect) -> "McpToolset":
        """Ask the server for its tools; raises `DocumentError` when it does not answer, or with what nobody can use."""
        try:
            async with connect() as client:
                listed = await _listed(client)
        except Exception as error:  # the library raises groups of whatever its transport met
            raise DocumentError(f"the MCP server does not answer as one: {_said(error)}") from None
        names = tool_names([("call", f"/{tool.name}", tool.name) for tool in listed])
        return cls(connect, {name: _offered(name, tool) for name, tool in zip(names, listed, strict=True)})

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools by name."""
        return {name: tool.spec for name, tool in self._offered.items()}

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments, checked against the tool's schema; raises `ArgumentError` or `KeyError`."""
        try:
            errors = list(self._offered[name].validator.iter_errors(args))
        except RecursionError:
            raise ArgumentError(
                name, [{"type": "circle", "loc": [], "msg": "nested too deeply to be checked"}]
            ) from None
        if errors:
            found = [{"type": e.validator, "loc": list(e.absolute_path), "msg": e.message[:200]} for e in errors[:10]]
            raise ArgumentError(name, found)
        return whole_numbers(args)

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """The arguments as they will be sent; a server tells nothing before."""
        return Preview.drawn(call.lang, partial(_card, self._offered[name].spec, args))

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Call the tool, if it is still the one that was listed."""
        tool, sent = self._offered[name], False
        try:
            async with self._connect() as client:
                now = next((found for found in await _listed(client) if found.name == tool.wire), None)
                if now is None or _fingerprint(now) != tool.fingerprint:
                    return failed_in(
                        call.lang, Problem(code="tool_changed", title="The server has changed this tool; start anew")
                    )
                sent = True
                return _result(await client.call_tool(tool.wire, args, read_timeout_seconds=TIMEOUT), call)
        except Exception as error:  # as above
            unknown = sent and tool.spec.effect is not Effect.READ
            return failed_in(
                call.lang, Problem(code="mcp", title="The MCP server failed", detail=_said(error)), unknown
            )


def _said(error: BaseException) -> str:
    """What went wrong first, out of the groups that tasks raise."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return clean_text(str(error)[:200] if isinstance(error, MCPError | ConnectionError) else type(error).__name__)


async def _listed(client: Client) -> list[Tool]:
    """All tools of the server, page by page, at most `MOST_TOOLS`."""
    tools: list[Tool] = []
    cursor: str | None = None
    while len(tools) < MOST_TOOLS:
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        tools += page.tools
        cursor = page.next_cursor
        if not cursor or not page.tools:
            break
    return tools[:MOST_TOOLS]


def _offered(name: str, tool: Tool) -> Offered:
    title = visible_text((tool.title or tool.name.replace("_", " ")).strip())[:80] or name
    text = " ".join(clean_text(tool.description or title).split())[:DESCRIPTION_LIMIT]
    schema, hints = _schema(tool.input_schema), tool.annotations
    verdict = classify_claim(
        Facts("POST", f"/{tool.name}", tool.name, title, text), bool(hints and hints.read_only_hint)
    )
    made = StructuredTool(name=name, description=text, args_schema=slim(schema), coroutine=_only_through_the_toolset)
    spec = ToolSpec(
        name=name, tool=made, effect=verdict.effect, descriptions={"en": text}, titles={"en": title, "ru": title},
        reasons=verdict.reasons, fingerprint=_fingerprint(tool), repeatable=False,
    )  # fmt: skip
    return Offered(tool.name, spec, ExactValidator(schema), _fingerprint(tool))


def _card(spec: ToolSpec, args: Mapping[str, Any], lang: Lang) -> Preview:
    facts = [[visible(key), visible(value)] for key, value in args.items()]
    return Preview(
        title=f"{spec.titles[lang]}?",
        lead=say(lang, "The server has no preview of this call.", "У сервера нет предварительного просмотра."),
        approve=spec.titles[lang],
        risk="danger",
        evidence=[{"type": "facts", "items": facts}] if facts else [],
    )


def _schema(raw: dict[str, Any]) -> dict[str, Any]:
    """The argument schema, bounded like that of a document; raises `DocumentError`."""
    root = {**parse(json.dumps(raw).encode()), "openapi": "3.1.0"}
    schemas = Schemas(Document("mcp:tool", root, _nothing_else))
    made = schemas.convert({key: value for key, value in root.items() if key != "openapi"})
    schema = {"type": "object", "required": [], **made, "properties": made.get("properties", {})}
    return {**schema, "$defs": schemas.reached(schema)}


def _nothing_else(uri: str) -> bytes:
    raise DocumentError("a tool's schema refers to another place")


def _fingerprint(tool: Tool) -> str:
    return hashlib.sha256(json.dumps(tool.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()


def _result(result: CallToolResult, call: Call) -> ToolResult:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    others = len(result.content) - len(texts)
    body: Any = result.structured_content
    if not body or len(json.dumps(body)) > ANSWER_LIMIT:
        body = "\n".join(texts) + (f"\n[{others} parts that are no text]" if others else "")
    if result.is_error:
        return failed_in(
            call.lang, Problem(code="tool_error", title="The tool failed", detail=clean_text("\n".join(texts))[:2_000])
        )
    if isinstance(body, str) and len(body) > ANSWER_LIMIT:
        return result_of(Answer(200, body[:ANSWER_LIMIT], truncated=True), call.lang)
    return result_of(Answer(200, body), call.lang)


async def _only_through_the_toolset(**_: Any) -> str:
    raise RuntimeError("an MCP tool runs through its toolset, which knows on whose behalf")
