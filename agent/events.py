"""The stream protocol: what one turn says, as plain dicts `{"role", "content", "metadata"}`.

The same dicts go to the browser, to `gradio_client` and to `@gradio/client`, and are what the database keeps.
`metadata.type` tells the kind; `docs/protocol.md` and `docs/protocol.schema.json` describe each for clients.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["pending", "done"]


class _Meta(BaseModel):
    """Common to all kinds. `seq` is the turn's change counter at this part's last change; `id` never changes."""

    model_config = ConfigDict(extra="forbid")
    id: str
    seq: int
    status: Status = "done"
    duration: float | None = None
    title: str | None = None


class TextMeta(_Meta):
    """Words of the assistant; `reasoning` marks thinking, which is drawn folded."""

    type: Literal["stream_token"] = "stream_token"
    reasoning: bool = False


class ToolMeta(_Meta):
    """A tool call: started, ended or failed. `args` and `data` are JSON values, cut to what a card can show."""

    type: Literal["tool_start", "tool_end", "tool_error"]
    call_id: str
    tool: str
    effect: str = "read"
    args: dict[str, Any] = Field(default_factory=dict)
    summary: str = ""
    data: Any = None
    error: dict[str, Any] | None = None
    approval_id: str | None = None
    undo: dict[str, Any] | None = None
    offered: list[dict[str, Any]] | None = None


class Approval(BaseModel):
    """What the card shows and what a decision must name. `state` is the row's state in the database.

    `reason` is the person's for a denial, else why the card ended (`store.endings.Why`, or "edited").
    """

    id: str
    state: Literal["pending", "approved", "denied", "expired", "superseded", "consumed", "failed"]
    version: int = 1
    tool: str
    effect: str
    args: dict[str, Any]
    args_schema: dict[str, Any] | None = None
    card: dict[str, Any]
    card_sha256: str
    revision: str | None = None
    expires_at: str
    decided_by: str | None = None
    decided_at: str | None = None
    reason: str | None = None
    result: dict[str, Any] | None = None


class ConfirmMeta(_Meta):
    """A call that waits for a person (`confirm_required`) or that was decided (`confirm_resolved`)."""

    type: Literal["confirm_required", "confirm_resolved"]
    call_id: str
    tool: str
    approval: Approval
    offered: list[dict[str, Any]] | None = None


class Question(BaseModel):
    """A question of the agent: up to four choices, free text, or both."""

    id: str
    question: str
    choices: list[dict[str, Any]] = Field(default_factory=list)
    free: bool = True
    state: Literal["pending", "answered", "superseded"] = "pending"
    answer: str | None = None


class AskMeta(_Meta):
    """The agent asks the person something."""

    type: Literal["ask_user"] = "ask_user"
    call_id: str
    question: Question


class ErrorMeta(_Meta):
    """The turn could not go on. `retry` says whether the same turn_id may be sent again."""

    type: Literal["error"] = "error"
    code: str
    retry: bool = False
    ref: str | None = None


class NoticeMeta(_Meta):
    """Something the person should know: a cut context, keywords only, a wait for a slow model."""

    type: Literal["notice"] = "notice"
    code: str


class UsageMeta(_Meta):
    """Tokens of the whole turn, summed over its model requests."""

    type: Literal["usage"] = "usage"
    model: str
    input: int = 0
    cached: int = 0
    reasoning: int = 0
    output: int = 0
    cost: float | None = None


class SeenMeta(_Meta):
    """In the place of a part that a client has by its own account: nothing of it has changed since."""

    type: Literal["seen"] = "seen"


Meta = Annotated[
    TextMeta | ToolMeta | ConfirmMeta | AskMeta | ErrorMeta | NoticeMeta | UsageMeta | SeenMeta,
    Field(discriminator="type"),
]


class Part(BaseModel):
    """One message of the stream."""

    role: Literal["assistant"] = "assistant"
    content: str = ""
    metadata: Meta


def protocol_schema() -> dict[str, Any]:
    """`docs/protocol.schema.json`: the JSON Schema (2020-12) of one message of the stream."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Part.model_json_schema(mode="serialization")}


if __name__ == "__main__":
    import json

    print(json.dumps(protocol_schema(), indent=2, ensure_ascii=False))
