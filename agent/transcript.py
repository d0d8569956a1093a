"""What people see of a turn: the steps of the graph and the events of its driver, folded into protocol parts.

The same fold makes the live stream and the stored message, so a reload shows what was streamed. A part keeps its `id`
and its place; its `seq` is the transcript's version at its last change.

Words once seen stay in view when a request is made anew, whatever broke the first one off: another worker took the turn
over, the provider failed, the history was too long. The new request's words take their place when they are as many, or
when it ends; then they stand alone. A request that fails or is stopped before that leaves the longer words in view: at
a stop the person keeps what was to be read, as if nothing had been broken off, though the model remembers its last
words only.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from agent.steps import (
    ModelEnded,
    ModelStarted,
    Notice,
    Offered,
    Reasoning,
    Step,
    TokenText,
    ToolEnded,
    ToolStarted,
    Usage,
)
from tools.text import cut

Part = dict[str, Any]
PASSING = frozenset({"model_slow", "model_retry"})
_ITEMS, _CHARACTERS, _DEPTH = 50, 2_000, 8
_USAGE = "usage"
_BROKEN_OFF = frozenset({"canceled", "failed"})
_INTERRUPTED = "interrupted"


class Transcript:
    """The parts of one turn. `price` gives the cost of a usage in the operator's currency, if prices are set."""

    def __init__(self, parts: Iterable[Part] = (), price: Callable[[Usage], float | None] = lambda usage: None):
        copies = [_copy(part) for part in parts]
        self._parts = [part for part in copies if part["metadata"]["type"] != _USAGE]
        self._usage = next((part for part in copies if part["metadata"]["type"] == _USAGE), None)
        self._price = price
        self._offered: list[dict[str, Any]] | None = None
        self._anew: list[Part] | None = None
        self.version = max((part["metadata"]["seq"] for part in copies), default=0)

    @classmethod
    def from_parts(
        cls, parts: Iterable[Part], price: Callable[[Usage], float | None] = lambda usage: None
    ) -> "Transcript":
        """Goes on from stored parts, after a restart or a decision."""
        return cls(parts, price)

    def parts(self) -> list[Part]:
        """Fresh copies of all parts in order; the usage is the last."""
        return [_copy(part) for part in (*self._parts, *([self._usage] if self._usage else ()))]

    def text(self) -> str:
        """The plain words of the answer, for search, titles and exports."""
        texts = (p["content"] for p in self._parts if _is_words(p) and not p["metadata"]["reasoning"])
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def fold(self, step: Step) -> None:
        """Take in one step of the graph."""
        match step:
            case ModelStarted():
                self._begin_words()
            case TokenText(key, text):
                self._say(f"{key}.t", text, reasoning=False)
            case Reasoning(key, text):
                self._say(f"{key}.r", text, reasoning=True)
            case ModelEnded():
                self._end_model(step)
            case ToolStarted():
                self._put_tool(step, "tool_start", "", status="pending")
            case ToolEnded():
                self._end_tool(step)
            case Notice(code, text):
                self.notice(code, text)
            case Offered(choices):
                self._offered = [dict(choice) for choice in choices]

    def notice(self, code: str, text: str) -> None:
        """Tell the person something, once a code."""
        self._put(f"notice.{code}", text, {"type": "notice", "code": code})

    def error(self, code: str, text: str, *, retry: bool = False, ref: str | None = None) -> None:
        """The turn could not go on; `retry` says whether the same turn may be sent again."""
        self._put("error", text, {"type": "error", "code": code, "retry": retry, "ref": ref})

    def confirm(self, call_id: str, tool: str, approval: Mapping[str, Any], *, title: str, text: str = "") -> None:
        """Draw a request for a signature, or what became of it, by the approval's state."""
        kind = "confirm_required" if approval["state"] == "pending" else "confirm_resolved"
        part_id = f"approval.{approval['id']}"
        meta = {"type": kind, "call_id": call_id, "tool": tool, "approval": dict(approval), "title": title}
        meta["offered"] = self._reasons(part_id)
        self._put(part_id, text, meta, status="pending" if kind == "confirm_required" else "done")

    def ask(self, call_id: str, question: Mapping[str, Any]) -> None:
        """Draw a question, or what became of it, by its state."""
        status = "pending" if question["state"] == "pending" else "done"
        meta = {"type": "ask_user", "call_id": call_id, "question": dict(question)}
        self._put(f"question.{question['id']}", question["question"], meta, status=status)

    def settle(self, keys: Container[str]) -> None:
        """The checkpoint holds these messages: their thoughts are complete. Words of any other are no answer yet."""
        for part in filter(_is_words, self._parts):
            meta = part["metadata"]
            if meta["id"].rpartition(".")[0] not in keys:
                self._mark(part, "pending")
            elif meta["reasoning"]:
                self._mark(part, "done")

    def recall(self, key: str, text: str, finish: str) -> None:
        """A finished message that the checkpoint holds, where the last save of the parts came too early."""
        prefix = f"{key}.t"
        if any(part["metadata"]["id"].startswith(prefix) and not _unfinished(part) for part in self._parts):
            return
        self._begin_words()
        self._say(prefix, text.strip("\n"), reasoning=False)
        self._end_words(finish)

    def known(self, key: str) -> bool:
        """Whether the end of this call is told; that nobody knows it is none."""
        part = self._find(f"call.{key}")
        meta = part["metadata"] if part else {}
        return meta.get("status") == "done" and (meta.get("error") or {}).get("code") != _INTERRUPTED

    def reopen(self) -> None:
        """A failed turn is tried again: its error and passing notices go."""
        self._drop(lambda part: _is(part, "error") or _passing(part))

    def close(self, interrupted: str = "", *, cut_off: bool = False) -> None:
        """The turn ended: nothing is pending any more. `interrupted` tells of calls of which no outcome is known.

        Words that were `cut_off` stay unfinished: they are no answer, and a retry says them anew.
        """
        self._drop(_passing)
        for part in self._parts:
            meta = part["metadata"]
            if meta["status"] != "pending" or meta["type"] in {"confirm_required", "ask_user"}:
                continue
            if cut_off and _is_words(part):
                continue
            if meta["type"] == "tool_start":
                meta |= {"type": "tool_error", "error": {"code": _INTERRUPTED, "title": interrupted, "detail": ""}}
            meta |= {"status": "done", "seq": self._next()}

    def unfinished(self) -> bool:
        """Whether words are here of a model request that did not end; they are no answer."""
        return any(map(_unfinished, self._parts))

    def _say(self, prefix: str, text: str, *, reasoning: bool) -> None:
        """Add words to the last part if they continue it, else begin a new one; in view, or behind what is in view."""
        self._drop(_passing)
        words = self._parts if self._anew is None else self._anew
        last = words[-1] if words else None
        if last is None or not last["metadata"]["id"].startswith(prefix) or not _unfinished(last):
            if not text.strip():
                return
            number = sum(part["metadata"]["id"].startswith(prefix) for part in words)
            meta = {"id": f"{prefix}{number}", "status": "pending", "type": "stream_token", "reasoning": reasoning}
            text, last = text.lstrip("\n"), {"role": "assistant", "content": "", "metadata": meta}
            words.append(last)
        last["content"] += text
        if words is self._parts:
            last["metadata"]["seq"] = self._next()
        elif _length(words) >= _length(filter(_unfinished, self._parts)):
            self._show_anew()

    def _begin_words(self) -> None:
        """A request begins; what an unfinished one had said stays in view until this one has said as much."""
        self._anew = [] if self.unfinished() else None

    def _show_anew(self) -> None:
        """The words of the request that runs, in the place of those that were in view."""
        if self._anew is None:
            return
        self._drop(_unfinished)
        for part in self._anew:
            part["metadata"]["seq"] = self._next()
        self._parts += self._anew
        self._anew = None

    def _end_words(self, finish: str) -> None:
        """Words are complete, or what stays of them is. Those of a request that failed are no answer."""
        if finish not in _BROKEN_OFF:
            self._show_anew()
        self._anew = None
        if finish != "failed":
            for part in filter(_unfinished, self._parts):
                self._mark(part, "done")

    def _end_model(self, step: ModelEnded) -> None:
        self._drop(_passing)
        self._end_words(step.finish)
        if step.usage:
            self._count(step.model, step.usage)

    def _count(self, model: str, used: Usage) -> None:
        meta = self._usage["metadata"] if self._usage else {}
        total = Usage(*(meta.get(name, 0) for name in ("input", "cached", "reasoning", "output"))) + used
        numbers = {
            "input": total.input,
            "cached": total.cached,
            "reasoning": total.reasoning,
            "output": total.output,
            "cost": self._price(total),
        }
        meta = {"id": _USAGE, "seq": self._next(), "status": "done", "type": _USAGE, "model": model, **numbers}
        self._usage = {"role": "assistant", "content": "", "metadata": meta}

    def _end_tool(self, step: ToolEnded) -> None:
        meta = {
            "summary": step.summary,
            "data": shown(step.data),
            "error": dict(step.error) if step.error else None,
            "approval_id": step.approval_id,
            "undo": dict(step.undo) if step.undo else None,
            "duration": step.duration,
        }
        self._put_tool(step, "tool_end" if step.ok else "tool_error", step.summary, meta=meta)

    def _put_tool(
        self, step: ToolStarted | ToolEnded, kind: str, text: str, *, status: str = "done", meta: Part | None = None
    ) -> None:
        told = {
            "type": kind,
            "call_id": step.call_id,
            "tool": step.tool,
            "effect": step.effect,
            "args": shown(dict(step.args)),
            "title": step.title,
        }
        part_id = f"call.{step.key}"
        self._put(part_id, text, {**told, **(meta or {}), "offered": self._reasons(part_id)}, status=status)

    def _reasons(self, part_id: str) -> list[dict[str, Any]] | None:
        """Which tools the turn was offered and why: they go with the first call or request, and stay there."""
        found = self._find(part_id)
        if found:
            return found["metadata"].get("offered")
        offered, self._offered = self._offered, None
        return offered

    def _put(self, part_id: str, text: str, meta: Part, *, status: str = "done") -> None:
        """Change the part in its place, or add it."""
        meta = {"id": part_id, "seq": self._next(), "status": status, **meta}
        part = {"role": "assistant", "content": text, "metadata": meta}
        found = self._find(part_id)
        if found is None:
            self._parts.append(part)
        else:
            found.update(part)

    def _find(self, part_id: str) -> Part | None:
        return next((part for part in reversed(self._parts) if part["metadata"]["id"] == part_id), None)

    def _drop(self, unwanted: Callable[[Part], bool]) -> None:
        kept = [part for part in self._parts if not unwanted(part)]
        if len(kept) != len(self._parts):
            self._parts = kept
            self._next()

    def _mark(self, part: Part, status: str) -> None:
        if part["metadata"]["status"] != status:
            part["metadata"] |= {"status": status, "seq": self._next()}

    def _next(self) -> int:
        self.version += 1
        return self.version


def shown(value: Any, depth: int = _DEPTH) -> Any:
    """A JSON value cut to what a card can show: 50 items, 2,000 characters, 8 levels."""
    if isinstance(value, str):
        return cut(value, _CHARACTERS)
    if isinstance(value, dict):
        return {k: shown(v, depth - 1) for k, v in list(value.items())[:_ITEMS]} if depth else "…"
    if isinstance(value, list | tuple):
        return [shown(item, depth - 1) for item in value[:_ITEMS]] if depth else "…"
    return value


def _copy(part: Part) -> Part:
    return {**part, "metadata": dict(part["metadata"])}


def _is(part: Part, kind: str) -> bool:
    return part["metadata"]["type"] == kind


def _is_words(part: Part) -> bool:
    return _is(part, "stream_token")


def _unfinished(part: Part) -> bool:
    return _is_words(part) and part["metadata"]["status"] == "pending"


def _length(words: Iterable[Part]) -> tuple[int, int]:
    """How much was said, and how much thought: a request that speaks is ahead of one that only thought."""
    sizes = [(len(part["content"]), part["metadata"]["reasoning"]) for part in words]
    return sum(size for size, thought in sizes if not thought), sum(size for size, thought in sizes if thought)


def _passing(part: Part) -> bool:
    return _is(part, "notice") and part["metadata"]["code"] in PASSING
