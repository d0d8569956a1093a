"""What came back from a call: one answer for the model, one step for the person."""

import re
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import ToolMessage

from agent.calls import OpenCall, answer
from agent.steps import ToolEnded, ToolStarted
from tools.text import clean_text
from tools.toolset import Effect, Lang, ToolResult, ToolSpec

DOCUMENTS = frozenset({"read_document", "apply_document_patch"})
NO_TAG = r"(\1"
_TAG = re.compile(r"<(/?\s*tool_result)", re.IGNORECASE)


def result_message(call: OpenCall, result: ToolResult, limit: int) -> ToolMessage:
    """The answer with what a tool returned: without hidden characters, at most `limit` of them, marked as data."""
    artifact: dict[str, Any] = {"data": True}
    if snapshot := snapshot_of(call, result):
        artifact["snapshot"] = snapshot
    text = clean_text(result.text, limit) or result.summary or "(empty)"
    return answer(call["key"], call["call_id"], call["name"], text, ok=result.ok, artifact=artifact)


def snapshot_of(call: OpenCall, result: ToolResult) -> dict[str, Any] | None:
    """Which document in which revision a result holds in full; reading an old revision on purpose is no snapshot."""
    data = result.data
    if call["name"] not in DOCUMENTS or not result.ok or not isinstance(data, Mapping) or call["args"].get("revision"):
        return None
    doc, revision = data.get("id"), data.get("revision")
    return {"doc": str(doc), "revision": revision} if doc and revision is not None else None


def as_data(message: ToolMessage) -> ToolMessage:
    """The message as a language model gets it: fenced, so that words of a tool are not taken for instructions."""
    inside = _TAG.sub(NO_TAG, message.text)
    fenced = f'<tool_result tool="{message.name}" status="{message.status}">\n{inside}\n</tool_result>'
    return message.model_copy(update={"content": fenced})


def fenced(text: str, limit: int = 120) -> str:
    """A short text from outside inside a sentence for the model: one line, marked as data."""
    line = " ".join(clean_text(text, limit).split())
    return f"<tool_result>{_TAG.sub(NO_TAG, line)}</tool_result>"


def started(call: OpenCall, spec: ToolSpec, lang: Lang) -> ToolStarted:
    """The step that a call begins."""
    return ToolStarted(call["key"], call["call_id"], spec.name, spec.effect, call["args"], spec.titles[lang])


def ended(
    call: OpenCall,
    spec: ToolSpec | None,
    lang: Lang,
    result: ToolResult,
    *,
    duration: float | None = None,
    approval_id: str | None = None,
) -> ToolEnded:
    """The step that a call came back; `spec` is None for a tool that does not exist."""
    return ToolEnded(
        key=call["key"],
        call_id=call["call_id"],
        tool=call["name"],
        effect=spec.effect if spec else Effect.DANGER,
        args=call["args"],
        title=spec.titles[lang] if spec else call["name"],
        ok=result.ok,
        summary=result.summary,
        data=result.data,
        error=None if result.ok else _error(result),
        duration=duration,
        approval_id=approval_id,
        undo=result.undo,
    )


def _error(result: ToolResult) -> dict[str, Any]:
    if result.problem is None:
        return {"code": "failed", "title": result.summary, "detail": ""}
    return result.problem.model_dump(mode="json", exclude_none=True)
