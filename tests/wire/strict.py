"""Refuses what strict providers refuse: a request that would be a 400 somewhere is a 400 here."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class InvalidRequestError(ValueError):
    """The request is refused; the text is the provider's message."""


def check_chat(body: Mapping[str, Any]) -> None:
    """Check a /v1/chat/completions body; raises `InvalidRequestError`."""
    _check_tools([tool.get("function", {}) for tool in body.get("tools") or ()], body)
    messages = body.get("messages") or []
    _check_roles([m.get("role") for m in messages])
    for message in messages:
        _check_content(message)
    _check_chat_pairs(messages)


def check_responses(body: Mapping[str, Any]) -> None:
    """Check a /v1/responses body; raises `InvalidRequestError`."""
    _check_tools(list(body.get("tools") or ()), body)
    items = body.get("input")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    roles = [_role_of_item(item) for item in items or ()]
    _check_roles([role for role in roles if role])
    for item in items or ():
        if item.get("role"):
            _check_content(item)
    _check_response_pairs(items or [])


def _role_of_item(item: Mapping[str, Any]) -> str | None:
    kinds = {"function_call": "assistant", "function_call_output": "tool", "reasoning": "assistant"}
    return kinds.get(item.get("type", ""), item.get("role"))


def _check_roles(roles: list[Any]) -> None:
    """A system message only in front, then a user; two users in a row and an assistant at the end are refused."""
    for role in roles:
        if role not in {"system", "developer", "user", "assistant", "tool"}:
            raise InvalidRequestError(f"unknown role {role!r}")
    spoken = roles[1:] if roles[:1] in (["system"], ["developer"]) else roles
    if not spoken or spoken[0] != "user":
        raise InvalidRequestError("the first message after the instructions must be the user's")
    if {"system", "developer"} & set(spoken):
        raise InvalidRequestError("system messages are only allowed in front")
    if any(a == b == "user" for a, b in pairwise(spoken)):
        raise InvalidRequestError("conversation roles must alternate")
    if spoken[-1] == "assistant":
        raise InvalidRequestError("expected last role User or Tool")


def _check_content(message: Mapping[str, Any]) -> None:
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [b.get("text", "-") for b in content or () if b]
    may_be_empty = message.get("role") == "assistant" and message.get("tool_calls")
    if not may_be_empty and not any(text.strip() for text in texts):
        raise InvalidRequestError(f"messages: text content of role {message.get('role')} must be non-empty")
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequestError("content is not valid UTF-8") from error


def _check_arguments(call_id: str, name: str, arguments: Any) -> None:
    if not _NAME.fullmatch(name or ""):
        raise InvalidRequestError(f"invalid function name {name!r}")
    try:
        value = json.loads(arguments)
    except (TypeError, ValueError) as error:
        raise InvalidRequestError(f"function arguments of {call_id} must be valid JSON") from error
    if not isinstance(value, dict):
        raise InvalidRequestError(f"function arguments of {call_id} must be a JSON object")


def _check_chat_pairs(messages: list[Mapping[str, Any]]) -> None:
    open_ids: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                raise InvalidRequestError(
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
                )
            open_ids.discard(message["tool_call_id"])
            continue
        _refuse_open(open_ids)
        calls = message.get("tool_calls") or ()
        for call in calls:
            _check_arguments(call["id"], call["function"]["name"], call["function"]["arguments"])
        open_ids = _unique(call["id"] for call in calls)
    _refuse_open(open_ids)


def _check_response_pairs(items: list[Mapping[str, Any]]) -> None:
    """Calls and outputs by call_id; a reasoning item must be followed by what it reasoned about."""
    open_ids: set[str] = set()
    for item, after in zip(items, [*items[1:], {}], strict=True):
        kind = item.get("type")
        if kind == "function_call":
            _check_arguments(item["call_id"], item["name"], item["arguments"])
            if item["call_id"] in open_ids:
                raise InvalidRequestError(f"duplicate call_id {item['call_id']}")
            open_ids.add(item["call_id"])
        elif kind == "function_call_output":
            if item.get("call_id") not in open_ids:
                raise InvalidRequestError(
                    f"No tool call found for function call output with call_id {item.get('call_id')}."
                )
            open_ids.discard(item["call_id"])
        elif kind == "reasoning" and _role_of_item(after) != "assistant":
            raise InvalidRequestError(
                f"Item {item.get('id')!r} of type 'reasoning' was provided without its required item."
            )
        elif item.get("role") == "user":
            _refuse_open(open_ids)
    _refuse_open(open_ids)


def _unique(ids: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for call_id in ids:
        if not call_id or call_id in seen:
            raise InvalidRequestError(f"missing or duplicate tool call id {call_id!r}")
        seen.add(call_id)
    return seen


def _refuse_open(open_ids: set[str]) -> None:
    if open_ids:
        raise InvalidRequestError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(sorted(open_ids))}"
        )


def _check_tools(functions: list[Mapping[str, Any]], body: Mapping[str, Any]) -> None:
    if body.get("tool_choice") and not functions:
        raise InvalidRequestError("tool_choice is only allowed when tools are specified")
    if len(functions) > 128:
        raise InvalidRequestError(f"{len(functions)} tools; the maximum is 128")
    names = [function.get("name", "") for function in functions]
    if len(set(names)) != len(names):
        raise InvalidRequestError("tools: tool names must be unique")
    for function in functions:
        _check_tool(function)


def _check_tool(function: Mapping[str, Any]) -> None:
    name, schema = function.get("name", ""), function.get("parameters", {"type": "object"})
    if not _NAME.fullmatch(name):
        raise InvalidRequestError(f"invalid tool name {name!r}: expected ^[a-zA-Z0-9_-]{{1,64}}$")
    if len(function.get("description", "")) > 1024:
        raise InvalidRequestError(f"the description of {name} is longer than 1024 characters")
    if schema.get("type") != "object":
        raise InvalidRequestError(f"Invalid schema for function {name!r}: schema must be of type 'object'")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise InvalidRequestError(f"Invalid schema for function {name!r}: {error.message}") from error
