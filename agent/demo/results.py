"""What a tool answered, as a model gets to see it: JSON, a refusal in words, or a person's answer."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from json_repair import repair_json
from langchain_core.messages import ToolMessage

_ERROR = re.compile(r"^Error(?: (?P<status>\d{3}))?(?: (?P<code>\w+))?: (?P<title>.*)")
_CUT = re.compile(r"\n\[truncated, [^\n]*\]\s*$")
_DENIED = re.compile(r"\b(?:denied|declined|refused to sign|not approved)\b|отклон", re.IGNORECASE)
_REASON = re.compile(r"(?:reason|причина|because)\b[^:\n]{0,20}:\s*(?P<reason>.+)", re.IGNORECASE)
_ABOUT = re.compile(r"^The call was about <tool_result>(?P<name>.+)</tool_result>$", re.MULTILINE)
_FENCE = re.compile(r"^\s*<tool_result\b[^>\n]*>\n|\n</tool_result>\s*$")
_ANSWERED = "The person answered: "
_BAD_ARGUMENTS = "Nothing ran: the arguments do not fit"
_UNKNOWN = "outcome is unknown"
_EXPIRED = "nobody decided in time"
_SUPERSEDED = re.compile(r"withdrawn before the person decided|wrote a new message instead")
_NOISE = re.compile(r"^(?:Nothing was changed by this call\.|Do not repeat it.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """An answer: `data` is its JSON, if it was any; `code` and `detail` tell of a failure, `about` of what it was."""

    text: str
    data: Any = None
    ok: bool = True
    denied: bool = False
    code: str = ""
    detail: str = ""
    cut: bool = False
    about: str = ""

    @property
    def items(self) -> list[dict[str, Any]]:
        """The objects of a list."""
        listed = self.data.get("items") if isinstance(self.data, Mapping) else self.data
        return [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []

    @property
    def object(self) -> dict[str, Any]:
        """The one object; empty when the answer is none."""
        return self.data if isinstance(self.data, dict) else {}

    @property
    def total(self) -> int:
        """How many there are in all, shown or not."""
        told = self.object.get("total")
        return told if isinstance(told, int) else len(self.items)


def read_result(message: ToolMessage) -> Result:
    """The answer that a tool message holds, without the fence that marks it as data."""
    text = _FENCE.sub("", message.text).strip()
    data, cut = _json(text)
    error = _ERROR.match(text)
    if error or message.status == "error" or _refusal(data):
        return _failure(text, data, error)
    return Result(text, data, cut=cut)


def rows(told: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list inside an answer; empty when it is none."""
    value = told.get(key)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def answer_text(result: Result) -> str:
    """The words of a person's answer to a question."""
    for key in ("answer", "text", "value", "choice"):
        if isinstance(told := result.object.get(key), str):
            return told
    return result.data if isinstance(result.data, str) else result.text.removeprefix(_ANSWERED)


def _refusal(data: Any) -> bool:
    return isinstance(data, dict) and (data.get("ok") is False or "error" in data or "denied" in data)


def _failure(text: str, data: Any, error: re.Match[str] | None) -> Result:
    if _UNKNOWN in text:
        return Result(text, data, ok=False, code="outcome_unknown")
    if text.startswith(_BAD_ARGUMENTS):
        return Result(text, data, ok=False, code="bad_arguments")
    named = _ABOUT.search(text)
    about = named["name"] if named else ""
    if undecided := "expired" if _EXPIRED in text else "superseded" if _SUPERSEDED.search(text) else "":
        return Result(text, data, ok=False, denied=True, code=undecided, about=about)
    denied = bool(_DENIED.search(text))
    told = data if isinstance(data, dict) else {}
    code = (error and error["code"]) or str(told.get("code") or "")
    detail = _reason(text, told) if denied else _detail(text, told, error)
    return Result(text, data, ok=False, denied=denied, code=code, detail=detail, about=about)


def _reason(text: str, told: Mapping[str, Any]) -> str:
    """Why a person denied, in their words."""
    match = _REASON.search(text)
    return str(told.get("reason") or (match["reason"].strip() if match else ""))


def _detail(text: str, told: Mapping[str, Any], error: re.Match[str] | None) -> str:
    if error is None:
        return str(told.get("detail") or told.get("error") or told.get("title") or _NOISE.sub("", text).strip())
    rest = _NOISE.sub("", text[error.end() :]).strip()
    return rest or error["title"]


def _json(text: str) -> tuple[Any, bool]:
    """The JSON value of a text, and whether its end was cut off; None when it is none."""
    if not text.startswith(("{", "[", '"')):
        return None, False
    try:
        return json.loads(text), False
    except ValueError:
        pass
    if not _CUT.search(text):
        return None, False
    return repair_json(_CUT.sub("", text), return_objects=True), True
