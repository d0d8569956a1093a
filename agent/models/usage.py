"""Tokens of a request, as the provider counts them, or estimated when it does not."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage

from agent.steps import Usage


def usage_of(message: AIMessage) -> Usage | None:
    """The provider's numbers, the same for both APIs; None when it sent none."""
    told = message.usage_metadata
    if not told or not (told["input_tokens"] or told["output_tokens"]):
        return None
    cached = told.get("input_token_details", {}).get("cache_read") or 0
    reasoning = told.get("output_token_details", {}).get("reasoning") or 0
    return Usage(told["input_tokens"], cached, reasoning, told["output_tokens"])


def estimate_text(text: str) -> int:
    """Tokens of a text without a tokenizer: four bytes each, which errs on the safe side for Cyrillic."""
    return (len(text) if text.isascii() else len(text.encode("utf-8", "replace"))) // 4 + 1


def estimate_tools(tools: Sequence[dict[str, Any]]) -> int:
    """Tokens of the tool schemas of a request."""
    return sum(estimate_text(json.dumps(tool, ensure_ascii=False)) for tool in tools)
