"""What a tool is, to everyone who offers, shows, approves or runs one.

A `Toolset` holds tools and runs them for one person at a time. Identity, approval and routing wrap a
toolset (see `agent/approvals.py`); none of them is a branch inside a tool.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, get_args

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from tools.examples import exemplified

Lang = Literal["en", "ru"]
LANGUAGES: tuple[Lang, ...] = get_args(Lang)


class Effect(StrEnum):
    """What a call does to the world; unknown tools are DANGER."""

    READ = "read"
    WRITE = "write"
    DANGER = "danger"


class Role(StrEnum):
    """The roles of the workspace, weakest first."""

    VIEWER = "viewer"
    ANALYST = "analyst"
    EDITOR = "editor"
    PUBLISHER = "publisher"
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Whether this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Call:
    """On whose behalf and under which keys one tool call runs.

    `key` is the assistant message id and the tool call id, so it is unique even when a provider repeats
    call ids. `if_match` is the revision the person saw and `approval_id` the approval, if the call was approved.
    """

    user_jwt: str = field(repr=False)
    tenant: str
    subject: str
    role: str
    lang: Lang
    conversation_id: str
    turn_id: str
    key: str
    idempotency_key: str
    if_match: str | None = None
    approval_id: str | None = None


class Resource(BaseModel):
    """The thing a call acts on."""

    type: str
    id: str
    name: str = ""


class Problem(BaseModel):
    """Why a call failed, in the terms of RFC 9457; `detail` is for the model and the person."""

    status: int | None = None
    code: str
    title: str
    detail: str = ""
    errors: list[dict[str, Any]] = Field(default_factory=list)
    retry_after: float | None = None


class ToolResult(BaseModel):
    """What came back. `text` goes to the model, `summary` is one line for the person ("4 found")."""

    ok: bool
    status: int | None = None
    text: str
    summary: str = ""
    data: Any = None
    etag: str | None = None
    problem: Problem | None = None
    replayed: bool = False
    outcome_unknown: bool = False
    undo: dict[str, Any] | None = None


class Preview(BaseModel):
    """What a call would change, drawn from validated arguments and the backend's own answer.

    `evidence` holds the blocks that `ui/static` draws: list, facts, fields, jsonpath, bulk.
    `refusal` is set when the backend already refuses (not allowed, not found, ...): then nothing is
    asked and the refusal is the call's result. `others` are the same preview in the other languages in which
    its card may be read, drawn from the same answer of the backend.
    """

    title: str
    lead: str = ""
    approve: str
    risk: Literal["danger", "change", "send"]
    evidence: list[dict[str, Any]] = Field(default_factory=list)
    resource: Resource | None = None
    etag: str | None = None
    type_to_sign: str | None = None
    refusal: ToolResult | None = None
    others: dict[Lang, "Preview"] = Field(default_factory=dict)

    @classmethod
    def drawn(cls, lang: Lang, draw: Callable[[Lang], "Preview"]) -> "Preview":
        """What `draw` says in this language, and beside it what it says in the others."""
        others = {other: draw(other) for other in LANGUAGES if other != lang}
        return draw(lang).model_copy(update={"others": others})


Previewer = Callable[[dict[str, Any], Call], Awaitable[Preview]]


@dataclass(frozen=True)
class ToolSpec:
    """One tool: the LangChain tool, its effect, and the words by which it is found and shown.

    `repeatable` says whether a call may be sent again under its Idempotency-Key without acting twice. `reader` is the
    tool that reads, with the arguments of the same names, what this one changes.
    """

    name: str
    tool: BaseTool
    effect: Effect
    descriptions: Mapping[str, str]
    titles: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    companions: tuple[str, ...] = ()
    min_role: Role = Role.VIEWER
    reasons: tuple[str, ...] = ()
    method: str | None = None
    path: str | None = None
    fingerprint: str | None = None
    always_on: bool = False
    repeatable: bool = True
    reader: str | None = None
    preview: Previewer | None = None

    def json_schema(self) -> dict[str, Any]:
        """The function schema as a model provider gets it."""
        return exemplified(convert_to_openai_tool(self.tool), self.tool.args_schema)

    def sha256(self) -> bytes:
        """Hash of what a reviewer relied on: name, description, argument schema and effect."""
        shown = {
            "schema": self.json_schema(),
            "effect": self.effect,
            "method": self.method,
            "path": self.path,
            "fingerprint": self.fingerprint,
        }
        return hashlib.sha256(json.dumps(shown, sort_keys=True, ensure_ascii=False).encode()).digest()


class ArgumentError(ValueError):
    """The model's or the person's arguments do not fit the schema; `errors` are pydantic's, without input."""

    def __init__(self, tool: str, errors: list[dict[str, Any]]):
        super().__init__(f"invalid arguments for {tool}")
        self.tool = tool
        self.errors = errors


class Toolset(Protocol):
    """Tools by name, and the three things one can do with them."""

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools of this set by name."""
        ...

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments as plain JSON values, defaults filled in; raises `ArgumentError` or `KeyError`."""
        ...

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """What the call would change. Changes nothing."""
        ...

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run the call. A refusal or failure of the backend is a result, never an exception."""
        ...
